//! What is printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::check::Ledger;
use super::row::{Number, Side};

/// How many of some rows a test shows.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    rows: usize,
    shown: usize,
}

impl Count {
    fn add(&mut self, is_shown: bool) {
        self.rows += 1;
        self.shown += usize::from(is_shown);
    }

    fn line(self, area: &str, side: &str) -> String {
        let Self { rows, shown } = self;
        format!("{area:<8}{side:<14}{rows:>6}{shown:>8}{:>11}\n", rows - shown)
    }
}

/// How many rows are shown, by area and side.
pub(crate) fn table(ledger: &Ledger) -> String {
    let mut areas: BTreeMap<&str, BTreeMap<Side, Count>> = BTreeMap::new();
    for (number, entry) in &ledger.entries {
        let sides = areas.entry(&entry.area).or_default();
        sides.entry(entry.row.side).or_default().add(ledger.shown.contains_key(number));
    }
    let mut table = format!("{:<8}{:<14}{:>6}{:>8}{:>11}\n", "area", "side", "rules", "shown", "not shown");
    let mut total = Count::default();
    for (area, sides) in areas {
        let mut sum = Count::default();
        for (side, count) in sides {
            table.push_str(&count.line(area, &side.to_string()));
            sum.rows += count.rows;
            sum.shown += count.shown;
        }
        table.push_str(&sum.line(area, "all"));
        total.rows += sum.rows;
        total.shown += sum.shown;
    }
    table.push_str(&total.line("all", "all"));
    table
}

/// Each row that no test shows, with its reason, by area and topic.
pub(crate) fn missing(ledger: &Ledger) -> String {
    let mut topics: BTreeMap<(&str, &str), String> = BTreeMap::new();
    for (number, entry) in &ledger.entries {
        if ledger.shown.contains_key(number) {
            continue;
        }
        let row = &entry.row;
        let lines = topics.entry((&entry.area, &entry.topic)).or_default();
        let _ = writeln!(lines, "{number} {} {}, {}: {}", row.side, row.level, row.revisions, row.rule);
        let _ = writeln!(lines, "     not shown: {}", row.because.as_deref().unwrap_or("no reason given"));
    }
    let mut text = String::new();
    for ((area, topic), lines) in topics {
        let _ = writeln!(text, "{area}: {topic}\n{lines}");
    }
    text
}

/// One row and the tests that show it; nothing if there is no such row.
pub(crate) fn row(ledger: &Ledger, number: Number) -> Option<String> {
    let entry = ledger.entries.get(&number)?;
    let row = &entry.row;
    let mut text = format!(
        "{number} ({}, {}): {} {}, {}\n{}\n",
        entry.area, entry.topic, row.side, row.level, row.revisions, row.rule
    );
    if let Some(reason) = &row.because {
        let _ = writeln!(text, "not shown: {reason}");
    }
    for marker in ledger.shown.get(&number).into_iter().flatten() {
        let test = marker.test.as_deref().unwrap_or_default();
        let _ = writeln!(text, "{}:{} {test}", marker.path.display(), marker.line);
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::super::check::read;
    use super::*;
    use crate::source::Source;

    fn ledger() -> Ledger {
        let core = "[ids]\nR001 = { side = \"both\", level = \"must\", revisions = \"all\", rule = \"ids match\" }\nR002 = { side = \"client\", level = \"should not\", revisions = \"legacy\", rule = \"no reuse\", because = \"not built yet\" }\n";
        let test = "// spec: R001\n#[test]\nfn ids_match() {}\n";
        read(&[
            Source { path: "spec/core.toml".into(), text: core.to_owned() },
            Source { path: "crates/x/tests/a.rs".into(), text: test.to_owned() },
        ])
    }

    #[test]
    fn rows_are_counted_by_area_and_side() {
        let expected = "\
area    side           rules   shown  not shown
core    client             1       0          1
core    both               1       1          0
core    all                2       1          1
all     all                2       1          1
";
        assert_eq!(table(&ledger()), expected);
    }

    #[test]
    fn a_row_without_a_test_is_told_with_its_reason() {
        let expected =
            "core: ids\nR002 client should not, legacy: no reuse\n     not shown: not built yet\n\n";
        assert_eq!(missing(&ledger()), expected);
    }

    #[test]
    fn a_row_is_told_with_its_tests() {
        let row = |text: &str| row(&ledger(), text.parse().unwrap());
        let expected = "R001 (core, ids): both must, all\nids match\ncrates/x/tests/a.rs:1 ids_match\n";
        assert_eq!(row("R001").as_deref(), Some(expected));
        assert_eq!(row("R003"), None);
    }
}
