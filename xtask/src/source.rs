//! The text files of the workspace.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::error::{Result, at};

/// What holds nothing written by hand, or inputs that are broken on purpose. In a second work tree `.git` is a file.
const SKIPPED: [&str; 4] = [".git", "node_modules", "seeds", "target"];

/// One text file.
#[derive(Debug)]
pub(crate) struct Source {
    /// Its path, relative to the workspace.
    pub(crate) path: PathBuf,
    /// Its content.
    pub(crate) text: String,
}

impl Source {
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        self.path.extension().is_some_and(|found| found == extension)
    }

    pub(crate) fn is_named(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.path.file_name().is_some_and(|found| found == *name))
    }

    /// Whether the file is source code of a crate that users get: `crates/*/src/**/*.rs`.
    pub(crate) fn is_shipped_code(&self) -> bool {
        let mut parts = self.path.components();
        let crates = parts.next() == Some(Component::Normal("crates".as_ref()));
        crates && parts.nth(1) == Some(Component::Normal("src".as_ref())) && self.has_extension("rs")
    }

    /// The lines before the file's own tests, with their numbers from 1; nothing for a file that is a test as a whole.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines: Vec<&str> = self.text.lines().collect();
        let whole =
            self.is_named(&["tests.rs"]) || self.path.components().any(|part| part.as_os_str() == "tests");
        let end = if whole { 0 } else { start_of_tests(&lines).unwrap_or(lines.len()) };
        lines.into_iter().take(end).enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// The index of a closing `#[cfg(test)] mod … {` block; tests stand last in a file.
fn start_of_tests(lines: &[&str]) -> Option<usize> {
    let start = lines.iter().rposition(|line| *line == "#[cfg(test)]")?;
    let module = lines.get(start..)?.iter().find(|line| !line.starts_with("#["))?;
    (module.starts_with("mod ") && module.ends_with('{')).then_some(start)
}

/// Reads every text file below `root`, sorted by path.
pub(crate) fn read(root: &Path) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(at(&folder))? {
            let entry = entry.map_err(at(&folder))?;
            if SKIPPED.iter().any(|name| entry.file_name() == *name) {
                continue;
            }
            let kind = entry.file_type().map_err(at(entry.path()))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                let bytes = fs::read(entry.path()).map_err(at(entry.path()))?;
                // What is not UTF-8 is an image or a sample of bad input, not text to judge.
                if let (Ok(text), Ok(path)) = (String::from_utf8(bytes), entry.path().strip_prefix(root)) {
                    sources.push(Source { path: path.to_owned(), text });
                }
            }
        }
    }
    sources.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(sources)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_at_the_end_do_not_count_as_code() {
        let text = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n".to_owned();
        let source = Source { path: "crates/x/src/a.rs".into(), text };
        assert_eq!(source.code().map(|(number, _)| number).collect::<Vec<_>>(), [1, 2]);
        assert!(source.is_shipped_code());
    }

    #[test]
    fn a_module_of_tests_in_its_own_file_leaves_the_code_whole() {
        let text = "#[cfg(test)]\nmod tests;\n\nfn a() {}\n".to_owned();
        assert_eq!(Source { path: "crates/x/src/a.rs".into(), text }.code().count(), 4);
        let text = "fn a() {}\n".to_owned();
        assert_eq!(Source { path: "crates/x/src/a/tests.rs".into(), text }.code().count(), 0);
    }
}
