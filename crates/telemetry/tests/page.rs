//! The page for people and the table in the code say the same.

use std::collections::BTreeSet;

use hermes_telemetry::names::{ALL, Kind, Row, attribute, category};

const PAGE: &str = include_str!("telemetry.md");

/// The row as the page shows it.
fn line(row: &Row) -> String {
    let names = |names: &[&str]| match names {
        [] => "–".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    format!(
        "| `{}` | `{}` | {} | {} | {} | {} |",
        row.name,
        row.category,
        row.level.as_str().to_lowercase(),
        names(row.measured),
        names(row.said),
        row.meaning.trim(),
    )
}

#[test]
fn every_row_of_the_table_is_on_the_page_as_it_is() {
    let shown: BTreeSet<&str> = PAGE.lines().collect();
    for row in ALL {
        let line = line(row);
        assert!(shown.contains(line.as_str()), "docs/telemetry.md lacks:\n{line}");
    }
}

#[test]
fn the_page_has_no_row_that_the_table_lacks() {
    let known: BTreeSet<String> = ALL.iter().map(line).collect();
    let categories = [category::CLIENT, category::MESSAGE, category::SERVER, category::TRANSPORT];
    let shown = PAGE.lines().filter(|line| {
        let second = line.split('|').nth(2).map(|cell| cell.trim().trim_matches('`'));
        second.is_some_and(|cell| categories.contains(&cell))
    });
    let mut count = 0;
    for line in shown {
        count += 1;
        assert!(known.contains(line), "nothing in the code is like:\n{line}");
    }
    assert_eq!(count, ALL.len());
}

#[test]
fn the_page_explains_every_attribute_and_no_other() {
    let used: BTreeSet<&str> =
        ALL.iter().flat_map(|row| row.measured.iter().chain(row.said)).copied().collect();
    let section = PAGE.split("## What is said").nth(1).and_then(|rest| rest.split("\n## ").next());
    let explained: BTreeSet<&str> = section
        .into_iter()
        .flat_map(str::lines)
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    assert_eq!(explained, used);
}

#[test]
fn names_are_told_apart_and_stand_where_they_belong() {
    let names: BTreeSet<&str> = ALL.iter().map(|row| row.name).collect();
    assert_eq!(names.len(), ALL.len());
    for row in ALL {
        assert_eq!(row.kind == Kind::Event, row.name.starts_with("hermes.") && row.name != "hermes.command");
        assert!(row.measured.iter().all(|name| !row.said.contains(name)), "{}", row.name);
    }
    assert_eq!(attribute::METHOD, "mcp.method.name");
}
