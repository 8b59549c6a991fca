//! Clients that nobody here wrote drive the demo server: those that CI has, too.

use hermes::types::Era;

use crate::facts::Facts;
use crate::process::{Result, python, run, script};
use crate::record::Record;

#[test]
fn the_typescript_client_1_drives_the_demo_server() -> Result {
    let record = Record::new("typescript-1")?;
    let ran = run("node", [script("typescript1.mjs"), record.folder.clone()])?;
    let ended = "MCP error -32001: no longer wanted";
    Facts::of(Era::Legacy)
        .but("cancellation", "ended", ended)
        .assert_seen_by("@modelcontextprotocol/sdk", ran)?;
    record.assert_legacy_conversation()
}

#[test]
fn the_python_client_2_drives_the_demo_server_in_the_modern_era() -> Result {
    let record = Record::new("python-2-modern")?;
    let ran = run(python(), [script("python2.py"), record.folder.clone(), "modern".into()])?;
    Facts::of(Era::Modern).assert_seen_by("mcp 2, modern", ran)?;
    record.assert_modern_conversation()
}
