//! Clients that something in front has authenticated: a connection is its principal's, and nobody else's.

use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use hermes::EraChoice;
use hermes::http::{Principal, StreamableHttp};
use hermes::prelude::*;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::wire::{INITIALIZE, INITIALIZED, Stream, Wire, post};
use crate::{Outcome, server};

const ADA: &str = "Authorization: Bearer ada-1";
const ADA_LATER: &str = "Authorization: Bearer ada-2";
const BOB: &str = "Authorization: Bearer bob-1";

/// A token says whose it is, and which one.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let owner = token.and_then(|token| token.strip_prefix("Bearer ")?.split_once('-'));
    if let Some(principal) = owner.map(|(owner, _)| Principal(owner.into())) {
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

/// All transports in a router of somebody else's, behind that: the address.
async fn served() -> Outcome<(String, JoinSet<()>)> {
    let service = StreamableHttp::new(server()).websockets().service();
    let router = axum::Router::new()
        .route_service("/sse", service.http_sse())
        .route_service("/mcp", service)
        .layer(from_fn(authenticate));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?.to_string();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { axum::serve(listener, router).await.expect("it serves until it is dropped") });
    Ok((address, tasks))
}

fn call(id: i64, tool: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } }).to_string()
}

#[tokio::test]
async fn whoever_opens_a_connection_is_known_to_every_call_on_it() -> Outcome {
    let (address, _serving) = served().await?;
    for (url, eras) in [
        (format!("http://{address}/sse"), &[EraChoice::Legacy][..]),
        (format!("ws://{address}/mcp"), &[EraChoice::Legacy, EraChoice::Modern]),
        (format!("http://{address}/mcp"), &[EraChoice::Legacy, EraChoice::Modern]),
    ] {
        for era in eras {
            for (token, expected) in
                [(Some("Bearer ada-1"), "ada"), (Some("Bearer bob-1"), "bob"), (None, "nobody")]
            {
                let builder = Client::builder().era(*era);
                let builder =
                    token.into_iter().fold(builder, |builder, token| builder.header("Authorization", token));
                let client = builder.connect(&url).await?;
                let owner: String = client.call("whoami", ()).await?.read()?;
                assert_eq!(owner, expected, "{url} {era:?}");
                client.close().await;
            }
        }
    }
    Ok(())
}

#[tokio::test]
async fn nobody_else_says_anything_on_somebodys_stream_of_http_sse() -> Outcome {
    let (address, _serving) = served().await?;
    let mut ada = Stream::open_with(&address, &[ADA]).await?;
    let mut anonymous = Stream::open(&address).await?;
    for (stream, own, others) in [
        (&mut ada, &[ADA, ADA_LATER][..], &[&[BOB][..], &["Authorization: Bearer stolen"], &[]][..]),
        (&mut anonymous, &[""], &[&[ADA][..], &[BOB]]),
    ] {
        let place = stream.place.clone();
        let own = |at: usize| own.get(at).copied().filter(|header| !header.is_empty());
        let headers: Vec<&str> = own(0).into_iter().collect();
        for message in [INITIALIZE, INITIALIZED] {
            assert_eq!(post(&address, &place, &headers, message).await?.0, 202);
        }
        assert!(stream.event("data: ").await?.contains("protocolVersion"));
        for other in others {
            let (status, body) = post(&address, &place, other, &call(7, "whoami")).await?;
            let error: Value = serde_json::from_str(&body)?;
            assert_eq!((status, &error["id"]), (404, &json!(7)), "{other:?}");
            assert_eq!(
                error["error"]["data"]["reason"], "unknown",
                "nobody learns that there is such a stream"
            );
        }
        // A token that was renewed is the same owner's. Nothing of the others' was run: this answer is the first.
        let renewed: Vec<&str> = own(1).or_else(|| own(0)).into_iter().collect();
        assert_eq!(post(&address, &place, &renewed, &call(8, "whoami")).await?.0, 202);
        let answer: Value = serde_json::from_str(&stream.event("data: ").await?)?;
        assert_eq!(answer["id"], 8, "{answer}");
    }
    Ok(())
}

// spec: R085
#[tokio::test]
async fn what_somebody_was_asked_over_a_websocket_nobody_else_answers() -> Outcome {
    let (address, _serving) = served().await?;
    let mut ada = Wire::open(&address, "Bearer ada-1").await?;
    let mut bob = Wire::open(&address, "Bearer bob-1").await?;
    let mut greet = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": {
            "name": "greet",
            "arguments": {},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            },
        },
    });
    let asked = ada.ask(&greet).await?;
    assert_eq!(asked["result"]["resultType"], "input_required", "{asked}");
    let questions = asked["result"]["inputRequests"].as_object().ok_or("no questions")?;
    let key = questions.keys().next().ok_or("no question")?;
    greet["params"]["inputResponses"] = json!({ key: { "action": "accept", "content": { "name": "Ada" } } });
    greet["params"]["requestState"] = asked["result"]["requestState"].clone();
    let refused = bob.ask(&greet).await?;
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    // On another connection of the same owner's it is good.
    let mut later = Wire::open(&address, "Bearer ada-2").await?;
    let greeted = later.ask(&greet).await?;
    assert_eq!(greeted["result"]["content"][0]["text"], "Hello, Ada", "{greeted}");
    Ok(())
}
