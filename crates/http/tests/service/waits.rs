//! Answers leave at once, in each way of serving: nothing waits until a client's system has confirmed what came before,
//! which it does after 40 ms.

use std::time::{Duration, Instant};

use axum::Router;
use axum::serve::{Listener, ListenerExt as _};
use hermes_http::StreamableHttp;
use hermes_server::{Context, Server};
use hermes_testkit::raw::{Answer, Connection, RawError, Session, Target};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::client::LATEST;

/// Half of what a client's system waits.
const SOON: Duration = Duration::from_millis(20);

/// So many calls that the first few, which are confirmed at once, do not decide.
const CALLS: usize = 61;

/// A server with a tool that is answered in one piece, and one that is answered in several.
fn http() -> StreamableHttp {
    let server = Server::new("waits", "0.1.0").tool("whole", |(): (), _| async { "done" }).tool(
        "parts",
        |(): (), ctx: Context| async move {
            for step in 1..=3 {
                ctx.progress(f64::from(step), None, None);
                tokio::task::yield_now().await;
            }
            "done"
        },
    );
    StreamableHttp::new(server)
}

/// The time that most calls of a kind do not exceed, on one connection.
async fn usual(target: &Target, tool: &str) -> Result<Duration, RawError> {
    let session = Session::open(target, LATEST).await?;
    let mut connection = Connection::open(target.address).await?;
    let mut times = Vec::new();
    for id in 0..CALLS {
        let call = session.call_with_progress(id, tool, json!({}), id);
        let bytes = session.post_bytes(&call, &[]);
        let began = Instant::now();
        connection.send(&bytes).await?;
        let mut answer = Answer::read(connection).await?;
        assert_eq!(answer.status(), 200);
        answer.body().await?;
        times.push(began.elapsed());
        connection = answer.into_connection()?;
    }
    times.sort_unstable();
    Ok(times[CALLS / 2])
}

async fn nothing_waits(target: &Target) -> Result<(), RawError> {
    let (json, events) = (usual(target, "whole").await?, usual(target, "parts").await?);
    assert!(json < SOON && events < SOON, "JSON took {json:?}, events took {events:?}");
    Ok(())
}

#[tokio::test]
async fn an_answer_of_a_server_with_a_socket_of_its_own_leaves_at_once() -> Result<(), RawError> {
    let bound = http().bind("127.0.0.1:0").await.expect("a free port");
    let target = Target::parse(&bound.url()).expect("an endpoint");
    let mut serving = JoinSet::new();
    serving.spawn(bound.serve(std::future::pending()));
    nothing_waits(&target).await
}

#[tokio::test]
async fn an_answer_in_an_application_of_axum_that_sets_its_sockets_up_as_the_examples_do_leaves_at_once()
-> Result<(), RawError> {
    let router = Router::new().route_service("/mcp", http().service());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port").tap_io(|stream| {
        stream.set_nodelay(true).expect("a socket");
    });
    let address = listener.local_addr().expect("an address");
    let target = Target::parse(&format!("http://{address}/mcp")).expect("an endpoint");
    let mut serving = JoinSet::new();
    serving.spawn(async move { axum::serve(listener, router).await });
    nothing_waits(&target).await
}
