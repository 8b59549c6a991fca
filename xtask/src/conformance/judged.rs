//! What came of holding the server's messages against the official schemas.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use crate::error::{Result, at};
use crate::schemas;
use crate::workspace::Workspace;

/// A file to which the server adds a line for each of its messages: `judged`, or what is wrong with it.
#[derive(Debug)]
pub(super) struct Judged<'a> {
    workspace: &'a Workspace,
    file: PathBuf,
}

impl<'a> Judged<'a> {
    pub(super) fn new(workspace: &'a Workspace, file: PathBuf) -> Self {
        Self { workspace, file }
    }

    /// The variables by which the server finds the file and the schemas.
    pub(super) fn variables(&self) -> Vec<(&'static str, PathBuf)> {
        let schemas = schemas::variable(self.workspace);
        schemas.into_iter().chain([("CONFORMANCE_JUDGED", self.file.clone())]).collect()
    }

    /// How many messages were right, and what was wrong with the others.
    ///
    /// # Errors
    ///
    /// When the file cannot be read.
    pub(super) fn read(&self) -> Result<Verdict> {
        Ok(Verdict::of(&fs::read_to_string(&self.file).map_err(at(&self.file))?))
    }
}

/// The outcome.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Verdict {
    judged: usize,
    /// What was wrong, and how often.
    faults: BTreeMap<String, usize>,
}

impl Verdict {
    fn of(lines: &str) -> Self {
        let mut verdict = Self { judged: 0, faults: BTreeMap::new() };
        for line in lines.lines() {
            match line {
                "judged" => verdict.judged += 1,
                fault => *verdict.faults.entry(fault.to_owned()).or_default() += 1,
            }
        }
        verdict
    }

    /// How much is wrong.
    pub(super) fn faults(&self) -> usize {
        self.faults.len()
    }

    /// In words.
    pub(super) fn text(&self) -> String {
        let wrong: usize = self.faults.values().sum();
        let mut text = format!(
            "{} messages of the server fit the official schema of their revision, {wrong} do not\n",
            self.judged
        );
        for (fault, times) in &self.faults {
            let _ = writeln!(text, "  {times} times: {fault}");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_fault_is_told_once_with_its_number() {
        let verdict = Verdict::of("judged\nno such member: x\njudged\nno such member: x\n");
        assert_eq!(verdict.faults(), 1);
        assert_eq!(
            verdict.text(),
            "2 messages of the server fit the official schema of their revision, 2 do not\n  \
             2 times: no such member: x\n"
        );
    }
}
