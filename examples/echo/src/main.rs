//! A server that knows nothing when it is made: all of its components are registered while it is there.
//!
//! Try it: `hermes call echo text=hello -- target/debug/echo`, or over HTTP with `MCP_TRANSPORT=http`
#![expect(clippy::print_stderr, reason = "standard output belongs to the protocol")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes::prelude::*;
use hermes::types::{BlobResourceContents, Resource};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The bytes `\0hermes\0`, in base64.
const BYTES: &str = "AGhlcm1lcwA=";

#[derive(Clone, Deserialize, JsonSchema, Serialize)]
struct Author {
    name: String,
    #[schemars(email)]
    email: Option<String>,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum Priority {
    Low,
    #[default]
    Normal,
    High,
}

/// What the server remembers, in the order of coming.
#[derive(Default)]
struct Notes(Mutex<Vec<Note>>);

impl Notes {
    fn open(&self) -> MutexGuard<'_, Vec<Note>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Clone, JsonSchema, Serialize)]
struct Note {
    title: String,
    author: Author,
    tags: Vec<String>,
    priority: Priority,
}

/// Says what it was told.
#[tool(title = "Echo", read_only, open_world = false)]
fn echo(#[schemars(length(max = 150))] text: String) -> String {
    text
}

/// Keeps a note for as long as the server runs.
#[tool(destructive = false, open_world = false)]
fn save_note(
    #[schemars(length(min = 1, max = 80))] title: String,
    author: Author,
    #[serde(default)] tags: Vec<String>,
    #[serde(default)] priority: Priority,
    notes: State<Notes>,
) -> Json<Vec<Note>> {
    let mut notes = notes.open();
    notes.push(Note { title, author, tags, priority });
    Json(notes.clone())
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Style {
    #[default]
    Friendly,
    Formal,
}

/// Greets somebody.
#[prompt]
fn greeting(
    name: String,
    #[complete(["formal", "friendly"])]
    #[serde(default)]
    style: Style,
) -> String {
    match style {
        Style::Friendly => format!("Say hello to {name}, as to a friend."),
        Style::Formal => format!("Welcome {name} on behalf of the house."),
    }
}

/// Brings everything. In a gateway or a plug-in this would happen whenever something comes or goes.
fn register(server: &ServerHandle) {
    server.add(echo);
    server.add(save_note);
    server.add(greeting);
    server.add_resource(Resource::new("file:///server/info", "info"), |_| async {
        ResourceContents::from(BlobResourceContents::new("file:///server/info", BYTES))
    });
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    // What will come is declared, so that clients who arrive earlier ask for it later.
    let server = Server::new("echo", env!("CARGO_PKG_VERSION"))
        .state(Notes::default())
        .declare_tools()
        .declare_prompts()
        .declare_resources();
    register(&server.handle());

    if std::env::var("MCP_TRANSPORT").is_ok_and(|transport| transport == "http") {
        let address = std::env::var("MCP_ADDRESS").unwrap_or_else(|_| "127.0.0.1:4001".to_owned());
        // Clients of 2024-11-05 know HTTP+SSE only; they are served beside all others.
        let bound = StreamableHttp::new(server).http_sse("/mcp/sse").bind(address).await?;
        eprintln!("echo listens on {}, and on {}/sse for older clients", bound.url(), bound.url());
        bound.serve(std::future::pending()).await;
        return Ok(());
    }
    Ok(server.serve_stdio().await?)
}
