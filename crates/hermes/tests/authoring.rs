//! Servers written as `impl` blocks, seen by a client in both eras.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Context as _;
use hermes::prelude::*;
use hermes::types::{ContentBlock, GetPromptResult, ResourceContents};
use hermes::{Direction, EraChoice};
use hermes_testkit::{Side, Tape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(Serialize, JsonSchema)]
struct Reading {
    city: String,
    degrees: f64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    Celsius,
    Kelvin,
}

#[derive(Default)]
struct Weather {
    calls: AtomicU32,
}

impl Weather {
    fn degrees(city: &str) -> anyhow::Result<f64> {
        match city {
            "Oslo" => Ok(-3.5),
            "Rome" => Ok(21.0),
            _ => "none".parse::<f64>().with_context(|| format!("no station in {city}")),
        }
    }
}

/// Forecasts for any city,
/// or nearly.
///
/// Ask for the temperature first.
#[hermes::server(version = "1.2.3", title = "The weather")]
impl Weather {
    /// Current temperature.
    ///
    /// In the unit that was asked for.
    #[tool(read_only, open_world = false, title = "Temperature")]
    async fn temperature(
        &self,
        /// City name
        city: String,
        unit: Option<Unit>,
        /// How many digits
        #[serde(default)]
        #[schemars(range(max = 3))]
        mut digits: usize,
    ) -> Result<String, anyhow::Error> {
        digits = digits.max(1);
        self.count();
        let celsius = Self::degrees(&city)?;
        let degrees = if let Some(Unit::Kelvin) = unit { celsius + 273.15 } else { celsius };
        Ok(format!("{degrees:.digits$}"))
    }

    /// Structured.
    #[tool(name = "reading", idempotent)]
    fn measure(&self, #[serde(rename = "where")] city: String) -> Result<Json<Reading>, ToolError> {
        let degrees = Self::degrees(&city)?;
        Ok(Json(Reading { city, degrees }))
    }

    #[tool(description = "How many calls", deadline = std::time::Duration::from_secs(5))]
    fn calls(&self, ctx: Context) -> String {
        format!("{} under {}", self.calls.load(Ordering::SeqCst), ctx.revision())
    }

    #[tool]
    fn r#type(&self, r#match: bool) -> bool {
        !r#match
    }

    #[tool]
    #[cfg(any())]
    fn never(&self) {}

    #[prompt(title = "Packing")]
    /// What to take along.
    async fn packing_list(
        &self,
        /// Where to
        city: String,
        days: u8,
        warm: Option<bool>,
    ) -> String {
        format!("Pack for {days} days in {city}, warm: {warm:?}")
    }

    #[prompt]
    fn refused(&self, ctx: Context) -> Result<GetPromptResult, std::fmt::Error> {
        drop(ctx);
        Err(std::fmt::Error)
    }

    /// All stations.
    #[resource("weather://stations", mime = "text/plain")]
    fn stations(&self) -> &'static str {
        "Oslo, Rome"
    }

    #[resource("weather://{city}/current", name = "now", mime = "application/json")]
    async fn current(&self, ctx: Context, city: String) -> Result<Json<Reading>, anyhow::Error> {
        drop(ctx);
        let degrees = Self::degrees(&city)?;
        Ok(Json(Reading { city, degrees }))
    }

    #[resource("weather://archive/{+path}?day={day}")]
    fn archive(&self, day: u8, path: String) -> String {
        format!("{path} on day {day}")
    }

    fn count(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
    }
}

/// One client per era, and the tape on which every message of both sides is judged.
struct Clients {
    clients: std::array::IntoIter<Client, 2>,
    _tape: Tape,
}

impl Iterator for Clients {
    type Item = Client;

    fn next(&mut self) -> Option<Client> {
        self.clients.next()
    }
}

async fn clients(server: impl Fn() -> Server) -> Result<Clients, ClientError> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = |era| {
        let ear = tape.ear();
        let builder = Client::builder().era(era).on_wire(move |direction, text| {
            let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        });
        builder.connect(hermes::in_memory(server()))
    };
    let clients = [client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?];
    Ok(Clients { clients: clients.into_iter(), _tape: tape })
}

async fn weather() -> Result<Clients, ClientError> {
    clients(|| Weather::default().into_server()).await
}

