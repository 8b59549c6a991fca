//! Rules for `Cargo.toml`.

use crate::finding::Finding;
use crate::source::Source;

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.is_named(&["Cargo.toml"]) {
        return findings;
    }
    let entries = entries(&source.text);
    for pair in entries.windows(2) {
        if let [earlier, later] = pair
            && earlier.group == later.group
            && is_sorted_table(&later.table)
            && later.key < earlier.key
        {
            let message =
                format!("`{}` stands after `{}` in [{}]: sort them", later.key, earlier.key, later.table);
            findings.push(Finding::error("manifest", &source.path, later.line, message));
        }
    }
    // A workspace of its own, such as the fuzz targets, has nothing to take from.
    let is_root = source.path.components().count() == 1 || starts_workspace(&source.text);
    if !is_root {
        findings.extend(inheritance(source, &entries));
    }
    findings
}

/// Whether a manifest starts a workspace.
fn starts_workspace(text: &str) -> bool {
    text.lines().any(|line| line.trim() == "[workspace]")
}

/// What a member takes from the workspace, so that it stands in one place.
fn inheritance(source: &Source, entries: &[Entry]) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !entries.iter().any(|entry| entry.table == "lints" && entry.key == "workspace") {
        let message = "the workspace's lints are not in force: add `[lints] workspace = true`".to_owned();
        findings.push(Finding::error("manifest", &source.path, 0, message));
    }
    for entry in entries.iter().filter(|entry| entry.table.ends_with("dependencies")) {
        if !entry.value.contains("workspace = true") && !entry.key.ends_with(".workspace") {
            let message =
                format!("`{}` names its own version: put it into [workspace.dependencies]", entry.key);
            findings.push(Finding::error("manifest", &source.path, entry.line, message));
        }
    }
    findings
}

/// Whether the order of a table's keys carries no meaning.
fn is_sorted_table(table: &str) -> bool {
    table.ends_with("dependencies") || table.contains("lints.")
}

/// One `key = value` of a manifest.
struct Entry {
    table: String,
    /// Counts tables and empty lines: order is kept within a group.
    group: usize,
    line: usize,
    key: String,
    value: String,
}

/// The entries of a manifest; lines inside an array or inline table that spans lines are part of their entry.
fn entries(text: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut table = String::new();
    let mut group = 0;
    let mut depth = 0_usize;
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        let inside = depth > 0;
        let opened = content.matches(['[', '{']).count();
        let closed = content.matches([']', '}']).count();
        depth = (depth + opened).saturating_sub(closed);
        if inside {
            if let Some(entry) = entries.last_mut() {
                entry.value.push_str(content);
            }
        } else if content.is_empty() {
            group += 1;
        } else if let Some(name) = content.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            group += 1;
            table = name.to_owned();
        } else if let Some((key, value)) = content.split_once('=').filter(|_| !content.starts_with('#')) {
            let (key, value) = (key.trim().to_owned(), value.trim().to_owned());
            entries.push(Entry { table: table.clone(), group, line, key, value });
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&Source { path: path.into(), text: text.to_owned() })
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn tables_whose_order_means_nothing_are_sorted_within_a_group() {
        let text = "[package]\nname = \"a\"\nedition = \"2024\"\n[workspace.dependencies]\nours = \"1\"\n\na = \"1\"\nc = [\n  \"x\",\n]\nb = \"1\"\n";
        assert_eq!(lines("Cargo.toml", text), [11]);
    }

    #[test]
    fn a_member_takes_lints_and_versions_from_the_workspace() {
        let bad = "[dependencies]\nserde = \"1\"\ntokio.workspace = true\n";
        assert_eq!(lines("crates/a/Cargo.toml", bad), [0, 2]);
        assert_eq!(lines("a/Cargo.toml", &format!("[workspace]\n\n{bad}")), [0_usize; 0]);
        let good = "[lints]\nworkspace = true\n[dependencies]\nserde = { workspace = true, features = [\n  \"derive\",\n] }\n";
        assert_eq!(lines("crates/a/Cargo.toml", good), [0_usize; 0]);
    }
}
