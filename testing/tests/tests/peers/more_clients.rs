//! More clients that nobody here wrote, and the other eras of those that CI has.

use std::path::PathBuf;

use hermes::types::Era;

use crate::facts::Facts;
use crate::process::{Result, peers, python, run, script};
use crate::record::Record;

#[test]
fn the_typescript_client_2_drives_the_demo_server_in_the_legacy_era() -> Result {
    let record = Record::new("typescript-2-legacy")?;
    let ran = run("node", [script("typescript2.mjs"), record.folder.clone(), "legacy".into()])?;
    // The SDK tells a missing resource with the modern era's code in both; on the wire it is -32002.
    Facts::of(Era::Legacy)
        .but("resources", "unknown", -32602)
        .but("cancellation", "ended", "no longer wanted")
        .assert_seen_by("@modelcontextprotocol/client, legacy", ran)?;
    let codes: Vec<i64> =
        record.answers()?.iter().filter_map(|answer| answer["error"]["code"].as_i64()).collect();
    assert_eq!(codes, [-32602, -32002, -32602, -32602]);
    record.assert_legacy_conversation()
}

#[test]
fn the_typescript_client_2_drives_the_demo_server_in_the_modern_era() -> Result {
    let record = Record::new("typescript-2-modern")?;
    let ran = run("node", [script("typescript2.mjs"), record.folder.clone(), "modern".into()])?;
    Facts::of(Era::Modern)
        .but("cancellation", "ended", "no longer wanted")
        .assert_seen_by("@modelcontextprotocol/client, modern", ran)?;
    record.assert_modern_conversation()
}

#[test]
fn the_python_client_1_drives_the_demo_server() -> Result {
    let record = Record::new("python-1")?;
    let python = peers().join("python-1/venv/bin/python");
    let ran = run(python, [script("python1.py"), record.folder.clone()])?;
    Facts::of(Era::Legacy).assert_seen_by("mcp 1", ran)?;
    record.assert_legacy_conversation()
}

#[test]
fn the_python_client_2_drives_the_demo_server_in_the_legacy_era() -> Result {
    let record = Record::new("python-2-legacy")?;
    let ran = run(python(), [script("python2.py"), record.folder.clone(), "legacy".into()])?;
    Facts::of(Era::Legacy).assert_seen_by("mcp 2, legacy", ran)?;
    record.assert_legacy_conversation()
}

#[test]
fn the_rust_client_drives_the_demo_server_in_the_legacy_era() -> Result {
    let record = Record::new("rmcp-legacy")?;
    let ran = run(rmcp(), [script("record.sh"), record.folder.clone(), "legacy".into()])?;
    Facts::of(Era::Legacy).assert_seen_by("rmcp, legacy", ran)?;
    record.assert_legacy_conversation()
}

#[test]
fn the_rust_client_drives_the_demo_server_in_the_modern_era() -> Result {
    let record = Record::new("rmcp-modern")?;
    let ran = run(rmcp(), [script("record.sh"), record.folder.clone(), "modern".into()])?;
    Facts::of(Era::Modern).assert_seen_by("rmcp, modern", ran)?;
    record.assert_modern_conversation()
}

/// The program that was built of `testing/tests/peers/rmcp`.
fn rmcp() -> PathBuf {
    peers().join("rmcp/debug/hermes-peer-rmcp")
}
