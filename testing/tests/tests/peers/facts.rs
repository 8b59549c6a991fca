//! What a client is to see in the conversation that all of them have with the demo server.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes::types::Era;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::grid::{Role, note};
use crate::process::{Ran, Result};

/// One line of a client: a step of the conversation, and what it saw in it.
#[derive(Deserialize)]
struct Fact {
    step: String,
    ms: u64,
    seen: Option<Value>,
    error: Option<Value>,
}

/// The steps of the conversation, in order, each with what is to be seen.
#[derive(Clone)]
pub(crate) struct Facts(Vec<(&'static str, Value)>);

impl Facts {
    /// What a client sees that says something else than all others.
    #[cfg(any(feature = "browser", feature = "every-peer"))]
    pub(crate) fn new(steps: impl IntoIterator<Item = (&'static str, Value)>) -> Self {
        Self(steps.into_iter().collect())
    }

    /// What every client sees, whatever it is written in.
    pub(crate) fn of(era: Era) -> Self {
        let unknown_resource = match era {
            Era::Legacy => -32002,
            Era::Modern => -32602,
        };
        Self(vec![
            ("opening", json!({ "name": "hermes-demo", "instructions": true })),
            (
                "tools",
                json!({
                    "names": TOOLS,
                    "echo": "héllo \u{1F44B}",
                    "add": ["5", { "sum": 5 }],
                    "fail": [true, "as asked"],
                    "unknown": -32602,
                    "image": ["image", "image/png", "iVBORw0KGgo"],
                    "audio": ["audio", "audio/wav", "UklGR"],
                    "embedded": ["resource", "demo://greeting", "Hello from the demo server of hermes."],
                    "link": ["resource_link", "demo://greeting"],
                }),
            ),
            (
                "resources",
                json!({
                    "uris": ["demo://counter", "demo://greeting", "demo://logo"],
                    "templates": ["demo://users/{name}"],
                    "greeting": "Hello from the demo server of hermes.",
                    "logo": ["image/png", "iVBORw0KGgo"],
                    "user": "ada is a user of the demo server.",
                    "unknown": unknown_resource,
                }),
            ),
            (
                "prompts",
                json!({
                    "names": ["greet", "review"],
                    "greet": ["user", "Please greet Ada in one friendly sentence."],
                    "review": "Please review this code in rust:\n\n```rust\n1\n```",
                    "incomplete": -32602,
                    "unknown": -32602,
                }),
            ),
            ("completion", json!({ "language": ["ruby", "rust"], "name": ["ada", "alan"] })),
            (
                "subscriptions",
                json!({
                    "updated": ["demo://counter"],
                    "counter": "1",
                    "changed": 2,
                    "with_extra": true,
                    "without_extra": true,
                }),
            ),
            ("progress", json!({ "notes": ["1/5", "2/5", "3/5", "4/5", "5/5"], "result": "done" })),
            (
                "cancellation",
                json!({
                    "running": { "started": 1, "done": 0, "cancelled": 0 },
                    "counters": { "started": 1, "done": 0, "cancelled": 1 },
                }),
            ),
            (
                "elicitation",
                json!({
                    "seen": ["Hello, Ada", "declined", "cancelled"],
                    "questions": [["Who are you?", ["name"]], ["Again?", ["name"]], ["Really?", ["name"]]],
                }),
            ),
            ("sampling", json!({ "reply": "Four.", "prompts": [[["Two and two?"], 256]] })),
            ("roots", json!({ "roots": "file:///peers/root" })),
            ("logging", json!({ "messages": [["error", "demo", "heard"]] })),
            ("closing", json!({ "echo": "still here" })),
        ])
    }

    /// The same, but one member of one step is otherwise: where a peer has its own words.
    pub(crate) fn but(mut self, step: &str, member: &str, value: impl Into<Value>) -> Self {
        for (name, seen) in &mut self.0 {
            if *name == step {
                seen[member] = value.into();
                return self;
            }
        }
        panic!("there is no step {step}");
    }

    /// The client saw all of this and nothing else, in this order. Each step is a cell of the grid.
    pub(crate) fn assert_seen_by(&self, peer: &'static str, ran: Ran) -> Result {
        self.assert_told(peer, ran, |fact| fact.seen.as_ref())
    }

    /// The client saw nothing, and these are the errors of its steps. Each step is a cell of the grid.
    #[cfg(feature = "browser")]
    pub(crate) fn assert_refused(&self, peer: &'static str, ran: Ran) -> Result {
        self.assert_told(peer, ran, |fact| fact.error.as_ref())
    }

    fn assert_told(&self, peer: &str, ran: Ran, told: impl Fn(&Fact) -> Option<&Value>) -> Result {
        let facts: Vec<Fact> =
            ran.stdout.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?;
        let by_step: BTreeMap<&str, &Fact> = facts.iter().map(|fact| (fact.step.as_str(), fact)).collect();
        for (step, expected) in &self.0 {
            let fact = by_step.get(step);
            let passed = fact.and_then(|fact| told(fact)) == Some(expected);
            let took = Duration::from_millis(fact.map_or(0, |fact| fact.ms));
            note(Role::Client, peer, step, passed, took);
        }
        let seen: Vec<(&str, &Value)> = facts
            .iter()
            .map(|fact| {
                (fact.step.as_str(), fact.seen.as_ref().or(fact.error.as_ref()).unwrap_or(&Value::Null))
            })
            .collect();
        let expected: Vec<(&str, &Value)> = self.0.iter().map(|(step, seen)| (*step, seen)).collect();
        assert_eq!(seen, expected, "{}", ran.stderr);
        ran.passed()?;
        Ok(())
    }
}

/// The tools of the demo server, whose names other programs rely on. They are listed in the order of their names.
const TOOLS: [&str; 18] = [
    "add", "ask", "audio", "big", "counters", "echo", "embedded", "fail", "image", "link", "log", "panic",
    "progress", "roots", "sample", "sleep", "toggle", "touch",
];
