//! Whether `docs/hermes-parity.md` says something in each row, and names only tests that exist.
//!
//! The page's index counts the rows of each chapter, and those to which something is still to come. A chapter is a
//! heading such as `## 1.3 Operations`; its rows are numbered `1.3.1`, `1.3.2` and so on without a gap, and may refer to
//! each other: `see 1.3.2`.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;
use crate::function;
use crate::source::Source;

/// The page.
const PAGE: &str = "docs/hermes-parity.md";
/// How a row begins its last cell when no test shows it, before the reason.
const REASONS: [&str; 3] = [TO_COME, "Left out:", "Nothing to run:"];
/// Such a row is open, and counted as such in the index.
const TO_COME: &str = "To come:";
/// A reason of fewer words says nothing.
const FEWEST_WORDS: usize = 6;

/// What is wrong with the page.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    let Some(page) = sources.iter().find(|source| source.path.as_os_str() == PAGE) else {
        return vec![Finding::error("parity", PAGE, 0, "there is no such page".to_owned())];
    };
    let tests: BTreeSet<&str> = sources.iter().flat_map(function::tests).collect();
    let mut reading = Reading::default();
    for (number, line) in (1..).zip(page.text.lines()) {
        reading.line = number;
        reading.names(line, &tests);
        reading.line(line);
    }
    reading.compare();
    reading.findings
}

/// How many rows a chapter has, and how many of them are open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    rows: usize,
    open: usize,
}

/// The page as far as it has been read.
#[derive(Default)]
struct Reading<'a> {
    line: usize,
    /// The chapter that is being read.
    chapter: Option<&'a str>,
    /// What the index says of each chapter, and where.
    promised: BTreeMap<&'a str, (usize, Count)>,
    /// What there is.
    counted: BTreeMap<&'a str, Count>,
    /// The rows and chapters that rows refer to, and where.
    references: Vec<(usize, &'a str)>,
    findings: Vec<Finding>,
}

impl<'a> Reading<'a> {
    fn complain(&mut self, message: String) {
        self.findings.push(Finding::error("parity", PAGE, self.line, message));
    }

    /// Whatever stands in backticks is a test.
    fn names(&mut self, line: &str, tests: &BTreeSet<&str>) {
        let parts: Vec<&str> = line.split('`').collect();
        if parts.len().is_multiple_of(2) {
            self.complain("a backtick without its other one".to_owned());
        }
        for name in parts.iter().skip(1).step_by(2).filter(|name| !tests.contains(*name)) {
            self.complain(format!(
                "no test is named `{name}`; on this page nothing else stands in backticks"
            ));
        }
    }

    fn line(&mut self, line: &'a str) {
        if let Some(title) = line.strip_prefix("## ") {
            self.chapter = title.split(' ').next().filter(|word| is_number(word));
            return;
        }
        let Some(row) = line.strip_prefix('|').and_then(|row| row.strip_suffix('|')) else { return };
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        if cells.iter().all(|cell| !cell.is_empty() && cell.chars().all(|sign| sign == '-')) {
            return;
        }
        if cells.iter().any(|cell| !cell.contains(char::is_alphanumeric)) {
            self.complain("an empty cell: say what there is, or why there is nothing".to_owned());
        }
        match (self.chapter, cells.as_slice()) {
            (None, [chapter, _, rows, open]) if is_number(chapter) => self.promise(chapter, rows, open),
            (Some(chapter), [number, _, here, shown]) if is_number(number) => {
                self.row(chapter, number, shown);
                self.references.extend(references(here).map(|target| (self.line, target)));
            }
            (None, _) | (Some(_), ["row", ..]) => {}
            (Some(_), _) => self.complain("a row has a number and four cells".to_owned()),
        }
    }

    fn promise(&mut self, chapter: &'a str, rows: &str, open: &str) {
        let (Ok(rows), Ok(open)) = (rows.parse(), open.parse()) else {
            return self.complain("the index counts the rows, and those that are to come".to_owned());
        };
        if self.promised.insert(chapter, (self.line, Count { rows, open })).is_some() {
            self.complain(format!("the index has {chapter} twice"));
        }
    }

    fn row(&mut self, chapter: &'a str, number: &str, shown: &str) {
        let count = self.counted.entry(chapter).or_default();
        count.rows += 1;
        count.open += usize::from(shown.contains(TO_COME));
        let expected = format!("{chapter}.{}", count.rows);
        if number != expected {
            self.complain(format!("row {number} stands where {expected} belongs"));
        }
        let reason = REASONS.iter().find_map(|opening| shown.strip_prefix(opening));
        match reason {
            None if !shown.contains('`') => self.complain(format!(
                "{number} names no test: name one, or begin with one of {} and give the reason",
                REASONS.join(" ")
            )),
            Some(reason) if reason.split_whitespace().count() < FEWEST_WORDS => {
                self.complain(format!("the reason of {number} says too little"));
            }
            _ => {}
        }
    }

