//! The others, and the other ways to speak to them.

use hermes::EraChoice;
use hermes::types::Revision;

use super::peer::{Peer, Sessions, Watch};
use super::two::{PYTHON_2, TYPESCRIPT_1};
use crate::process::{Result, peers, script};

const TYPESCRIPT_1_STATELESS: Peer = Peer {
    name: "typescript-1, stateless, HTTP",
    command: || vec!["node".into(), script("http/typescript1.mjs"), "stateless".into()],
    sessions: Sessions::None,
    asks: false,
    hears_cancellation: false,
    watch: Watch::Silent,
    ..TYPESCRIPT_1
};

const TYPESCRIPT_1_JSON: Peer = Peer {
    name: "typescript-1, JSON, HTTP",
    command: || vec!["node".into(), script("http/typescript1.mjs"), "json".into()],
    streams: false,
    ..TYPESCRIPT_1
};

pub(super) const TYPESCRIPT_2: Peer = Peer {
    name: "typescript-2, modern, HTTP",
    command: || vec!["node".into(), script("http/typescript2.mjs")],
    ..PYTHON_2
};

pub(super) const FASTMCP_4: Peer = Peer {
    name: "fastmcp-4, modern, HTTP",
    command: || vec![peers().join("more/venv/bin/python"), script("http/fastmcp4.py")],
    watch: Watch::Nothing,
    ..PYTHON_2
};

pub(super) const RMCP: Peer = Peer {
    name: "rmcp, modern, HTTP",
    command: || vec![peers().join("rmcp/debug/hermes-peer-rmcp-http")],
    ..PYTHON_2
};

/// The same server in the legacy era, with sessions.
pub(super) const fn legacy(peer: Peer, name: &'static str) -> Peer {
    Peer {
        name,
        era: EraChoice::Legacy,
        revision: Revision::V2025_11_25,
        sessions: Sessions::Counted,
        ..peer
    }
}

#[tokio::test]
async fn the_client_outlives_a_stateless_server_on_the_typescript_sdk_1() -> Result {
    TYPESCRIPT_1_STATELESS.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_server_on_the_typescript_sdk_1_that_answers_in_json() -> Result {
    TYPESCRIPT_1_JSON.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_modern_server_on_the_typescript_sdk_2() -> Result {
    TYPESCRIPT_2.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_legacy_server_on_the_typescript_sdk_2() -> Result {
    let peer = legacy(TYPESCRIPT_2, "typescript-2, legacy, HTTP");
    let stateless = Peer { sessions: Sessions::None, asks: false, hears_cancellation: false, ..peer };
    Peer { watch: Watch::Silent, ..stateless }.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_legacy_server_on_the_python_sdk_2() -> Result {
    legacy(PYTHON_2, "python-2, legacy, HTTP").meet().await
}

#[tokio::test]
async fn the_client_outlives_a_modern_server_on_fastmcp_4() -> Result {
    FASTMCP_4.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_legacy_server_on_fastmcp_4() -> Result {
    let peer = legacy(FASTMCP_4, "fastmcp-4, legacy, HTTP");
    Peer { sessions: Sessions::Uncounted, watch: Watch::Tools, ..peer }.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_modern_server_on_rmcp() -> Result {
    RMCP.meet().await
}

#[tokio::test]
async fn the_client_outlives_a_legacy_server_on_rmcp() -> Result {
    Peer { resumes: true, ..legacy(RMCP, "rmcp, legacy, HTTP") }.meet().await
}