#[tokio::test]
async fn the_block_says_what_the_server_is() -> Outcome {
    for client in weather().await? {
        let server = client.server_info().ok_or("no name")?;
        assert_eq!((server.name.as_str(), server.version.as_str()), ("weather", "1.2.3"));
        assert_eq!(server.title.as_deref(), Some("The weather"));
        assert_eq!(server.description.as_deref(), Some("Forecasts for any city, or nearly."));
        let all = "Forecasts for any city,\nor nearly.\n\nAsk for the temperature first.";
        assert_eq!(client.instructions().as_deref(), Some(all));
    }
    Ok(())
}

#[tokio::test]
async fn tools_are_described_by_their_documentation_and_hints() -> Outcome {
    for client in weather().await? {
        let listing = client.list_all_tools().await?;
        let tools: Vec<&hermes::types::Tool> = listing.values().collect();
        let mut names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["calls", "reading", "temperature", "type"]);
        let find = |name: &str| tools.iter().find(|tool| tool.name == name).ok_or("not listed");
        let temperature = find("temperature")?;
        assert_eq!(
            temperature.description.as_deref(),
            Some("Current temperature.\n\nIn the unit that was asked for.")
        );
        assert_eq!(temperature.title.as_deref(), Some("Temperature"));
        let hints = temperature.annotations.as_ref().ok_or("no hints")?;
        assert_eq!((hints.read_only_hint, hints.open_world_hint), (Some(true), Some(false)));
        assert_eq!((hints.destructive_hint, hints.idempotent_hint), (None, None));
        assert_eq!(find("calls")?.description.as_deref(), Some("How many calls"));
        assert_eq!(find("type")?.description, None);
        assert!(find("reading")?.output_schema.is_some());
    }
    Ok(())
}

/// The arguments of the same tool, written for a closure.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "read for its schema only")]
struct Temperature {
    /// City name
    city: String,
    unit: Option<Unit>,
    /// How many digits
    #[serde(default)]
    #[schemars(range(max = 3))]
    digits: usize,
}

#[tokio::test]
async fn the_schemas_are_those_of_the_same_tool_written_as_a_closure() -> Outcome {
    let twin = || {
        Server::new("twin", "1.0.0")
            .tool("calls", |(): (), _: Context| async { "" })
            .tool("temperature", |_: Temperature, _: Context| async { "" })
            .tool("reading", |(): (), _: Context| async {
                Json(Reading { city: String::new(), degrees: 0.0 })
            })
    };
    for (macros, closures) in weather().await?.zip(clients(twin).await?) {
        let (macros, closures) = (macros.list_all_tools().await?, closures.list_all_tools().await?);
        let schemas = |listing: &hermes::Listing<hermes::types::Tool>, name: &str| {
            let tool = listing.values().find(|tool| tool.name == name).cloned();
            tool.map(|tool| {
                let input: Result<Value, _> = tool.input_schema.decode();
                (input.ok(), tool.output_schema.map(|schema| schema.get().to_owned()))
            })
        };
        let described = |schema: Option<Value>| {
            // The struct of the twin has documentation of its own, which a method's arguments cannot have.
            let mut schema = schema.unwrap_or_default();
            if let Some(object) = schema.as_object_mut() {
                object.remove("description");
            }
            schema
        };
        for name in ["calls", "temperature"] {
            let (left, left_output) = schemas(&macros, name).ok_or("not listed")?;
            let (right, right_output) = schemas(&closures, name).ok_or("not listed")?;
            assert!(left.is_some());
            assert_eq!(described(left), described(right), "{name}");
            assert_eq!(left_output, right_output, "{name}");
        }
        let output = |listing| schemas(listing, "reading").map(|(_, output)| output);
        assert_eq!(output(&macros), output(&closures));
    }
    Ok(())
}

#[tokio::test]
async fn arguments_reach_the_parameters_and_all_calls_share_the_value() -> Outcome {
    for client in weather().await? {
        let text: String = client.call("temperature", json!({ "city": "Oslo" })).await?.read()?;
        assert_eq!(text, "-3.5");
        let warmer = json!({ "city": "Rome", "unit": "kelvin", "digits": 2 });
        let text: String = client.call("temperature", warmer).await?.read()?;
        assert_eq!(text, "294.15");
        let text: String = client.call("calls", json!({})).await?.read()?;
        assert_eq!(text, format!("2 under {}", client.revision()));
        let reading: Value = client.call("reading", json!({ "where": "Rome" })).await?.read()?;
        assert_eq!(reading, json!({ "city": "Rome", "degrees": 21.0 }));
        let no: bool = client.call("type", json!({ "match": true })).await?.read()?;
        assert!(!no);
    }
    Ok(())
}

