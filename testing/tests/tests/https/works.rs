//! What the server can do: tools that a test holds the strings of.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes::{Context, Server, ToolDef};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

/// No test waits longer for anything: it has failed then.
const PATIENCE: Duration = Duration::from_secs(20);

/// The strings.
#[derive(Clone, Debug)]
pub(crate) struct Works(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// How many calls of `wait` there are now.
    waiting: watch::Sender<usize>,
    /// How many calls have begun.
    begun: AtomicUsize,
    /// One permit ends one call of `wait`, or brings one note of `notes`.
    gate: Semaphore,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// What comes back
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Big {
    /// How long the answer is
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Notes {
    /// How many notes come before the answer
    count: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// A call of `wait`, for as long as it is one.
struct Waiting(Arc<Inner>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.waiting.send_modify(|waiting| *waiting -= 1);
    }
}

impl Works {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            waiting: watch::Sender::new(0),
            begun: AtomicUsize::new(0),
            gate: Semaphore::new(0),
        }))
    }

    pub(crate) fn server(&self) -> Server {
        let (begun, wait, notes) = (Arc::clone(&self.0), Arc::clone(&self.0), Arc::clone(&self.0));
        Server::new("works", "0.0.0")
            .tool(ToolDef::new("echo").description("Sends a text back"), move |it: Echo, _: Context| {
                begun.begun.fetch_add(1, Ordering::SeqCst);
                async move { it.text }
            })
            .tool(ToolDef::new("big").description("Sends a long text"), |it: Big, _: Context| async move {
                "x".repeat(it.bytes)
            })
            .tool(ToolDef::new("wait").description("Waits for the test"), move |_: Nothing, _: Context| {
                wait.begun.fetch_add(1, Ordering::SeqCst);
                wait.waiting.send_modify(|waiting| *waiting += 1);
                let waiting = Waiting(Arc::clone(&wait));
                async move {
                    waiting.0.gate.acquire().await.expect("open").forget();
                    "done"
                }
            })
            .tool(ToolDef::new("notes").description("Sends notes"), move |it: Notes, ctx: Context| {
                let notes = Arc::clone(&notes);
                async move {
                    for note in 1..=it.count {
                        notes.gate.acquire().await.expect("open").forget();
                        ctx.progress(f64::from(note), None, None);
                    }
                    "done"
                }
            })
    }

    /// Waits until so many calls of `wait` are there.
    pub(crate) async fn waiting(&self, count: usize) {
        let mut waiting = self.0.waiting.subscribe();
        let there = waiting.wait_for(|waiting| *waiting == count);
        timeout(PATIENCE, there).await.expect("in time").expect("counted");
    }

    /// How many calls of `echo` and `wait` have begun.
    pub(crate) fn begun(&self) -> usize {
        self.0.begun.load(Ordering::SeqCst)
    }

    /// Lets so many calls, or notes, go on.
    pub(crate) fn open(&self, count: usize) {
        self.0.gate.add_permits(count);
    }
}
