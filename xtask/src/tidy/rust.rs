//! Rules for Rust source files.

use crate::finding::Finding;
use crate::source::Source;

/// A file above this is a finding.
const HARD_CAP: usize = 800;
/// A file above this is a warning.
const SOFT_CAP: usize = 400;

/// `lib.rs` and `mod.rs`: the table of contents of a crate or module.
const CONTENTS: [&str; 2] = ["lib.rs", "mod.rs"];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.has_extension("rs") {
        return findings;
    }
    if source.is_shipped_code() {
        findings.extend(size(source));
        findings.extend(layout(source));
        findings.extend(features(source));
    }
    findings.extend(tests(source));
    findings
}

fn size(source: &Source) -> Option<Finding> {
    let lines = source.code().count();
    if lines > HARD_CAP {
        let message = format!("{lines} lines without tests, more than {HARD_CAP}: split it");
        Some(Finding::error("size", &source.path, 0, message))
    } else if lines > SOFT_CAP {
        let message =
            format!("{lines} lines without tests, more than {SOFT_CAP}: can a reader hold it in the head?");
        Some(Finding::warning("size", &source.path, message))
    } else {
        None
    }
}

fn layout(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !source.is_named(&CONTENTS) {
        return findings;
    }
    // The compiler wants the entry points of procedural macros in `lib.rs`.
    let mut is_entry_point = false;
    for (number, line) in source.code() {
        if line.starts_with("#[proc_macro") {
            is_entry_point = true;
        } else if is_logic(line) && !std::mem::take(&mut is_entry_point) {
            let message = "logic in a file that only names modules: move it into one of them".to_owned();
            findings.push(Finding::error("layout", &source.path, number, message));
        }
    }
    findings
}

/// Whether a line starts a function or an implementation.
fn is_logic(line: &str) -> bool {
    let mut words = line.split_whitespace().skip_while(|word| {
        matches!(*word, "async" | "const" | "unsafe") || word.starts_with("pub") || word.starts_with("extern")
    });
    words.next().is_some_and(|word| word == "fn" || word == "impl" || word.starts_with("impl<"))
}

fn features(source: &Source) -> Vec<Finding> {
    let code: Vec<(usize, &str)> = source.code().collect();
    code.iter()
        .enumerate()
        .filter(|(_, (_, line))| line.trim_start().starts_with("#[cfg") && line.contains("feature ="))
        .filter(|(index, _)| {
            !code
                .iter()
                .skip(*index)
                .find(|(_, line)| !line.trim_start().starts_with("#["))
                .is_some_and(names)
        })
        .map(|(_, (number, _))| {
            let message = "cfg(feature) on part of a file: put the code into a module of its own".to_owned();
            Finding::error("features", &source.path, *number, message)
        })
        .collect()
}

/// Whether a line names a module or imports names.
fn names((_, line): &(usize, &str)) -> bool {
    let item = line.trim_start();
    let item = ["pub ", "pub(crate) "].iter().find_map(|seen| item.strip_prefix(seen)).unwrap_or(item);
    item.starts_with("mod ") || item.starts_with("use ")
}

fn tests(source: &Source) -> Vec<Finding> {
    let attribute = "#[ignore";
    (1..)
        .zip(source.text.lines())
        .filter(|(_, line)| line.trim_start().starts_with(attribute))
        .map(|(number, _)| {
            let message = "an ignored test shows nothing: make it run, or delete it".to_owned();
            Finding::error("tests", &source.path, number, message)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(path: &str, text: String) -> Vec<(&'static str, usize)> {
        check(&Source { path: path.into(), text })
            .iter()
            .map(|finding| (finding.rule, finding.line))
            .collect()
    }

    #[test]
    fn a_file_is_counted_without_its_tests() {
        let tests = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", "// x\n".repeat(900));
        assert_eq!(rules("crates/x/src/a.rs", format!("{}{tests}", "// x\n".repeat(400))), []);
        assert_eq!(rules("crates/x/src/a.rs", "// x\n".repeat(401)), [("size", 0)]);
        assert_eq!(
            check(&Source { path: "crates/x/src/a.rs".into(), text: "// x\n".repeat(801) })[0].line,
            0
        );
        assert_eq!(rules("testing/x/src/a.rs", "// x\n".repeat(801)), []);
    }

    #[test]
    fn only_the_hard_cap_is_an_error() {
        let severity = |lines| {
            check(&Source { path: "crates/x/src/a.rs".into(), text: "// x\n".repeat(lines) })[0].severity
        };
        assert_eq!(severity(800), super::super::Severity::Warning);
        assert_eq!(severity(801), super::super::Severity::Error);
    }

    #[test]
    fn a_table_of_contents_holds_no_functions() {
        let text = "//! fn in prose\nmod a;\npub async fn b() {}\nimpl<T> C for T {}\npub use a::implied;\n";
        assert_eq!(rules("crates/x/src/lib.rs", text.to_owned()), [("layout", 3), ("layout", 4)]);
        assert_eq!(rules("crates/x/src/a.rs", text.to_owned()), []);
        let text = "#[proc_macro]\npub fn a() {}\nfn b() {}\n";
        assert_eq!(rules("crates/x/src/lib.rs", text.to_owned()), [("layout", 3)]);
    }

    #[test]
    fn features_choose_whole_modules() {
        let text = "#[cfg(feature = \"x\")]\n#[doc(inline)]\npub(crate) use a::B;\n    #[cfg(feature = \"x\")]\n    mod a;\n";
        assert_eq!(rules("crates/x/src/a.rs", text.to_owned()), []);
        let text = "#[cfg(feature = \"x\")]\nfn a() {}\n";
        assert_eq!(rules("crates/x/src/a.rs", text.to_owned()), [("features", 1)]);
    }

    #[test]
    fn no_test_is_ignored() {
        let text = "#[test]\n#[ignore = \"slow\"]\nfn a() {}\n";
        assert_eq!(rules("crates/x/tests/a.rs", text.to_owned()), [("tests", 2)]);
    }
}
