//! The two that CI has, too.

use hermes::EraChoice;
use hermes::types::Revision;

use super::peer::{Peer, Sessions, Watch};
use crate::process::{Result, python, script};

pub(super) const TYPESCRIPT_1: Peer = Peer {
    name: "typescript-1, sessions, HTTP",
    command: || vec!["node".into(), script("http/typescript1.mjs"), "stateful".into()],
    era: EraChoice::Auto,
    revision: Revision::V2025_11_25,
    sessions: Sessions::Counted,
    resumes: false,
    asks: true,
    streams: true,
    hears_cancellation: true,
    watch: Watch::Counter,
};

pub(super) const PYTHON_2: Peer = Peer {
    name: "python-2, modern, HTTP",
    command: || vec![python(), script("http/python2.py")],
    era: EraChoice::Auto,
    revision: Revision::V2026_07_28,
    sessions: Sessions::None,
    resumes: false,
    asks: true,
    streams: true,
    hears_cancellation: true,
    watch: Watch::Counter,
};

#[tokio::test]
async fn the_client_outlives_a_server_on_the_typescript_sdk_1() -> Result {
    TYPESCRIPT_1.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_server_on_the_python_sdk_2() -> Result {
    PYTHON_2.meet().await
}
