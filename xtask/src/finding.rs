//! What a rule has to say.

use std::fmt;
use std::path::PathBuf;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub enum Severity {
    /// The gate fails.
    Error,
    /// Said, and left to judgement.
    Warning,
}

/// One place that breaks one rule.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The file, relative to the workspace.
    pub path: PathBuf,
    /// The line, from 1; 0 if the finding is about the whole file.
    pub line: usize,
    /// The rule's name.
    pub rule: &'static str,
    /// What is wrong and what to do.
    pub message: String,
}

impl Finding {
    pub(crate) fn error(rule: &'static str, path: impl Into<PathBuf>, line: usize, message: String) -> Self {
        Self { severity: Severity::Error, path: path.into(), line, rule, message }
    }

    pub(crate) fn warning(rule: &'static str, path: impl Into<PathBuf>, message: String) -> Self {
        Self { severity: Severity::Warning, path: path.into(), line: 0, rule, message }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity}: {}", self.path.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        write!(f, ": [{}] {}", self.rule, self.message)
    }
}
