//! The grid of what was tried with which foreign peer.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, Result, at};
use crate::workspace::Workspace;

/// How many columns a line of the grid has at most.
const WIDTH: usize = 110;

/// A file in which tests note what they tried, one JSON object a line.
#[derive(Debug)]
pub struct Grid {
    path: PathBuf,
}

/// One line of the file.
#[derive(Debug, Deserialize)]
struct Cell {
    role: String,
    peer: String,
    what: String,
    passed: bool,
    ms: u64,
}

/// What came of one thing that was tried, however often.
#[derive(Debug)]
struct Outcome {
    passed: bool,
    ms: u64,
}

impl Grid {
    /// An empty grid.
    ///
    /// # Errors
    ///
    /// When the file of an earlier run cannot be removed.
    pub fn begin(workspace: &Workspace) -> Result<Self> {
        let path = workspace.target().join("peers-grid.jsonl");
        if path.exists() {
            fs::remove_file(&path).map_err(at(&path))?;
        }
        Ok(Self { path })
    }

    /// The file; tests find it in `HERMES_PEERS_GRID`.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The grid as text: for each peer and role what passed and what failed, with its time.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or a line is no cell.
    pub fn read(&self) -> Result<String> {
        if !self.path.exists() {
            return Ok("\nno peer was tried".to_owned());
        }
        let text = fs::read_to_string(&self.path).map_err(at(&self.path))?;
        let cells: Vec<Cell> = text
            .lines()
            .map(serde_json::from_str)
            .collect::<serde_json::Result<_>>()
            .map_err(|source| Error::Grid { path: self.path.clone(), source })?;
        Ok(show(cells))
    }
}

fn show(cells: Vec<Cell>) -> String {
    let mut peers: BTreeMap<(String, String), Vec<(String, Outcome)>> = BTreeMap::new();
    for Cell { role, peer, what, passed, ms } in cells {
        let row = peers.entry((role, peer)).or_default();
        match row.iter_mut().find(|(name, _)| *name == what) {
            Some((_, outcome)) => {
                outcome.passed &= passed;
                outcome.ms += ms;
            }
            None => row.push((what, Outcome { passed, ms })),
        }
    }
    let mut grid = format!("\n{:<7} {:<36} {:>7} {:>7} {:>8}\n", "role", "peer", "ok", "failed", "time");
    for ((role, peer), row) in peers {
        let failed = row.iter().filter(|(_, outcome)| !outcome.passed).count();
        let ms: u64 = row.iter().map(|(_, outcome)| outcome.ms).sum();
        let ok = row.len() - failed;
        let _ = writeln!(grid, "{role:<7} {peer:<36} {ok:>7} {failed:>7} {ms:>5} ms");
        let mut line = String::new();
        for (what, Outcome { passed, ms }) in row {
            let verdict = if passed { "ok" } else { "FAILED" };
            let item = format!("{what} {verdict} {ms} ms");
            if !line.is_empty() && line.len() + item.len() > WIDTH {
                let _ = writeln!(grid, "        {line}");
                line.clear();
            }
            let _ = write!(line, "{}{item}", if line.is_empty() { "" } else { ", " });
        }
        let _ = writeln!(grid, "        {line}");
    }
    grid
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(peer: &str, what: &str, passed: bool) -> Cell {
        Cell { role: "client".to_owned(), peer: peer.to_owned(), what: what.to_owned(), passed, ms: 2 }
    }

    #[test]
    fn what_failed_once_has_failed_and_times_add_up() {
        let shown = show(vec![
            cell("b", "tools", true),
            cell("b", "tools", false),
            cell("a", "tools", true),
            cell("b", "roots", true),
        ]);
        let lines: Vec<Vec<&str>> =
            shown.lines().skip(2).map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["client", "a", "1", "0", "2", "ms"]);
        assert_eq!(lines[1], ["tools", "ok", "2", "ms"]);
        assert_eq!(lines[2], ["client", "b", "1", "1", "6", "ms"]);
        assert_eq!(lines[3], ["tools", "FAILED", "4", "ms,", "roots", "ok", "2", "ms"]);
    }
}
