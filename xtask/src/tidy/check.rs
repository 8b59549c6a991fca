//! All rules over the whole workspace.

use super::finding::{Finding, Severity};
use super::{arrows, links, manifest, rust, source, words};
use crate::error::{Error, Result};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// Applies every rule and returns what was found, errors first.
///
/// # Errors
///
/// When a file cannot be read.
pub fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut findings = arrows::check(workspace);
    for source in source::read(root())? {
        findings.extend(rust::check(&source));
        findings.extend(links::check(&source, root()));
        findings.extend(manifest::check(&source));
        findings.extend(words::check(&source));
    }
    findings.sort();
    Ok(findings)
}

/// Applies every rule and prints what was found.
///
/// # Errors
///
/// [`Error::Untidy`] if a finding is more than a warning.
pub fn run(workspace: &Workspace) -> Result<()> {
    let findings = check(workspace)?;
    for finding in &findings {
        say(&finding.to_string());
    }
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    if errors > 0 { Err(Error::Untidy(errors)) } else { Ok(()) }
}
