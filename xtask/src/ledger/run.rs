//! The task.

use super::row::Number;
use super::{check, report};
use crate::error::{Error, Result};
use crate::source;
use crate::stage::say;
use crate::workspace::root;

/// Prints the table of all rows, those that no test shows, or one row with its tests; then what does not fit.
///
/// # Errors
///
/// [`Error::NoRow`] if the ledger has no such row, [`Error::Untidy`] if rows and tests do not fit.
pub fn run(with_missing: bool, row: Option<Number>) -> Result<()> {
    let ledger = check::read(&source::read(root())?);
    let text = match row {
        Some(number) => report::row(&ledger, number).ok_or(Error::NoRow(number))?,
        None if with_missing => format!("{}{}", report::missing(&ledger), report::table(&ledger)),
        None => report::table(&ledger),
    };
    say(text.trim_end());
    for finding in &ledger.findings {
        say(&finding.to_string());
    }
    if ledger.findings.is_empty() { Ok(()) } else { Err(Error::Untidy(ledger.findings.len())) }
}
