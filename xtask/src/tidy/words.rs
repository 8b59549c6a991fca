//! Rules for every text file.

use crate::finding::Finding;
use crate::source::Source;

/// Marks of unfinished work: finish it, or say in prose what is missing and why.
const UNFINISHED: [&str; 4] = ["FIXME", "HACK", "TODO", "XXX"];

/// The first folders of paths that exist on one machine only. `file:///home/…` is a URI in an example and stays.
const MACHINE: [&str; 5] = ["/Users/", "/home/", "/mnt/", "/root/", "/work/"];

pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The rules name what they look for, and a generated file is not prose.
    if source.path.starts_with("xtask/src/tidy") || source.is_named(&["Cargo.lock"]) {
        return findings;
    }
    for (number, line) in (1..).zip(source.text.lines()) {
        if let Some(word) = UNFINISHED.iter().find(|word| has_word(line, word)) {
            let message = format!("unfinished work ({word}): finish it or say in prose what is missing");
            findings.push(Finding::error("words", &source.path, number, message));
        }
        if let Some(path) = MACHINE.iter().find(|path| has_path(line, path)) {
            let message = format!("a path of one machine ({path}…): name the file relative to the workspace");
            findings.push(Finding::error("words", &source.path, number, message));
        }
    }
    if !source.text.is_empty() && !source.text.ends_with('\n') {
        let message = "the last line does not end".to_owned();
        findings.push(Finding::error("words", &source.path, source.text.lines().count(), message));
    }
    findings
}

/// Whether `word` stands in the line with no letter, digit or underscore around it.
fn has_word(line: &str, word: &str) -> bool {
    let inside = |character: char| character.is_alphanumeric() || character == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(start + word.len()..).and_then(|text| text.chars().next());
        !before.is_some_and(inside) && !after.is_some_and(inside)
    })
}

/// Whether a path into a folder below `folder` starts in the line: nothing that belongs to a longer path or a URI
/// stands before it. A folder alone, as in `HOME=/home/ada`, names no file.
fn has_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        let after = line.get(start + folder.len()..).unwrap_or_default();
        let name = after.find(|character: char| !character.is_alphanumeric() && !"-_.".contains(character));
        let deeper =
            name.is_some_and(|end| end > 0 && after.get(end..).is_some_and(|rest| rest.starts_with('/')));
        deeper
            && !before.is_some_and(|character| character.is_alphanumeric() || "/.-_*~}$>".contains(character))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<usize> {
        check(&Source { path: "a.md".into(), text: text.to_owned() })
            .iter()
            .map(|finding| finding.line)
            .collect()
    }

    #[test]
    fn marks_of_unfinished_work_are_whole_words() {
        assert_eq!(lines("TODO: this\nTODOS\nAUTODOC\n// FIXME\n"), [1, 4]);
    }

    #[test]
    fn a_path_of_a_machine_is_found_and_a_uri_is_not() {
        let text = "see /home/ada/x\n\"/root/x/y\"\nfile:///home/ada/x\nsrc/work/x/y\nHOME=/home/ada\n";
        assert_eq!(lines(text), [1, 2]);
    }

    #[test]
    fn text_ends_with_a_newline() {
        assert_eq!(lines("a\nb"), [2]);
        assert_eq!(lines(""), [0_usize; 0]);
    }
}
