//! The program as a server over HTTP, spoken to in bytes: what it answers, and what becomes of its answers when
//! connections are cut, stall, or are never read.
//!
//! Every message it sends is held against the official schema of its revision.

mod acceptance;
mod accounts;
mod delivery;
mod every_byte;
mod heads;
mod kind_a;
mod kind_b;
mod kind_c;
mod kind_d;
mod kind_e;
mod kind_f;
mod kind_h;
mod kind_l;
mod operating;
mod origins;
mod principals;
mod proxies;
mod surface;
mod torture;

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use hermes::types::Revision;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::raw::{Answer, Connection, Frame, PATIENCE, RawError, Session};
use hermes_testkit::relay::{Fate, Relay, Strike, Struck};
use serde_json::{Value, json};
use tokio::time::timeout;

/// The revisions of the legacy era that have this transport.
const LEGACY: [Revision; 3] = [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// The newest of them.
const LATEST: Revision = Revision::V2025_11_25;

/// The modern era.
const MODERN: Revision = Revision::V2026_07_28;

/// Well inside the head of every answer, which is forwarded before a relay strikes there.
const IN_THE_HEAD: u64 = 40;

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

/// A demo server of the test's own, on a port of its own.
fn demo() -> Daemon {
    demo_with(&[])
}

/// A demo server with further options.
fn demo_with(options: &[&str]) -> Daemon {
    let mut command = Command::new(hermes());
    command.args(["demo", "--http", "127.0.0.1:0"]).args(options);
    Daemon::run(&mut command).expect("the demo server starts")
}

/// What became of the calls of `sleep`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sleeps {
    started: u64,
    done: u64,
    cancelled: u64,
}

impl Sleeps {
    async fn of(session: &Session) -> Result<Self, RawError> {
        let counters = session.ask(&session.call("counters", "counters", json!({}))).await?;
        let counters: Value = serde_json::from_str(text(&counters)).expect("counters are JSON");
        let value = |name: &str| counters[name].as_u64().expect("a number");
        Ok(Self { started: value("started"), done: value("done"), cancelled: value("cancelled") })
    }

    /// Asks until they are as expected.
    async fn until(session: &Session, expected: Self) -> Result<(), RawError> {
        let asked = async {
            while Self::of(session).await? != expected {
                tokio::task::yield_now().await;
            }
            Ok(())
        };
        match timeout(PATIENCE, asked).await {
            Ok(outcome) => outcome,
            Err(_) => panic!("expected {expected:?}, there are {:?}", Self::of(session).await?),
        }
    }
}

/// The text of a tool's result.
#[track_caller]
fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {response}"))
}

/// The id that follows an event stream's first event, which the event has to have.
async fn first_id(answer: &mut Answer) -> Result<String, RawError> {
    loop {
        match answer.frame().await? {
            Frame::Comment(_) => {}
            Frame::Event(event) => return Ok(event.id.expect("the first event has an id")),
            Frame::End => panic!("the stream ended without an event"),
        }
    }
}

/// Waits for the notification that the list of tools has changed, which is all that may come.
async fn list_changed(answer: &mut Answer) -> Result<(), RawError> {
    let message = answer.message().await?.expect("the stream goes on");
    assert_eq!(message["method"], "notifications/tools/list_changed", "{message}");
    Ok(())
}

/// Changes the list of tools.
async fn toggle(session: &Session) -> Result<(), RawError> {
    session.ask(&session.call("toggle", "toggle", json!({}))).await.map(drop)
}

/// A GET whose head came and whose connection then suffered a strike. The answer is what is left of it.
async fn struck_get(
    session: &Session,
    relay: &Relay,
    strike: Strike,
) -> Result<(Connection, Struck), RawError> {
    let fate = Fate::pass().strike_answer(IN_THE_HEAD, strike);
    let (stream, mut struck) = relay.connect(fate).await?;
    let mut connection = Connection::over(stream);
    connection.send(&session.get_bytes(None, &[])).await?;
    assert_eq!(struck.wait().await, Some(strike), "the GET was answered");
    Ok((connection, struck))
}

/// The JSON-RPC error of an answer with this status.
async fn refused(mut answer: Answer, status: u16) -> Result<Value, RawError> {
    let body = if answer.head.media_type() == Some("application/json") {
        answer.json().await?
    } else {
        Value::String(String::from_utf8_lossy(&answer.body().await?).into_owned())
    };
    assert_eq!(answer.status(), status, "{body}");
    Ok(body)
}

/// Fails a test in which something takes longer than it may.
async fn within<T>(limit: Duration, what: &str, work: impl Future<Output = T>) -> T {
    match timeout(limit, work).await {
        Ok(done) => done,
        Err(_) => panic!("{what} took longer than {limit:?}"),
    }
}
