//! The alert rules, as Prometheus reads them.

use std::process::Command;

use crate::error::Result;
use crate::process::run;
use crate::workspace::root;

/// Has Prometheus' own tool check the alert rules.
///
/// # Errors
///
/// When `promtool` is not installed, which comes with Prometheus (`apt-get install prometheus`), or finds a mistake.
pub fn promtool() -> Result<()> {
    run(Command::new("promtool").args(["check", "rules"]).arg(root().join("dashboards/alerts.yml")))
}
