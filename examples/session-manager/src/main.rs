//! Values that belong to a session: what one client stores no other sees.
//!
//! Try it: `target/debug/session-manager`, then
//! `hermes call http://127.0.0.1:3000/mcp increment_counter --era legacy`
#![expect(clippy::print_stdout, reason = "who starts it wants to know where it is")]

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes::prelude::*;

/// What one session has stored. `Default` makes it when it is first asked for.
#[derive(Default)]
struct Locker(Mutex<Contents>);

#[derive(Default)]
struct Contents {
    values: BTreeMap<String, String>,
    counter: u64,
}

impl Locker {
    fn open(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Says whose session this is. Clients of 2026-07-28 have none, and hear so.
#[tool(read_only, open_world = false)]
fn session_info(session: Option<SessionHandle>, SessionData(locker): SessionData<Locker>) -> String {
    let Some(session) = session else { return "there are no sessions in this revision".to_owned() };
    let client = session.client_info().map_or("somebody", |client| client.name.as_str()).to_owned();
    format!("session {} of {client} has {} values", session.number(), locker.open().values.len())
}

/// Stores a value under a name.
#[tool(idempotent, destructive = false, open_world = false)]
fn store_value(
    name: String,
    value: String,
    _session: SessionHandle,
    SessionData(locker): SessionData<Locker>,
) {
    locker.open().values.insert(name, value);
}

/// Gives back the value of a name.
#[tool(read_only, open_world = false)]
fn get_value(name: String, SessionData(locker): SessionData<Locker>) -> Result<String, ToolError> {
    locker
        .open()
        .values
        .get(&name)
        .cloned()
        .ok_or_else(|| ToolError::new(format!("nothing is stored as {name}")))
}

/// Counts the calls of this session.
#[tool(destructive = false, open_world = false)]
fn increment_counter(_session: SessionHandle, SessionData(locker): SessionData<Locker>) -> u64 {
    let mut contents = locker.open();
    contents.counter += 1;
    contents.counter
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:3000".to_owned());
    let server = Server::new("session-manager", env!("CARGO_PKG_VERSION"))
        .with(session_info)
        .with(store_value)
        .with(get_value)
        .with(increment_counter);
    let bound = StreamableHttp::new(server).bind(address).await?;
    println!("session-manager listens on {}", bound.url());
    bound.serve(std::future::pending()).await;
    Ok(())
}
