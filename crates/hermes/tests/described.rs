//! What an author says of a server, its fields and its contents, as a client of each era sees it.

use std::fmt;

use hermes::EraChoice;
use hermes::prelude::*;
use hermes::types::{
    Annotations, ContentBlock, Icon, Implementation, Resource, ResourceLink, Role, TextContent,
};
use hermes_testkit::{Side, Tape};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// How urgent it is.
#[derive(Debug, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "lowercase")]
enum Urgency {
    /// Some day
    Low,
    /// At once
    High,
}

fn low() -> Urgency {
    Urgency::Low
}

/// A day, which is written as in `2026-07-28`.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Day {
    year: u16,
    month: u8,
    day: u8,
}

#[derive(Debug)]
struct NoDay(String);

impl fmt::Display for NoDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is no day", self.0)
    }
}

impl TryFrom<String> for Day {
    type Error = NoDay;

    fn try_from(text: String) -> Result<Self, NoDay> {
        let parsed = || {
            let (year, rest) = text.split_once('-')?;
            let (month, day) = rest.split_once('-')?;
            Some(Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? })
        };
        parsed().filter(|day| (1..=12).contains(&day.month)).ok_or(NoDay(text))
    }
}

impl JsonSchema for Day {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Day".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date" })
    }
}

#[derive(Deserialize, JsonSchema)]
struct Ticket {
    /// In a few words.
    #[schemars(length(min = 3, max = 40))]
    title: String,
    #[schemars(regex(pattern = "^[A-Z]+-[0-9]+$"))]
    key: String,
    #[schemars(range(min = 1, max = 5))]
    priority: u8,
    #[serde(default = "low")]
    urgency: Urgency,
    due: Day,
    #[schemars(extend("format" = "email"))]
    reporter: Option<String>,
    #[schemars(length(max = 2))]
    #[serde(default)]
    labels: Vec<String>,
}

fn tickets() -> Server {
    Server::new("tickets", "1.0.0").tool("open", |ticket: Ticket, _: Context| async move {
        let Ticket { title, key, priority, urgency, due, reporter, labels } = ticket;
        format!(
            "{key} {title} {priority} {urgency:?} {}.{}.{} {reporter:?} {labels:?}",
            due.day, due.month, due.year
        )
    })
}

/// One client per era; every message of both sides is judged.
async fn clients(server: impl Fn() -> Server) -> Result<([Client; 2], Tape), ClientError> {
    let tape = Tape::new(&[Side::Client, Side::Server]);
    let client = |era| {
        let ear = tape.ear();
        let builder = Client::builder().era(era).on_wire(move |direction, text| {
            let side = if direction == hermes::Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        });
        builder.connect(hermes::in_memory(server()))
    };
    Ok(([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?], tape))
}

fn text(result: &hermes::types::CallToolResult) -> &str {
    result.content.first().and_then(ContentBlock::as_text).unwrap_or_default()
}

#[tokio::test]
async fn what_an_author_says_of_a_field_is_in_its_schema() -> Outcome {
    let (clients, _tape) = clients(tickets).await?;
    for client in clients {
        let listing = client.list_all_tools().await?;
        let tool = listing.values().next().ok_or("no tool")?;
        let schema: Value = serde_json::from_str(tool.input_schema.get())?;
        assert_eq!(
            schema["properties"],
            json!({
                "title": { "type": "string", "description": "In a few words.", "minLength": 3, "maxLength": 40 },
                "key": { "type": "string", "pattern": "^[A-Z]+-[0-9]+$" },
                "priority": { "type": "integer", "minimum": 1, "maximum": 5 },
                "urgency": {
                    "description": "How urgent it is.",
                    "oneOf": [
                        { "type": "string", "const": "low", "description": "Some day" },
                        { "type": "string", "const": "high", "description": "At once" },
                    ],
                    "default": "low",
                },
                "due": { "type": "string", "format": "date" },
                "reporter": { "type": ["string", "null"], "format": "email" },
                "labels": {
                    "type": "array", "items": { "type": "string" }, "maxItems": 2, "default": [],
                },
            })
        );
        assert_eq!(schema["required"], json!(["title", "key", "priority", "due"]));
    }
    Ok(())
}

#[tokio::test]
async fn what_an_author_says_of_a_field_is_checked_before_the_handler_runs() -> Outcome {
    let (clients, _tape) = clients(tickets).await?;
    let good = json!({ "title": "Leak", "key": "A-1", "priority": 2, "due": "2026-07-28" });
    for client in clients {
        let opened = client.call("open", good.clone()).await?;
        assert_eq!(text(&opened), "A-1 Leak 2 Low 28.7.2026 None []");
        for (field, wrong) in [
            ("title", json!("no")),
            ("key", json!("a1")),
            ("priority", json!(6)),
            ("urgency", json!("soon")),
            ("due", json!("2026-13-01")),
            ("labels", json!(["a", "b", "c"])),
        ] {
            let mut arguments = good.clone();
            arguments[field] = wrong;
            let refused = client.call("open", arguments).await?;
            assert!(refused.is_error(), "{field}");
            assert!(text(&refused).contains(field), "{field}: {}", text(&refused));
        }
    }
    Ok(())
}

