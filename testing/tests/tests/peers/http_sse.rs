//! Clients of HTTP+SSE, the transport of 2024-11-05, that nobody here wrote.

use hermes::types::Era;
use serde_json::json;

use crate::facts::Facts;
use crate::http::server::Server;
use crate::process::{Result, demo, peers, run, script};

#[tokio::test]
async fn the_python_client_1_drives_the_demo_server_over_http_sse() -> Result {
    let server = Server::start("sse-python-1", demo(&[])?).await?;
    let python = peers().join("python-1/venv/bin/python");
    let ran = run(python, [script("python1.py"), server.url("/sse").into()])?;
    Facts::of(Era::Legacy).assert_seen_by("mcp 1, HTTP+SSE", ran)
}

#[tokio::test]
async fn the_typescript_client_1_drives_the_demo_server_over_http_sse() -> Result {
    let server = Server::start("sse-typescript-1", demo(&[])?).await?;
    let ran = run("node", [script("typescript1.mjs"), server.url("/sse").into()])?;
    Facts::of(Era::Legacy)
        .but("cancellation", "ended", "MCP error -32001: no longer wanted")
        .assert_seen_by("@modelcontextprotocol/sdk, HTTP+SSE", ran)
}

#[tokio::test]
async fn a_stream_of_the_python_client_1_is_cut_and_its_calls_end_with_it() -> Result {
    let server = Server::start("sse-cut", demo(&[])?).await?;
    let python = peers().join("python-1/venv/bin/python");
    let ran = run(python, [script("http_sse/cut.py"), server.url("/sse").into()])?;
    Facts::new([
        (
            "cut",
            json!({
                "running": { "started": 1, "done": 0, "cancelled": 0 },
                "gone": { "started": 1, "done": 0, "cancelled": 1 },
                "status": 404,
                "id": 1,
            }),
        ),
        ("broken", json!({ "status": 400, "code": -32700, "echo": "still here" })),
    ])
    .assert_seen_by("mcp 1, HTTP+SSE", ran)
}
