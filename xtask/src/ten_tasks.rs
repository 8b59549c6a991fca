//! The ten small programs of `examples/ten-tasks` in the other toolkits, judged by the tests of ours.

use crate::error::Result;
use crate::peers;
use crate::process::{cargo, run};
use crate::stage::Stages;
use crate::workspace::{Workspace, root};

/// The variable by which the tests find the programs of another toolkit.
const PROGRAMS: &str = "TEN_TASKS";

/// The one that says its port in a way of its own.
const OVER_HTTP: &str = "a_server_over_http_says_where_it_is";

/// Builds the programs on the Rust SDK, installs FastMCP, and has the tests of ours judge the programs of all three.
///
/// # Errors
///
/// When cargo cannot describe the workspace. A failed stage is noted in `stages` and does not stop the others.
pub fn ten_tasks(stages: &mut Stages) -> Result<()> {
    let target = Workspace::read()?.target();
    stages.run("hermes", || judge(None, &[]));
    stages.run("rmcp", || {
        let programs = target.join("ten-tasks");
        peers::build_rust(&programs, &root().join("examples/ten-tasks/rmcp"))?;
        judge(Some(programs.join("debug").display().to_string()), &[])
    });
    stages.run("fastmcp", || {
        let python = peers::more(&target, "more")?.join("venv/bin/python");
        let scripts = root().join("examples/ten-tasks/fastmcp");
        judge(Some(format!("{}:{}", python.display(), scripts.display())), &["--skip", OVER_HTTP])
    });
    Ok(())
}

/// Runs the tests, of our own programs or of others.
fn judge(others: Option<String>, options: &[&str]) -> Result<()> {
    let mut command = cargo();
    command
        .current_dir(root())
        .args(["test", "--package", "ten-tasks", "--test", "tasks", "--"])
        .args(options);
    if let Some(others) = others {
        command.env(PROGRAMS, others);
    }
    run(&mut command)
}
