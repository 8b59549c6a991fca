//! Sessions of clients that something in front has authenticated: field bugs of kind B about who may use which.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use hermes::http::{Principal, StreamableHttp};
use hermes::{Server, ToolDef};
use hermes_testkit::raw::{RawError, Session, Target};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::{LATEST, LEGACY, refused, text};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// Takes a token for its owner: two are Ada's, one is Bob's.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let owner = match token {
        Some("Bearer ada-1" | "Bearer ada-2") => Some("ada"),
        Some("Bearer bob-1") => Some("bob"),
        _ => None,
    };
    if let Some(owner) = owner {
        request.extensions_mut().insert(Principal(owner.into()));
    }
    next.run(request).await
}

/// A server in a router of somebody else's, behind that.
async fn served() -> Result<(Target, JoinSet<()>), RawError> {
    let server = Server::new("principals", "0.1.0")
        .tool(ToolDef::new("echo").description("Sends a text back"), |Echo { text }, _| async move { text });
    let service = StreamableHttp::new(server).service();
    let router = axum::Router::new().route_service("/mcp", service).layer(from_fn(authenticate));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let target = Target::parse(&format!("http://{}/mcp", listener.local_addr()?)).expect("an endpoint");
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.expect("it serves until it is dropped") });
    Ok((target, tasks))
}

async fn session_of(target: &Target, token: &str) -> Result<Session, RawError> {
    let mut session = Session::stranger(target, LATEST).with_header("Authorization", token);
    session.greet().await?;
    Ok(session)
}

#[tokio::test]
async fn b017_a_session_survives_a_new_token_of_the_same_client_and_no_other() -> Result<(), RawError> {
    let (target, _serving) = served().await?;
    let ada = session_of(&target, "Bearer ada-1").await?;
    let call = ada.call(1, "echo", json!({ "text": "x" }));
    let refreshed = ada.with_header("Authorization", "Bearer ada-2");
    assert_eq!(text(&refreshed.ask(&call).await?), "x");
    let bob = ada.with_header("Authorization", "Bearer bob-1");
    let error = refused(bob.post(&call).await?, 404).await?;
    assert_eq!(error["error"]["data"]["reason"], "unknown", "nobody learns that there is such a session");
    assert_eq!(text(&ada.ask(&call).await?), "x");
    Ok(())
}

#[tokio::test]
async fn b018_nobody_else_can_use_read_or_end_a_session() -> Result<(), RawError> {
    let (target, _serving) = served().await?;
    let ada = session_of(&target, "Bearer ada-1").await?;
    let call = ada.call(1, "echo", json!({ "text": "x" }));
    let mut answer = ada.post_with(&call, &[("Accept", Some("text/event-stream"))]).await?;
    let cursor = answer.outcome().await?.ids.pop().expect("the result has an id");
    for other in [Some("Bearer bob-1"), Some("Bearer stolen"), None] {
        let other = match other {
            Some(token) => ada.with_header("Authorization", token),
            None => Session::stranger(&target, LATEST).with_id(ada.id()),
        };
        refused(other.post(&call).await?, 404).await?;
        refused(other.get(None).await?, 404).await?;
        refused(other.get(Some(&cursor)).await?, 404).await?;
        refused(other.delete().await?, 404).await?;
    }
    assert_eq!(text(&ada.ask(&call).await?), "x");
    Ok(())
}

#[tokio::test]
async fn the_service_is_a_guest_in_a_router_like_any_other() -> Result<(), RawError> {
    let (target, _serving) = served().await?;
    for revision in LEGACY {
        let session = Session::open(&target, revision).await?;
        let response = session.ask(&session.call(1, "echo", json!({ "text": "x" }))).await?;
        assert_eq!(text(&response), "x");
        session.delete().await?.body().await?;
    }
    Ok(())
}
