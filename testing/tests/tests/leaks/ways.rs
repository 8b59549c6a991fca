//! How clients come, and how they go.

use std::future::poll_fn;
use std::path::PathBuf;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use hermes::child::Command;
use hermes::types::Era;
use hermes::{Client, ClientError, EraChoice};
use hermes_testkit::dice::Dice;
use serde_json::json;
use tokio::task::JoinSet;

use crate::count::{House, MARK, small};

/// How many come at once.
const AT_ONCE: usize = 8;

/// How long a client waits for anything.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often the future of a client that never comes to be is polled at most. Some are connected by then.
const POLLS: u64 = 40;

/// What a client connects to.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    Http(Era),
    Child,
    Memory,
}

/// How a client goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// It is closed.
    Close,
    /// It is dropped, and not closed.
    Drop,
    /// The future that connects it is dropped somewhere on its way.
    Abandon,
}

/// Has so many clients come and go; how many of them never came to be.
pub(crate) async fn visit(house: &House, kind: Kind, way: Way, clients: u64) -> u64 {
    let mut abandoned = 0;
    let mut dice = Dice::new(clients);
    let mut visits: JoinSet<bool> = JoinSet::new();
    for client in 0..clients {
        if visits.len() >= AT_ONCE {
            let connected = visits.join_next().await.expect("a visit").expect("no panic");
            abandoned += u64::from(!connected);
        }
        let visitor =
            Visitor { kind, url: format!("http://{}/mcp", house.address), mark: house.mark.clone() };
        let polls = dice.between(0, POLLS);
        // One in ten has something to do.
        let has_a_call = client % 10 == 0;
        visits.spawn(async move { visitor.visit(way, polls, has_a_call).await });
    }
    while let Some(connected) = visits.join_next().await {
        abandoned += u64::from(!connected.expect("no panic"));
    }
    abandoned
}

struct Visitor {
    kind: Kind,
    url: String,
    mark: String,
}

impl Visitor {
    /// Whether there was a client.
    async fn visit(self, way: Way, polls: u64, has_a_call: bool) -> bool {
        if way == Way::Abandon {
            return up_to(polls, self.connect()).await.is_some();
        }
        let client = self.connect().await.expect("connected");
        if has_a_call {
            let echoed = client.call("echo", json!({ "text": "x" })).await.expect("an answer");
            assert_eq!(echoed.read::<String>().expect("a text"), "x");
        }
        if way == Way::Close {
            client.close().await;
        }
        true
    }

    async fn connect(&self) -> Result<Client, ClientError> {
        let builder = Client::builder().timeout(PATIENCE);
        match self.kind {
            Kind::Http(era) => {
                let era = if era == Era::Modern { EraChoice::Modern } else { EraChoice::Legacy };
                builder.era(era).connect(&self.url).await
            }
            Kind::Child => {
                let command = Command::new(hermes()).args(["demo", "--stdio"]).env(MARK, &self.mark);
                builder.connect(command).await
            }
            Kind::Memory => builder.connect(hermes::in_memory(small())).await,
        }
    }
}

/// Polls a future so many times, once in each turn of the runtime, then drops it.
async fn up_to<F: Future>(polls: u64, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..polls {
        let polled = poll_fn(|cx| Poll::Ready(future.as_mut().poll(cx))).await;
        if let Poll::Ready(output) = polled {
            return Some(output);
        }
        tokio::task::yield_now().await;
    }
    None
}

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
