//! The demo's resources.

use std::sync::Arc;

use hermes::types::{Resource, ResourceTemplate};
use hermes::{Completing, Context, Server};
use serde::Deserialize;

use super::asset::LOGO;
use super::state::State;

pub(super) const GREETING_URI: &str = "demo://greeting";
pub(super) const GREETING: &str = "Hello from the demo server of hermes.";
pub(super) const COUNTER_URI: &str = "demo://counter";
const LOGO_URI: &str = "demo://logo";
const USERS: &str = "demo://users/{name}";

/// The names that the template's variable completes to. Any other name works as well.
const NAMES: [&str; 6] = ["ada", "alan", "barbara", "edsger", "grace", "katherine"];

#[derive(Deserialize)]
struct User {
    name: String,
}

/// Adds the resources to the server.
pub(super) fn register(server: Server, state: &Arc<State>) -> Server {
    let state = Arc::clone(state);
    server
        .resource(
            Resource::new(GREETING_URI, "greeting")
                .with_title("A greeting")
                .with_description("A line of text")
                .with_mime_type("text/plain"),
            |_: Context| async { GREETING },
        )
        .resource(
            Resource::new(LOGO_URI, "logo")
                .with_title("The logo")
                .with_description("A small picture")
                .with_mime_type("image/png"),
            |_: Context| async { LOGO },
        )
        .resource(
            Resource::new(COUNTER_URI, "counter")
                .with_title("The counter")
                .with_description("How often the tool touch was called")
                .with_mime_type("text/plain"),
            move |_: Context| {
                let count = state.touched();
                async move { count.to_string() }
            },
        )
        .template(
            ResourceTemplate::new(USERS, "user")
                .with_title("A user")
                .with_description("A line about a user of any name")
                .with_mime_type("text/plain"),
            |User { name }, _: Context| async move { format!("{name} is a user of the demo server.") },
        )
        .complete_template(USERS, "name", |Completing { value, .. }, _: Context| async move {
            beginning_with(&value, &NAMES)
        })
}

/// The words that begin with what was typed, whatever its case.
pub(super) fn beginning_with(typed: &str, words: &'static [&'static str]) -> Vec<&'static str> {
    let typed = typed.to_lowercase();
    words.iter().copied().filter(|word| word.starts_with(&typed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completion_goes_by_the_beginning() {
        assert_eq!(beginning_with("A", &NAMES), ["ada", "alan"]);
        assert_eq!(beginning_with("", &NAMES), NAMES);
        assert_eq!(beginning_with("x", &NAMES), [""; 0]);
    }
}
