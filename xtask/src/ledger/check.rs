//! Rows and tests side by side.

use std::collections::BTreeMap;

use super::area::{self, Entry};
use super::marker::{self, Marker};
use super::row::Number;
use crate::finding::Finding;
use crate::source::Source;

/// The ledger with the tests that show its rows.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// The rows.
    pub(crate) entries: BTreeMap<Number, Entry>,
    /// Where tests name them.
    pub(crate) shown: BTreeMap<Number, Vec<Marker>>,
    /// What does not fit.
    pub(crate) findings: Vec<Finding>,
}

/// What does not fit between the ledger and the tests.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    read(sources).findings
}

/// Reads both and compares them.
pub(crate) fn read(sources: &[Source]) -> Ledger {
    let mut findings = Vec::new();
    let entries = area::read(sources, &mut findings);
    let mut shown: BTreeMap<Number, Vec<Marker>> = BTreeMap::new();
    for source in sources {
        for marker in marker::read(source, &mut findings) {
            if !entries.contains_key(&marker.number) {
                let message = format!("the ledger has no row {}", marker.number);
                findings.push(Finding::error("ledger", &marker.path, marker.line, message));
            }
            shown.entry(marker.number).or_default().push(marker);
        }
    }
    for (number, entry) in &entries {
        if let Some(message) = misfit(*number, entry, shown.get(number), &entries) {
            findings.push(Finding::error("ledger", &entry.path, entry.line, message));
        }
    }
    findings.sort();
    Ledger { entries, shown, findings }
}

/// What is wrong with one row.
fn misfit(
    number: Number,
    entry: &Entry,
    markers: Option<&Vec<Marker>>,
    entries: &BTreeMap<Number, Entry>,
) -> Option<String> {
    if let Some(before) = number.before()
        && !entries.contains_key(&before)
    {
        return Some(format!("{before} is missing before {number}: rows are never taken away"));
    }
    match (markers.and_then(|markers| markers.first()), &entry.row.because) {
        (None, None) => Some(format!(
            "{number} is shown by no test: name it at one (`// spec: {number}`) or give a reason (`because`)"
        )),
        (Some(marker), Some(_)) => Some(format!(
            "{number} is shown in {}:{}: take its `because` away",
            marker.path.display(),
            marker.line
        )),
        (None, Some(reason)) if reason.split_whitespace().count() < 3 => {
            Some(format!("`{reason}` says too little about why no test shows {number}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(rows: &[(&str, Option<&str>)], markers: &str) -> Vec<String> {
        let mut text = String::from("[x]\n");
        for (number, reason) in rows {
            let reason = reason.map(|reason| format!(", because = \"{reason}\"")).unwrap_or_default();
            text.push_str(&format!(
                "{number} = {{ side = \"both\", level = \"must\", revisions = \"all\", rule = \"x\"{reason} }}\n"
            ));
        }
        let test = format!("// spec: {markers}\n#[test]\nfn a() {{}}\n");
        let sources = [
            Source { path: "spec/core.toml".into(), text },
            Source { path: "crates/x/tests/a.rs".into(), text: test },
        ];
        check(&sources).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_is_shown_or_has_a_reason() {
        assert_eq!(found(&[("R001", None), ("R002", Some("not built yet"))], "R001"), [""; 0]);
        let expected = "error: spec/core.toml:3: [ledger] R002 is shown by no test: name it at one (`// spec: R002`) or give a reason (`because`)";
        assert_eq!(found(&[("R001", None), ("R002", None)], "R001"), [expected]);
        let expected =
            "error: spec/core.toml:3: [ledger] `later` says too little about why no test shows R002";
        assert_eq!(found(&[("R001", None), ("R002", Some("later"))], "R001"), [expected]);
    }

    #[test]
    fn a_reason_beside_a_test_is_stale() {
        let expected = "error: spec/core.toml:2: [ledger] R001 is shown in crates/x/tests/a.rs:1: take its `because` away";
        assert_eq!(found(&[("R001", Some("not built yet"))], "R001"), [expected]);
    }

    #[test]
    fn a_test_names_only_rows_that_exist() {
        let expected = "error: crates/x/tests/a.rs:1: [ledger] the ledger has no row R002";
        assert_eq!(found(&[("R001", None)], "R001, R002"), [expected]);
    }

    #[test]
    fn no_row_is_taken_away() {
        let expected =
            "error: spec/core.toml:3: [ledger] R002 is missing before R003: rows are never taken away";
        assert_eq!(found(&[("R001", None), ("R003", None)], "R001, R003"), [expected]);
    }
}