fn described() -> Server {
    let icon = || vec![Icon::new("https://example.org/icon.png")];
    Server::new("described", "1.0.0")
        .title("Described")
        .description("Says all there is to say")
        .website("https://example.org")
        .icons(icon())
        .instructions("Ask nicely.")
        .tool(
            ToolDef::new("look")
                .title("Look")
                .icons(icon())
                .meta(serde_json::from_value(json!({ "example.org/team": "sight" })).unwrap_or_default()),
            |(): (), _: Context| async { "seen" },
        )
}

#[tokio::test]
async fn a_server_and_its_tools_are_shown_with_all_that_is_said_of_them() -> Outcome {
    let (clients, _tape) = clients(described).await?;
    for client in clients {
        let shown: Implementation = client.server_info().ok_or("nobody")?;
        assert_eq!(shown.title.as_deref(), Some("Described"));
        assert_eq!(shown.description.as_deref(), Some("Says all there is to say"));
        assert_eq!(shown.website_url.as_deref(), Some("https://example.org"));
        assert_eq!(shown.icons.as_deref().map(<[Icon]>::len), Some(1));
        assert_eq!(client.instructions().as_deref(), Some("Ask nicely."));

        let listing = client.list_all_tools().await?;
        let tool = listing.values().next().ok_or("no tool")?;
        assert_eq!(tool.display_name(), "Look");
        assert_eq!(tool.icons.as_deref().map(<[Icon]>::len), Some(1));
        assert_eq!(json!(tool.meta), json!({ "example.org/team": "sight" }));
    }
    Ok(())
}

fn annotated() -> Server {
    Server::new("library", "1.0.0").tool("find", |(): (), _: Context| async {
        let hints = Annotations::default()
            .with_audience(vec![Role::User])
            .with_priority(0.5)
            .with_last_modified("2026-07-28T10:00:00Z");
        let mut said = TextContent::new("Here it is");
        said.annotations = Some(hints.clone());
        let book = Resource::new("file:///book.txt", "book")
            .with_title("The book")
            .with_mime_type("text/plain")
            .with_size(5_u64)
            .with_annotations(hints);
        vec![ContentBlock::Text(said), ContentBlock::ResourceLink(ResourceLink::from(book))]
    })
}

#[tokio::test]
async fn hints_and_sizes_of_contents_reach_the_client() -> Outcome {
    let (clients, _tape) = clients(annotated).await?;
    for client in clients {
        let found = client.call("find", ()).await?;
        let [ContentBlock::Text(said), ContentBlock::ResourceLink(link)] = found.content.as_slice() else {
            return Err(format!("something else: {:?}", found.content).into());
        };
        assert_eq!((link.size, link.title.as_deref()), (Some(5), Some("The book")));
        for hints in [&said.annotations, &link.annotations] {
            let hints = hints.as_ref().ok_or("no hints")?;
            assert_eq!(hints.audience.as_deref(), Some([Role::User].as_slice()));
            assert_eq!(hints.priority, Some(0.5));
            assert_eq!(hints.last_modified.as_deref(), Some("2026-07-28T10:00:00Z"));
        }
    }
    Ok(())
}

#[derive(Serialize, JsonSchema)]
struct Weather {
    degrees: f64,
    /// Nothing when it is calm.
    wind: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rain: Option<f64>,
}

fn weather() -> Server {
    Server::new("weather", "1.0.0")
        .tool("now", |(): (), _: Context| async { Json(Weather { degrees: -3.5, wind: None, rain: None }) })
}

#[tokio::test]
async fn a_success_may_lack_what_is_optional() -> Outcome {
    let (clients, _tape) = clients(weather).await?;
    for client in clients {
        let listing = client.list_all_tools().await?;
        let tool = listing.values().next().ok_or("no tool")?;
        let schema = tool.output_schema.as_ref().ok_or("no schema")?;
        let schema: Value = serde_json::from_str(schema.get())?;
        assert_eq!(schema["required"], json!(["degrees", "wind"]));
        // The client has the schema, and holds the result against it.
        let now: Value = client.call("now", ()).await?.read()?;
        assert_eq!(now, json!({ "degrees": -3.5, "wind": null }));
    }
    Ok(())
}