    /// The index and the references against what there is.
    fn compare(&mut self) {
        for (line, target) in std::mem::take(&mut self.references) {
            if !self.has(target) {
                self.line = line;
                self.complain(format!("there is no row or chapter {target}"));
            }
        }
        let chapters: BTreeSet<&str> = self.promised.keys().chain(self.counted.keys()).copied().collect();
        for chapter in chapters {
            let (line, promised) = self.promised.get(chapter).copied().unwrap_or_default();
            let counted = self.counted.get(chapter).copied().unwrap_or_default();
            if promised != counted {
                self.line = line;
                self.complain(format!(
                    "{chapter} has {} rows, {} of them to come; the index says {} and {}",
                    counted.rows, counted.open, promised.rows, promised.open
                ));
            }
        }
    }

    /// Whether there is such a chapter or row.
    fn has(&self, target: &str) -> bool {
        let row = target.rsplit_once('.').and_then(|(chapter, row)| Some((chapter, row.parse().ok()?)));
        self.counted.contains_key(target)
            || row.is_some_and(|(chapter, row)| {
                self.counted.get(chapter).is_some_and(|count| (1..=count.rows).contains(&row))
            })
    }
}

/// What a cell refers to: `see 1.3.2`, `see 1.3.2 and 2.14`.
fn references(cell: &str) -> impl Iterator<Item = &str> {
    let mut refers = false;
    cell.split([' ', ',', ';']).filter(move |word| {
        let is_target = refers && is_number(word);
        refers = is_target || matches!(*word, "see" | "See") || refers && *word == "and";
        is_target
    })
}

/// Whether a word numbers a chapter or a row: `5`, `1.3`, `B.12`.
fn is_number(word: &str) -> bool {
    word.split('.').all(|part| {
        part.bytes().all(|byte| byte.is_ascii_digit()) && !part.is_empty()
            || matches!(part.as_bytes(), [letter] if letter.is_ascii_uppercase())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Page\n\n| chapter | what | rows | to come |\n|---|---|---|---|\n| 1.1 | Start | 2 | 1 |\n\n## 1.1 Start\n\n\
        | row | there | here | shown by |\n|---|---|---|---|\n\
        | 1.1.1 | a name | a name | `it_has_a_name` |\n\
        | 1.1.2 | a port | none yet | To come: a port comes with the next one |\n";

    fn found(page: &str) -> Vec<String> {
        let test = Source { path: "a.rs".into(), text: "#[test]\nfn it_has_a_name() {}\n".to_owned() };
        let page = Source { path: PAGE.into(), text: page.to_owned() };
        check(&[page, test]).iter().map(|finding| format!("{}: {}", finding.line, finding.message)).collect()
    }

    fn found_with(old: &str, new: &str) -> Vec<String> {
        assert!(GOOD.contains(old), "{old}");
        found(&GOOD.replace(old, new))
    }

    #[test]
    fn a_row_is_shown_by_a_test_or_says_why_not() {
        assert_eq!(found(GOOD), [""; 0]);
        assert_eq!(
            found_with("`it_has_a_name`", "in the code"),
            [
                "11: 1.1.1 names no test: name one, or begin with one of To come: Left out: Nothing to run: and give the reason"
            ]
        );
        assert_eq!(
            found_with("a port comes with the next one", "later"),
            ["12: the reason of 1.1.2 says too little"]
        );
    }

    #[test]
    fn only_tests_that_exist_stand_in_backticks() {
        let expected = "no test is named `it_has_no_name`; on this page nothing else stands in backticks";
        assert_eq!(found_with("`it_has_a_name`", "`it_has_no_name`"), [format!("11: {expected}")]);
        assert_eq!(
            found_with("# Page", "# `it_has_no_name`"),
            [format!("1: {expected}")],
            "outside of tables too"
        );
        assert_eq!(
            found_with("a port |", "a `port |").first().map(String::as_str),
            Some("12: a backtick without its other one")
        );
    }

    #[test]
    fn no_cell_is_empty() {
        let expected = ["12: an empty cell: say what there is, or why there is nothing"];
        assert_eq!(found_with("none yet", ""), expected);
        assert_eq!(found_with("none yet", "–"), expected);
    }

    #[test]
    fn no_row_is_taken_away() {
        let gone = GOOD.replace("| 1.1.1 | a name | a name | `it_has_a_name` |\n", "");
        assert_eq!(
            found(&gone),
            [
                "11: row 1.1.2 stands where 1.1.1 belongs",
                "5: 1.1 has 1 rows, 1 of them to come; the index says 2 and 1"
            ]
        );
        assert_eq!(
            found_with("| 1.1 | Start | 2 | 1 |\n", ""),
            ["0: 1.1 has 2 rows, 1 of them to come; the index says 0 and 0"]
        );
        assert_eq!(
            found_with("| none yet ", ""),
            [
                "11: a row has a number and four cells",
                "5: 1.1 has 1 rows, 0 of them to come; the index says 2 and 1"
            ]
            .map(|line| line.replace("11:", "12:"))
        );
    }

    #[test]
    fn a_row_refers_to_rows_and_chapters_that_there_are() {
        assert_eq!(found_with("none yet", "See 1.1.1 and 1.1; 2.0 is a version"), [""; 0]);
        assert_eq!(found_with("none yet", "As 1.1.1, see 1.1.3"), ["12: there is no row or chapter 1.1.3"]);
        assert_eq!(found_with("none yet", "See 1.1 and 2.1"), ["12: there is no row or chapter 2.1"]);
    }

    #[test]
    fn without_the_page_there_is_no_parity() {
        assert_eq!(check(&[]).len(), 1);
    }
}
