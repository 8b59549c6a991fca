//! The demo server as a whole.

use std::io::{IsTerminal as _, stdin};
use std::sync::Arc;

use hermes::Server;

use super::state::State;
use super::{asking, changes, content, prompts, resources, tools};
use crate::exit::{Exit, Failure, Result};
use crate::output::say;

const INSTRUCTIONS: &str = "This server shows every feature of the protocol once. Call echo or add to see a result, \
    progress to see notes on the way, ask to be asked back, fail to see a tool error. Nothing here has effects \
    outside of the server.";

/// What somebody reads who starts the server by hand.
const TO_A_PERSON: &str = "\
This is the demo server. It speaks the Model Context Protocol, one JSON message a line, and waits for a client's.
Hosts start it as:       hermes demo --stdio
See a conversation:      hermes demo --show
Call one of its tools:   hermes call demo add a:=2 b:=3
Ctrl-D ends it.";

/// The demo server, with counters of its own.
pub(crate) fn server() -> Server {
    let state = Arc::new(State::default());
    let server = Server::new("hermes-demo", env!("CARGO_PKG_VERSION"))
        .title("The demo server of hermes")
        .description("Shows every feature of the protocol once")
        .instructions(INSTRUCTIONS);
    let server = tools::register(server, &state);
    let server = asking::register(server);
    let server = content::register(server);
    let server = changes::register(server, &state);
    let server = resources::register(server, &state);
    prompts::register(server)
}

/// Serves over standard input and output, until the input ends.
///
/// # Errors
/// The client can be reached no more.
pub(crate) async fn serve() -> Result<Exit> {
    if stdin().is_terminal() {
        say(TO_A_PERSON);
    }
    let served = server().serve_stdio().await;
    served.map_err(|error| Failure::new(Exit::Unreachable, crate::exit::chain(&error)))?;
    Ok(Exit::Ok)
}