#[tokio::test]
async fn any_error_becomes_a_result_that_shows_its_sources() -> Outcome {
    for client in weather().await? {
        let result = client.call("temperature", json!({ "city": "Atlantis" })).await?.into_value();
        assert!(result.is_error());
        let text = result.content.first().and_then(ContentBlock::as_text);
        assert_eq!(text, Some("no station in Atlantis: invalid float literal"));
    }
    Ok(())
}

#[tokio::test]
async fn prompts_declare_their_parameters_and_read_numbers_from_texts() -> Outcome {
    for client in weather().await? {
        let listing = client.list_all_prompts().await?;
        let prompt = listing.values().find(|prompt| prompt.name == "packing_list").ok_or("not listed")?;
        assert_eq!(prompt.description.as_deref(), Some("What to take along."));
        assert_eq!(prompt.title.as_deref(), Some("Packing"));
        let arguments: Vec<_> = prompt.arguments.iter().flatten().collect();
        let declared: Vec<_> = arguments.iter().map(|it| (it.name.as_str(), it.required)).collect();
        assert_eq!(declared, [("city", Some(true)), ("days", Some(true)), ("warm", Some(false))]);
        assert_eq!(arguments[0].description.as_deref(), Some("Where to"));

        let given = [("city", "Oslo"), ("days", "3")].map(|(name, text)| (name.to_owned(), text.to_owned()));
        let result = client.prompt("packing_list", &given.into()).await?.into_value();
        let text = result.messages.first().and_then(|message| message.content.as_text());
        assert_eq!(text, Some("Pack for 3 days in Oslo, warm: None"));
        let refused = client.prompt("refused", &BTreeMap::new()).await;
        assert!(refused.is_err_and(|error| error.is_remote()));
    }
    Ok(())
}

fn text(contents: &ResourceContents) -> Option<&str> {
    match contents {
        ResourceContents::Text(text) => Some(&text.text),
        _ => None,
    }
}

#[tokio::test]
async fn resources_are_read_and_templates_give_their_variables() -> Outcome {
    for client in weather().await? {
        let listing = client.list_all_resources().await?;
        let listed: Vec<_> = listing.values().collect();
        assert_eq!(listed.len(), 1);
        assert_eq!((listed[0].uri.as_str(), listed[0].name.as_str()), ("weather://stations", "stations"));
        assert_eq!(listed[0].description.as_deref(), Some("All stations."));
        let listing = client.list_all_resource_templates().await?;
        let mut templates: Vec<_> =
            listing.values().map(|it| (it.uri_template.as_str(), it.name.as_str())).collect();
        templates.sort_unstable();
        let expected =
            [("weather://archive/{+path}?day={day}", "archive"), ("weather://{city}/current", "now")];
        assert_eq!(templates, expected);

        for (uri, expected, mime) in [
            ("weather://stations", "Oslo, Rome", Some("text/plain")),
            ("weather://Oslo/current", r#"{"city":"Oslo","degrees":-3.5}"#, Some("application/json")),
            ("weather://archive/a/b%20c?day=7", "a/b c on day 7", None),
        ] {
            let read = client.read(uri).await?.into_value();
            assert_eq!(read.contents.first().and_then(text), Some(expected));
            let Some(ResourceContents::Text(contents)) = read.contents.first() else {
                return Err(uri.into());
            };
            assert_eq!((contents.uri.as_str(), contents.mime_type.as_deref()), (uri, mime));
        }
        let unfit = client.read("weather://archive/x?day=300").await;
        assert!(unfit.is_err_and(|error| error.is_not_found()));
    }
    Ok(())
}

#[tokio::test]
async fn what_the_block_does_not_offer_is_added_to_the_server_it_makes() -> Outcome {
    let server = || Weather::default().into_server().tool("extra", |(): (), _: Context| async { 7 });
    for client in clients(server).await? {
        let seven: i64 = client.call("extra", json!({})).await?.read()?;
        assert_eq!(seven, 7);
    }
    Ok(())
}
