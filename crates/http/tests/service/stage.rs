//! The server under test, and what its handlers did.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use hermes_http::StreamableHttp;
use hermes_server::ask::Elicited;
use hermes_server::{Context, Server, ToolError};
use hermes_types::{RawJson, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::sync::Notify;

/// A server, and what became of the calls of its slow tools.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) deeds: Arc<Deeds>,
}

#[derive(Debug, Default)]
pub(crate) struct Deeds {
    started: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicU64,
    gate: Notify,
}

impl Deeds {
    /// How many calls were started, ran to their end, and were dropped before.
    pub(crate) fn counts(&self) -> (u64, u64, u64) {
        (self.started.load(SeqCst), self.done.load(SeqCst), self.cancelled.load(SeqCst))
    }

    /// Lets all calls of `gate` go on that wait now.
    pub(crate) fn open(&self) {
        self.gate.notify_waiters();
    }

    fn begin(self: &Arc<Self>) -> Deed {
        self.started.fetch_add(1, SeqCst);
        Deed { deeds: Arc::clone(self), is_done: false }
    }
}

struct Deed {
    deeds: Arc<Deeds>,
    is_done: bool,
}

impl Deed {
    fn done(mut self) -> &'static str {
        self.is_done = true;
        "done"
    }
}

impl Drop for Deed {
    fn drop(&mut self) {
        let count = if self.is_done { &self.deeds.done } else { &self.deeds.cancelled };
        count.fetch_add(1, SeqCst);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Wait {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    n: u32,
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let deeds = Arc::<Deeds>::default();
        let (waits, steps, gates, leaves) = (deeds.clone(), deeds.clone(), deeds.clone(), deeds.clone());
        let schema = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
        let schema = RawJson::parse(schema).expect("a schema");
        let server = Server::new("stage", "0.1.0")
            .state_key([7; 32])
            .tool("echo", |Echo { text }, _| async move { text })
            .tool("wait", move |Wait { ms }, _| {
                let deed = waits.begin();
                async move {
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    deed.done()
                }
            })
            .tool("gate", move |_: Nothing, _| {
                let (deed, deeds) = (gates.begin(), gates.clone());
                async move {
                    deeds.gate.notified().await;
                    deed.done()
                }
            })
            .tool("steps", move |Steps { n, ms }, ctx: Context| {
                let deed = steps.begin();
                async move {
                    for step in 1..=n {
                        ctx.progress(f64::from(step), None, None);
                        tokio::time::sleep(Duration::from_millis(ms)).await;
                    }
                    deed.done()
                }
            })
            .tool("leave", move |Wait { ms }, ctx: Context| {
                let deed = leaves.begin();
                async move {
                    let is_left = ctx.hang_up(Duration::from_millis(1500));
                    tokio::time::sleep(Duration::from_millis(ms)).await;
                    format!("{} {is_left}", deed.done())
                }
            })
            .tool("panic", |_: Nothing, _| async {
                if true {
                    panic!("as asked")
                }
            })
            .tool("ask", |_: Nothing, ctx: Context| async move {
                let answer: Elicited<Name> = ctx.elicit("Who?").key("who").await?;
                Ok::<_, ToolError>(answer.accepted().map_or_else(|| "nobody".to_owned(), |it| it.name))
            })
            .raw_tool(Tool::new("placed", schema), |arguments: RawJson, _| async move {
                arguments.get().to_owned()
            });
        Self { server, deeds }
    }

    /// Over HTTP, as usual.
    pub(crate) fn http(&self) -> StreamableHttp {
        StreamableHttp::new(self.server.clone())
    }
}
