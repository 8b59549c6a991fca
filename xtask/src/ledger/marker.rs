//! The comments by which tests name the rules that they show.

use std::path::PathBuf;

use super::row::Number;
use crate::error::Result;
use crate::finding::Finding;
use crate::function::{is_decoration, name, test};
use crate::source::Source;

/// One rule named at one test.
#[derive(Debug)]
pub(crate) struct Marker {
    /// The rule.
    pub(crate) number: Number,
    /// The file, relative to the workspace.
    pub(crate) path: PathBuf,
    /// The line of the comment, from 1.
    pub(crate) line: usize,
    /// The test's name; none in a file that is not Rust.
    pub(crate) test: Option<String>,
}

/// The markers of a file. One that cannot be read, or that stands outside of a test, is a finding.
pub(crate) fn read(source: &Source, findings: &mut Vec<Finding>) -> Vec<Marker> {
    let mut markers = Vec::new();
    let is_rust = source.has_extension("rs");
    let start = if is_rust {
        "// spec:"
    } else if is_other_test(source) {
        "# spec:"
    } else {
        return markers;
    };
    let lines: Vec<&str> = source.text.lines().map(str::trim_start).collect();
    let code = source.code().count();
    for (index, line) in lines.iter().enumerate() {
        let Some(list) = line.strip_prefix(start) else { continue };
        let mut complain =
            |message: String| findings.push(Finding::error("ledger", &source.path, index + 1, message));
        let test = is_rust.then(|| test_at(&lines, index)).flatten();
        if is_rust && (index < code || test.is_none()) {
            complain("a rule is shown by a test, and this comment stands at none".to_owned());
            continue;
        }
        match numbers(list) {
            Ok(numbers) => markers.extend(numbers.into_iter().map(|number| Marker {
                number,
                path: source.path.clone(),
                line: index + 1,
                test: test.map(str::to_owned),
            })),
            Err(error) => complain(format!("{error}; name single rows with commas between them")),
        }
    }
    markers
}

/// Whether the file is part of a test without being Rust: a conversation, a table, a peer's program.
fn is_other_test(source: &Source) -> bool {
    !source.has_extension("md") && source.path.components().any(|part| part.as_os_str() == "tests")
}

/// Reads `R001, R002`.
fn numbers(list: &str) -> Result<Vec<Number>> {
    list.split(',').map(|number| number.trim().parse()).collect()
}

/// The name of the test at which a comment stands: the function below it, with only attributes and comments between, or
/// else the one whose body it is in.
fn test_at<'a>(lines: &[&'a str], comment: usize) -> Option<&'a str> {
    let below = lines.iter().enumerate().skip(comment).find(|(_, line)| !is_decoration(line));
    let around = || lines.iter().enumerate().take(comment).rev().find(|(_, line)| name(line).is_some());
    let (at, _) = below.filter(|(_, line)| name(line).is_some()).or_else(around)?;
    test(lines, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_at(path: &str, text: &str) -> (Vec<(String, String)>, Vec<usize>) {
        let mut findings = Vec::new();
        let markers = read(&Source { path: path.into(), text: text.to_owned() }, &mut findings);
        let named = markers
            .into_iter()
            .map(|marker| (marker.number.to_string(), marker.test.unwrap_or_default()))
            .collect();
        (named, findings.iter().map(|finding| finding.line).collect())
    }

    fn pair(number: &str, test: &str) -> (String, String) {
        (number.to_owned(), test.to_owned())
    }

    #[test]
    fn a_comment_belongs_to_the_test_below_it_or_around_it() {
        let text = "// spec: R001, R002\n#[test]\nfn first() {\n    a();\n    // spec: R003\n    b();\n}\n\n#[tokio::test(start_paused = true)]\n// spec: R004\nasync fn second() {}\n";
        let expected =
            [pair("R001", "first"), pair("R002", "first"), pair("R003", "first"), pair("R004", "second")];
        assert_eq!(read_at("crates/x/tests/a.rs", text), (expected.to_vec(), vec![]));
    }

    #[test]
    fn code_that_is_no_test_shows_nothing() {
        let text = "// spec: R001\nfn code() {}\n\n#[cfg(test)]\nmod tests {\n    // spec: R002\n    fn helper() {}\n\n    // spec: R003\n    #[test]\n    fn test() {}\n}\n";
        assert_eq!(read_at("crates/x/src/a.rs", text), (vec![pair("R003", "test")], vec![1, 6]));
    }

    #[test]
    fn ranges_and_loose_words_are_refused() {
        for list in ["R001-R003", "R001…R003", "R001 R002", "R1", "R001,", ""] {
            let text = format!("// spec: {list}\n#[test]\nfn a() {{}}\n");
            assert_eq!(read_at("crates/x/tests/a.rs", &text), (vec![], vec![1]), "{list:?}");
        }
    }

    #[test]
    fn a_text_in_a_folder_of_tests_names_rules_behind_a_hash() {
        let text = "# spec: R001\n> {}\n";
        assert_eq!(read_at("crates/x/tests/a.conversation", text), (vec![pair("R001", "")], vec![]));
        assert_eq!(read_at("crates/x/a.toml", text), (vec![], vec![]));
        assert_eq!(read_at("crates/x/tests/a.md", text), (vec![], vec![]));
    }
}
