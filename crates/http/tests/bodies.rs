//! How a body is written is its sender's choice.

use bytes::Bytes;
use hermes_http::StreamableHttp;
use hermes_server::{Context, Server};
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

#[tokio::test]
async fn a_body_may_be_printed_over_several_lines() {
    let server = Server::new("test", "1").tool("greet", |(): (), _: Context| async { "Hello" });
    let service = StreamableHttp::new(server).service();
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "greet", "_meta": meta },
    });
    for line_end in ["\n", "\r\n"] {
        let printed = format!("{call:#}\n").replace('\n', line_end);
        assert!(printed.lines().count() > 10);
        let request = Request::post("http://localhost/mcp")
            .header("Host", "localhost")
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", "2026-07-28")
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", "greet")
            .body(Full::new(Bytes::from(printed)))
            .expect("a request");
        let answer = service.answer(request).await;
        assert_eq!(answer.status(), StatusCode::OK);
        let body = answer.into_body().collect().await.expect("a body").to_bytes();
        let body: Value = serde_json::from_slice(&body).expect("JSON");
        assert_eq!(body["result"]["content"], json!([{ "type": "text", "text": "Hello" }]));
    }
}
