//! What handlers know of the HTTP request that carried their call.

use std::net::{Ipv4Addr, SocketAddr};

use hermes_http::StreamableHttp;
use hermes_server::{Context, Extension, Http, Peer, Server, ToolError};
use hermes_testkit::raw::{RawError, Session, Target};
use http::Uri;
use serde_json::json;
use tokio::task::JoinSet;

use crate::client::{Client, LATEST, MODERN, text};

/// What a layer in front of the server has found out.
#[derive(Clone)]
struct Tenant(&'static str);

fn server() -> Server {
    Server::new("facts", "0.1.0").tool("facts", |(): (), ctx: Context| async move {
        let head: Http = ctx.extract().await?;
        let header = head.headers.get("x-colour").and_then(|value| value.to_str().ok()).unwrap_or("none");
        let Extension(Tenant(tenant)) = ctx.extract().await?;
        let Peer(peer) = ctx.extract().await?;
        // The values of headers are nobody's business.
        assert!(!format!("{head:?}").contains("blue"));
        Ok::<_, ToolError>(format!(
            "{header} {} {tenant} {}",
            head.uri.query().unwrap_or_default(),
            peer.port()
        ))
    })
}

#[tokio::test(start_paused = true)]
async fn each_call_knows_its_own_request_and_no_other() {
    let service = StreamableHttp::new(server()).service();
    for revision in [LATEST, MODERN] {
        let client = Client::open(&service, revision).await;
        for (id, colour, tenant) in [(1, "blue", "acme"), (2, "red", "initech")] {
            let port = 4000 + u16::try_from(id).expect("small");
            let call = client.call(id, "facts", json!({}));
            let answer = client.post_changed(&call, |request| {
                request.headers_mut().insert("x-colour", colour.parse().expect("a header"));
                *request.uri_mut() = Uri::try_from(format!("/mcp?n={id}")).expect("a URI");
                request.extensions_mut().insert(Tenant(tenant));
                request.extensions_mut().insert(Peer(SocketAddr::from((Ipv4Addr::LOCALHOST, port))));
            });
            let response = answer.await.response().await;
            assert_eq!(text(&response), format!("{colour} n={id} {tenant} {port}"));
        }
        // What one request brought is not there for the next.
        let response = client.post(&client.call(3, "facts", json!({}))).await.response().await;
        assert_eq!(response["error"]["code"], -32603, "{response}");
    }
}

#[tokio::test]
async fn a_server_that_listens_knows_where_a_call_comes_from() -> Result<(), RawError> {
    let server = Server::new("peer", "0.1.0").tool("peer", |(): (), ctx: Context| async move {
        Ok::<_, ToolError>(ctx.peer().ok_or("unknown")?.to_string())
    });
    let bound = StreamableHttp::new(server).bind("127.0.0.1:0").await.expect("a free port");
    let target = Target::parse(&bound.url()).expect("an endpoint");
    let mut serving = JoinSet::new();
    serving.spawn(bound.serve(std::future::pending()));
    let session = Session::open(&target, LATEST).await?;
    let answer = session.ask(&session.call(1, "peer", json!({}))).await?;
    let peer: SocketAddr = text(&answer).parse().expect("an address");
    assert!(peer.ip().is_loopback() && peer != target.address);
    Ok(())
}
