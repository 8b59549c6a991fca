//! The files of `spec/`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use super::row::{Number, Row};
use crate::finding::Finding;
use crate::source::Source;

/// One row with the place where it stands.
#[derive(Debug)]
pub(crate) struct Entry {
    /// The file's name: what is shown or not is counted by area.
    pub(crate) area: String,
    /// The table in the file.
    pub(crate) topic: String,
    /// The file, relative to the workspace.
    pub(crate) path: PathBuf,
    /// The line, from 1.
    pub(crate) line: usize,
    /// What stands there.
    pub(crate) row: Row,
}

/// Whether the file is an area of the ledger: `spec/*.toml`.
fn is_area(source: &Source) -> bool {
    source.path.parent().is_some_and(|folder| folder.as_os_str() == "spec") && source.has_extension("toml")
}

/// All rows by number. A file that cannot be read and a number that is there twice are findings.
pub(crate) fn read(sources: &[Source], findings: &mut Vec<Finding>) -> BTreeMap<Number, Entry> {
    let mut entries: BTreeMap<Number, Entry> = BTreeMap::new();
    for source in sources.iter().filter(|source| is_area(source)) {
        let topics: BTreeMap<String, BTreeMap<Number, Row>> = match toml::from_str(&source.text) {
            Ok(topics) => topics,
            Err(error) => {
                let line = line_at(&source.text, error.span());
                findings.push(Finding::error("ledger", &source.path, line, error.message().to_owned()));
                continue;
            }
        };
        let area = source.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        for (topic, rows) in topics {
            for (number, row) in rows {
                let entry = Entry {
                    area: area.clone(),
                    topic: topic.clone(),
                    path: source.path.clone(),
                    line: line_of(&source.text, &topic, number),
                    row,
                };
                if let Some(twin) = entries.get(&number) {
                    let (file, line) = (twin.path.display(), twin.line);
                    let message = format!("{number} stands already in {file}:{line}: a number is given once");
                    findings.push(Finding::error("ledger", &entry.path, entry.line, message));
                } else {
                    entries.insert(number, entry);
                }
            }
        }
    }
    entries
}

/// The line, from 1, in which a span of bytes starts; 0 without one.
fn line_at(text: &str, span: Option<Range<usize>>) -> usize {
    span.and_then(|span| text.get(..span.start)).map_or(0, |before| before.matches('\n').count() + 1)
}

/// The line, from 1, of a row in its table.
fn line_of(text: &str, topic: &str, number: Number) -> usize {
    let table = format!("[{topic}]");
    let key = format!("{number} ");
    (1..)
        .zip(text.lines())
        .skip_while(|(_, line)| *line != table)
        .find(|(_, line)| line.starts_with(&key))
        .map_or(0, |(line, _)| line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "{ side = \"both\", level = \"must not\", revisions = \"all\", rule = \"x\" }";

    fn findings(files: &[(&str, String)]) -> Vec<String> {
        let sources: Vec<Source> =
            files.iter().map(|(path, text)| Source { path: path.into(), text: text.clone() }).collect();
        let mut findings = Vec::new();
        read(&sources, &mut findings);
        findings.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_knows_its_area_its_topic_and_its_line() {
        let text = format!("# words\n\n[ids]\nR002 = {ROW}\n");
        let source = Source { path: "spec/core.toml".into(), text };
        let mut findings = Vec::new();
        let entries = read(&[source], &mut findings);
        let (number, entry) = entries.first_key_value().unwrap();
        assert_eq!(findings, []);
        assert_eq!(
            (number.to_string(), entry.area.as_str(), entry.topic.as_str(), entry.line),
            ("R002".to_owned(), "core", "ids", 4)
        );
    }

    #[test]
    fn a_number_is_given_once_over_all_files() {
        let twice = [
            ("spec/a.toml", format!("[x]\nR001 = {ROW}\n")),
            ("spec/b.toml", format!("[x]\nR002 = {ROW}\n\n[y]\nR001 = {ROW}\n")),
        ];
        let expected =
            "error: spec/b.toml:5: [ledger] R001 stands already in spec/a.toml:2: a number is given once";
        assert_eq!(findings(&twice), [expected]);
        let twice = [("spec/a.toml", format!("[x]\nR001 = {ROW}\nR001 = {ROW}\n"))];
        assert_eq!(findings(&twice), ["error: spec/a.toml:3: [ledger] duplicate key"]);
    }

    #[test]
    fn a_misspelt_member_or_number_is_found_where_it_stands() {
        let text = format!("[x]\nR001 = {ROW}\nR002 = {}\n", ROW.replace("rule", "rules"));
        let found = findings(&[("spec/a.toml", text)]);
        assert!(found[0].starts_with("error: spec/a.toml:3: [ledger] unknown field `rules`"), "{found:?}");
        let found = findings(&[("spec/a.toml", format!("[x]\nR1 = {ROW}\n"))]);
        assert!(found[0].starts_with("error: spec/a.toml:2: [ledger] `R1` names no row"), "{found:?}");
    }
}
