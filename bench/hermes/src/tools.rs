//! What the measured server offers.

use hermes::types::Resource;
use hermes::{Context, Server, ToolDef};
use schemars::JsonSchema;
use serde::Deserialize;

/// What can be listened to.
const COUNTER: &str = "bench://counter";

/// How many tools there are without others.
const OWN: usize = 7;

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first number
    a: f64,
    /// The second number
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Chatter {
    /// How many notes
    notes: u32,
    /// How long each of them is
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Fill {
    /// How long the text is
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

/// The tools, and others up to the number wanted; of one wanted, only that which is measured.
pub(crate) fn server(tools: usize) -> Server {
    let mut server = Server::new("bench", "0.0.0")
        .tool(ToolDef::new("echo").description("Sends a text back"), |it: Text, _| async move { it.text });
    if tools == 1 {
        return server;
    }
    server = server
        .tool(ToolDef::new("add").description("Adds two numbers"), |it: Add, _| async move { it.a + it.b })
        .tool(ToolDef::new("measure").description("Tells how long a text is"), |it: Text, _| async move {
            it.text.len()
        })
        .tool(ToolDef::new("fill").description("Sends a text of a length"), |it: Fill, _| async move {
            "x".repeat(it.bytes)
        })
        .tool(ToolDef::new("chatter").description("Reports progress at length"), chatter)
        .tool(ToolDef::new("touch").description("Tells that the counter was updated"), touch)
        .tool(ToolDef::new("tasks").description("Counts the runtime's tasks"), |Nothing {}, _| async {
            tokio::runtime::Handle::current().metrics().num_alive_tasks()
        })
        .resource(Resource::new(COUNTER, "counter"), |_| async { "0" });
    for number in OWN..tools {
        let def = ToolDef::new(format!("tool_{number:04}")).description("One of many, and never called");
        server = server.tool(def, |it: Text, _| async move { it.text });
    }
    server
}

async fn touch(Nothing {}: Nothing, ctx: Context) -> &'static str {
    ctx.server().resource_updated(COUNTER);
    "done"
}

async fn chatter(Chatter { notes, bytes }: Chatter, ctx: Context) -> &'static str {
    let text = "x".repeat(bytes);
    for note in 1..=notes {
        ctx.progress(f64::from(note), None, Some(&text));
        // One note is one turn, so that others have theirs.
        tokio::task::yield_now().await;
    }
    "done"
}
