//! The server behind nginx, as an operator would run it.

use crate::error::Result;
use crate::process::{cargo, run};
use crate::test;
use crate::workspace::root;

/// Runs the conversations that go through nginx.
///
/// # Errors
///
/// When nginx is not installed, the build fails, or a conversation does.
pub fn nginx() -> Result<()> {
    let hermes = test::hermes()?;
    let mut command = cargo();
    command.current_dir(root()).env("HERMES_BIN", hermes);
    run(command.args([
        "test",
        "--package",
        "mcp-hermes-tests",
        "--features",
        "nginx",
        "--test",
        "http",
        "proxies::",
    ]))
}
