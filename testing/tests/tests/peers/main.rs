//! Conversations with clients and servers that nobody here wrote.
//!
//! `cargo xtask test` installs two peers for each role; `cargo xtask interop` installs all of them, asks for the
//! feature `every-peer` as well, and prints a grid of what passed. `HERMES_PEERS_DIR` names the folder. The clients
//! are scripts in `testing/tests/peers`, and all say the same: they print what they saw, and the tests here judge it.
//! Of the servers every tool is called. `cargo xtask browser` installs a browser and asks for the feature `browser`.

#[cfg(feature = "browser")]
mod browser;
mod clients;
mod everything;
mod facts;
#[cfg(feature = "every-peer")]
mod filesystem;
#[cfg(feature = "every-peer")]
mod git;
mod grid;
mod http;
#[cfg(feature = "every-peer")]
mod http_sse;
#[cfg(feature = "every-peer")]
mod memory;
#[cfg(feature = "every-peer")]
mod more_clients;
mod process;
mod record;
mod shell;
#[expect(dead_code, reason = "the tests of the program use more of it")]
#[path = "../../../../crates/cli/tests/shell/terminal.rs"]
mod terminal;
mod time;
mod tools;
#[cfg(feature = "every-peer")]
mod websocket;

use serde_json::Value;

/// The names in a list of tools, resources, templates or prompts.
fn names(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|item| item["name"].as_str()).collect()
}
