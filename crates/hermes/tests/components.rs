//! Components that stand alone, and what their functions are given by the call.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use hermes::prelude::*;
use hermes::types::{ContentBlock, ResourceContents};
use hermes::{Direction, EraChoice};
use hermes_testkit::{Side, Tape};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

struct Catalogue(Vec<&'static str>);

#[derive(Default)]
struct Cart(Mutex<Vec<String>>);

/// Made from the call by this program.
struct Caller(String);

impl FromContext for Caller {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        match ctx.client_info() {
            Some(info) if info.name != "nobody" => Ok(Self(info.name.clone())),
            _ => Err(ToolError::new("say who you are")),
        }
    }
}

/// Only named like what is made from the call.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Log2 {
    Long,
    Short,
}

mod own {
    pub(crate) use super::Log2 as Log;
}

/// Adds two integers.
///
/// They may be large.
#[tool(read_only, title = "Add")]
fn add(
    /** The first */
    a: i64,
    #[serde(default)] b: i64,
) -> Result<i64, &'static str> {
    a.checked_add(b).ok_or("the sum is too large")
}

/// Puts something into the cart of this session.
#[tool(name = "buy")]
async fn put_into_cart(
    what: String,
    State(catalogue): State<Catalogue>,
    SessionData(cart): SessionData<Cart>,
    bar: ProgressBar,
    log: Log,
    #[extract] Caller(caller): Caller,
    http: Option<Http>,
    ctx: Context,
) -> Result<String, ToolError> {
    if !catalogue.0.contains(&what.as_str()) {
        return Err(ToolError::new(format!("there is no {what}")));
    }
    bar.of(1).report(1);
    log.info(&what);
    assert_eq!((http.is_none(), ctx.http().is_none()), (true, true));
    let mut cart = cart.0.lock().map_err(|_| "a mistake in another call")?;
    cart.push(what);
    Ok(format!("{caller} has {}", cart.join(", ")))
}

/// What is not a `Result` may still need what can fail.
#[tool]
fn size(State(catalogue): State<Catalogue>) -> usize {
    catalogue.0.len()
}

#[tool]
fn notes(#[argument] log: own::Log) -> bool {
    matches!(log, own::Log::Long)
}

/// Changes its own session.
#[tool]
fn upgrade(session: Option<SessionHandle>, server: ServerHandle) -> String {
    let added = session.is_some_and(|session| session.add(add_more()));
    format!("{added} {}", server.sessions().len())
}

#[tool]
fn add_more() -> &'static str {
    "more"
}

#[cfg(any())]
#[tool]
fn never() {}

/// Asks for a review.
#[prompt]
fn review(code: String, State(catalogue): State<Catalogue>) -> String {
    format!("Review {code} with {} things in mind", catalogue.0.len())
}

/// All there is.
#[resource("shop://catalogue", mime = "text/plain")]
fn catalogue(State(catalogue): State<Catalogue>) -> String {
    catalogue.0.join(", ")
}

struct Counter {
    from: AtomicU32,
}

/// Counts its own calls.
///
/// From where it was set up.
#[tool(idempotent = false)]
impl Counter {
    fn next(&self, by: Option<u32>) -> u32 {
        self.from.fetch_add(by.unwrap_or(1), Ordering::Relaxed)
    }
}

struct ItemByName;

#[resource("shop://items/{name}")]
impl ItemByName {
    /// One thing.
    async fn read(&self, name: String, state: State<Catalogue>) -> Result<String, ToolError> {
        let found = state.0.0.iter().find(|item| **item == name);
        Ok(format!("a {}", found.ok_or("no such thing")?))
    }
}

fn server() -> Server {
    Server::new("shop", "1.0.0")
        .state(Catalogue(vec!["hat", "shoe"]))
        .with(add)
        .with(put_into_cart)
        .with(size)
        .with(notes)
        .with(upgrade)
        .with(review)
        .with(catalogue)
        .with(Counter { from: AtomicU32::new(10) })
        .with(ItemByName)
}

/// One client per era, and the tape on which every message of both sides is judged.
async fn clients(name: &str) -> Result<([Client; 2], Tape), ClientError> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = |era| {
        let ear = tape.ear();
        let builder = Client::builder().name(name, "1.0.0").era(era).on_wire(move |direction, text| {
            let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        });
        builder.connect(hermes::in_memory(server()))
    };
    Ok(([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?], tape))
}

