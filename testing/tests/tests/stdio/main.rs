//! The program as a server over stdio: what it answers to good and to bad input, byte for byte.
//!
//! Every message it sends is held against the official schema of its revision.

mod bad_input;
mod eras;
mod every_revision;
mod field_bugs;
mod process;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use hermes::types::Revision;
use hermes_testkit::{Conversation, Peer};

/// The program under test: named by `HERMES_BIN`, or built beside this test.
fn hermes() -> PathBuf {
    if let Some(named) = std::env::var_os("HERMES_BIN") {
        return named.into();
    }
    let here = std::env::current_exe().expect("this test is a file");
    let beside = here.ancestors().nth(2).expect("target/<profile>/deps/<test>").join("hermes");
    assert!(beside.exists(), "{} is not built: run `cargo build -p mcp-hermes-cli`", beside.display());
    beside
}

/// The demo server, with all the logging that can be had.
fn demo() -> Peer {
    let mut command = Command::new(hermes());
    command.args(["demo", "--stdio"]).env("RUST_LOG", "trace").env("HERMES_LOG", "trace");
    Peer::run(&mut command).expect("the demo server starts")
}

/// Plays a script with a demo server of its own, which has to end with status 0 afterwards.
fn play(script: &str) {
    let script = Conversation::parse(script).expect("a script");
    run(&script);
}

/// Plays a script once per revision of the legacy era. `HELLO` stands for the handshake.
fn play_in_every_legacy_revision(script: &str) {
    for revision in Revision::LEGACY {
        let script = script.replace("HELLO", HELLO);
        let script = Conversation::parse_for(&script, revision).expect("a script");
        run(&script);
    }
}

fn run(script: &Conversation) {
    let mut peer = demo();
    if let Err(failure) = script.play(&mut peer) {
        panic!("{failure}");
    }
    peer.close();
    let (status, stderr) = peer.wait(Duration::from_secs(20)).expect("the server ends");
    assert_eq!(status.code(), Some(0), "{stderr}");
}

/// The handshake, of whatever revision.
const HELLO: &str = r#"
> {"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"$REVISION","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}
< {"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"$REVISION","...":"_"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// The handshake, of the newest legacy revision.
fn hello() -> String {
    HELLO.replace("$REVISION", Revision::LATEST_LEGACY.as_str())
}

/// `_meta` of a modern request whose client can do nothing special.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;
