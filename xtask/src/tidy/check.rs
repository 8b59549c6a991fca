//! All rules over the whole workspace.

use super::{arrows, links, manifest, packed, rust, troubles, words};
use crate::error::{Error, Result};
use crate::finding::{Finding, Severity};
use crate::stage::say;
use crate::workspace::{Workspace, root};
use crate::{ledger, llms, parity, source};

/// Applies every rule and returns what was found, errors first.
///
/// # Errors
///
/// When a file cannot be read.
pub fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut findings = arrows::check(workspace);
    let sources = source::read(root())?;
    for source in &sources {
        findings.extend(rust::check(source));
        findings.extend(manifest::check(source));
        findings.extend(packed::check(source));
        findings.extend(words::check(source));
    }
    findings.extend(packed::licences(&sources, root()));
    findings.extend(ledger::check(&sources));
    findings.extend(parity::check(&sources));
    findings.extend(links::check(&sources, root()));
    findings.extend(llms::check(&sources));
    findings.extend(troubles::check(&sources));
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