fn text(result: &hermes::types::CallToolResult) -> Option<&str> {
    result.content.first().and_then(ContentBlock::as_text)
}

#[tokio::test]
async fn functions_and_types_are_tools_by_their_names() -> Outcome {
    let (clients, _tape) = clients("ada").await?;
    for client in clients {
        let listing = client.list_all_tools().await?;
        let names: Vec<&str> = listing.values().map(|tool| tool.name.as_str()).collect();
        assert_eq!(names, ["add", "buy", "counter", "notes", "size", "upgrade"]);
        let find = |name: &str| listing.values().find(|tool| tool.name == name).ok_or("not listed");
        let added = find("add")?;
        assert_eq!(added.description.as_deref(), Some("Adds two integers.\n\nThey may be large."));
        assert_eq!(added.title.as_deref(), Some("Add"));
        let counter = find("counter")?;
        let described = "Counts its own calls.\n\nFrom where it was set up.";
        assert_eq!(counter.description.as_deref(), Some(described));
        let sum: i64 = client.call("add", json!({ "a": 2 })).await?.read()?;
        assert_eq!((sum, add().call(2, 3)), (2, Ok(5)));
        for expected in [10, 15] {
            let count: u32 = client.call("counter", json!({ "by": 5 })).await?.read()?;
            assert_eq!(count, expected);
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_is_made_from_the_call_is_no_argument() -> Outcome {
    let (clients, _tape) = clients("ada").await?;
    for client in clients {
        let listing = client.list_all_tools().await?;
        let buy = listing.values().find(|tool| tool.name == "buy").ok_or("not listed")?;
        let schema: Value = buy.input_schema.decode()?;
        let properties = schema["properties"].as_object().ok_or("no object")?;
        assert_eq!(properties.keys().collect::<Vec<_>>(), ["what"]);
        let bought: String = client.call("buy", json!({ "what": "hat" })).await?.read()?;
        assert_eq!(bought, "ada has hat");
        let bought: String = client.call("buy", json!({ "what": "shoe" })).await?.read()?;
        // Only a session remembers.
        let modern = client.revision().is_modern();
        assert_eq!(bought, if modern { "ada has shoe" } else { "ada has hat, shoe" });
        let none = client.call("buy", json!({ "what": "car" })).await?.into_value();
        assert_eq!((none.is_error(), text(&none)), (true, Some("there is no car")));
        let size: usize = client.call("size", json!({})).await?.read()?;
        assert_eq!(size, 2);
        let long: bool = client.call("notes", json!({ "log": "long" })).await?.read()?;
        assert!(long);
        let upgraded: String = client.call("upgrade", json!({})).await?.read()?;
        assert_eq!(upgraded, if modern { "false 0" } else { "true 1" });
        let more = client.call("add_more", json!({})).await;
        assert_eq!(more.is_err(), modern, "a session of its own has it");
    }
    Ok(())
}

#[tokio::test]
async fn a_call_fails_before_its_function_runs_when_something_is_not_to_be_had() -> Outcome {
    let (clients, _tape) = clients("nobody").await?;
    for client in clients {
        let refused = client.call("buy", json!({ "what": "hat" })).await?.into_value();
        assert_eq!((refused.is_error(), text(&refused)), (true, Some("say who you are")));
    }
    Ok(())
}

#[tokio::test]
async fn prompts_and_resources_stand_alone_too() -> Outcome {
    let (clients, _tape) = clients("ada").await?;
    for client in clients {
        let given = [("code".to_owned(), "main".to_owned())];
        let prompt = client.prompt("review", &given.into()).await?.into_value();
        let said = prompt.messages.first().and_then(|message| message.content.as_text());
        assert_eq!(said, Some("Review main with 2 things in mind"));
        for (uri, expected) in [("shop://catalogue", "hat, shoe"), ("shop://items/hat", "a hat")] {
            let read = client.read(uri).await?.into_value();
            let Some(ResourceContents::Text(contents)) = read.contents.first() else {
                return Err(uri.into());
            };
            assert_eq!(contents.text, expected);
        }
        let templates = client.list_all_resource_templates().await?;
        let template = templates.values().next().ok_or("no template")?;
        assert_eq!(
            (template.name.as_str(), template.description.as_deref()),
            ("item_by_name", Some("One thing."))
        );
    }
    Ok(())
}
