//! Every error that users can meet has its entry in docs/troubleshooting.md, and no other has one.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;
use crate::source::Source;

/// The page.
const PAGE: &str = "docs/troubleshooting.md";

/// Enums that are no errors of Rust, and yet say what went wrong.
const REASONS: [&str; 17] = [
    "CertificateProblem",
    "CloseReason",
    "Ended",
    "Failure",
    "FaultKind",
    "HttpProblem",
    "Invalid",
    "MalformedReason",
    "Noise",
    "Orphan",
    "OutputProblem",
    "ProgramFlaw",
    "Refusal",
    "ResumeError",
    "Unsupported",
    "Violation",
    "Warning",
];

/// What is missing on the page, and what is there in vain.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(page) = sources.iter().find(|source| source.path.as_os_str() == PAGE) else {
        return vec![Finding::error("troubles", PAGE, 0, "there is no such page".to_owned())];
    };
    let mut findings = Vec::new();
    let told: BTreeMap<&str, usize> =
        (1..).zip(page.text.lines()).filter_map(|(number, line)| Some((entry(line)?, number))).collect();
    let mut known = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_shipped_code()) {
        for kind in kinds(source) {
            if !told.contains_key(kind.as_str()) {
                let message =
                    format!("{kind} has no entry: say what happened, whose fault it is and what to do");
                findings.push(Finding::error("troubles", PAGE, 0, message));
            }
            known.insert(kind);
        }
    }
    for (kind, number) in told.iter().filter(|(kind, _)| !known.contains(**kind)) {
        findings.push(Finding::error("troubles", PAGE, *number, format!("there is no error {kind}")));
    }
    findings
}

/// The error that a row is about: `` | `Name::Variant` | … ``.
fn entry(line: &str) -> Option<&str> {
    let (kind, _) = line.strip_prefix("| `")?.split_once('`')?;
    kind.contains("::").then_some(kind)
}

/// The variants of all public errors in a file, as `Name::Variant`.
fn kinds(source: &Source) -> Vec<String> {
    let mut kinds = Vec::new();
    let mut above: Vec<&str> = Vec::new();
    let mut name = None;
    for (_, line) in source.code() {
        match name {
            Some(_) if line == "}" => name = None,
            // Variants stand four blanks in, and what belongs to them more, or with a mark in front.
            Some(name) => {
                let variant = line.strip_prefix("    ").filter(|rest| rest.starts_with(char::is_uppercase));
                let end = |letter: char| !letter.is_alphanumeric();
                kinds.extend(
                    variant.and_then(|rest| rest.split(end).next()).map(|it| format!("{name}::{it}")),
                );
            }
            None => {
                let found = line.strip_prefix("pub enum ").and_then(|rest| rest.strip_suffix(" {"));
                name = found.filter(|name| {
                    REASONS.contains(name)
                        || above.iter().any(|line| line.contains("thiserror::Error"))
                        || source.text.contains(&format!("Error for {name} {{"))
                });
                if line.is_empty() { above.clear() } else { above.push(line) }
            }
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "/// Why.\n#[derive(Debug, thiserror::Error)]\npub enum Bad {\n    /// It.\n    #[error(\"a\")]\n    First(u8),\n    Second {\n        Upper: u8,\n    },\n}\n\npub enum Good {\n    Third,\n}\n";

    fn found(page: &str) -> Vec<String> {
        let code = Source { path: "crates/a/src/a.rs".into(), text: CODE.to_owned() };
        let page = Source { path: PAGE.into(), text: page.to_owned() };
        check(&[code, page]).iter().map(|finding| finding.message.clone()).collect()
    }

    #[test]
    fn every_variant_of_an_error_has_a_row_and_no_other_has_one() {
        assert_eq!(found("| `Bad::First` | x |\n| `Bad::Second` | y |\n| `no error` | z |\n"), [""; 0]);
        let found = found("| `Bad::First` | x |\n| `Bad::Third` | y |\n");
        assert!(found.len() == 2 && found[0].starts_with("Bad::Second has no entry"), "{found:?}");
        assert_eq!(found[1], "there is no error Bad::Third");
    }
}
