//! How many messages the tests have held against the official schemas.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// A file to which every recorder of the testkit adds what it has judged, a line each: the test program, then how
/// many messages of clients and of servers.
#[derive(Debug)]
pub struct Tally {
    file: PathBuf,
}

impl Tally {
    /// An empty tally.
    ///
    /// # Errors
    ///
    /// The one of an earlier run cannot be removed.
    pub fn begin(workspace: &Workspace) -> Result<Self> {
        let file = workspace.target().join("judged.tsv");
        match fs::remove_file(&file) {
            Err(source) if source.kind() != ErrorKind::NotFound => Err(Error::File { path: file, source }),
            _ => Ok(Self { file }),
        }
    }

    /// The variable by which the tests find it.
    #[must_use]
    pub fn variable(&self) -> [(&'static str, PathBuf); 1] {
        [("MCP_JUDGED", self.file.clone())]
    }

    /// The sums, one line for each test program, in words.
    ///
    /// # Errors
    ///
    /// It cannot be read.
    pub fn read(&self) -> Result<String> {
        match fs::read_to_string(&self.file) {
            Ok(lines) => Ok(sums(&lines)),
            Err(source) if source.kind() == ErrorKind::NotFound => Ok(sums("")),
            Err(source) => Err(Error::File { path: self.file.clone(), source }),
        }
    }
}

fn sums(lines: &str) -> String {
    let mut programs: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for line in lines.lines() {
        let mut fields = line.split('\t');
        let name = fields.next().unwrap_or_default();
        let mut count = || fields.next().and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
        // Behind the last hyphen stands what cargo tells builds apart by.
        let name = name.rsplit_once('-').map_or(name, |(name, _)| name);
        let sum = programs.entry(name).or_default();
        *sum = (sum.0 + count(), sum.1 + count());
    }
    let (client, server) = programs.values().fold((0, 0), |sum, it| (sum.0 + it.0, sum.1 + it.1));
    let mut text = format!(
        "messages held against the official schemas: {} ({client} of clients, {server} of servers)",
        client + server
    );
    for (name, (client, server)) in programs.iter().filter(|(_, (client, server))| client + server > 0) {
        let _ = write!(text, "\n  {name}: {client} of clients, {server} of servers");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_one_program_are_added_up() {
        let told = sums("cli-1a\t2\t3\nask-2b\t0\t7\ncli-1a\t1\t0\nquiet-3c\t0\t0\n");
        assert_eq!(
            told,
            "messages held against the official schemas: 13 (3 of clients, 10 of servers)\n  \
             ask: 0 of clients, 7 of servers\n  cli: 3 of clients, 3 of servers"
        );
        assert_eq!(sums(""), "messages held against the official schemas: 0 (0 of clients, 0 of servers)");
    }
}
