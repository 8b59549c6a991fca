//! Dates, nested types and other fields with a form of their own, as native types of handlers.

use hermes::EraChoice;
use hermes::prelude::*;
use hermes::types::ContentBlock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// With chrono.
#[tool]
fn days_between(from: chrono::NaiveDate, to: chrono::NaiveDate) -> i64 {
    (to - from).num_days()
}

/// With jiff.
#[tool]
fn weekday(day: jiff::civil::Date, at: Option<jiff::Timestamp>) -> String {
    format!("{:?} {}", day.weekday(), at.map_or(0, jiff::Timestamp::as_second))
}

/// With time, which has no schema of its own.
#[tool]
fn hour(
    #[serde(with = "time::serde::rfc3339")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    at: time::OffsetDateTime,
) -> u8 {
    at.hour()
}

#[tool]
fn write_to(#[schemars(email)] whom: String, #[schemars(url)] see: Option<String>) -> String {
    format!("{whom} {see:?}")
}

#[derive(Deserialize, JsonSchema)]
struct Leg {
    /// Where it ends
    to: Place,
    #[schemars(range(min = 1, max = 9))]
    seats: u8,
}

#[derive(Deserialize, JsonSchema)]
struct Place {
    #[schemars(length(min = 2))]
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Folder {
    name: String,
    #[serde(default)]
    #[schemars(length(max = 3))]
    inside: Vec<Self>,
}

impl Folder {
    fn count(&self) -> usize {
        1 + self.inside.iter().map(Self::count).sum::<usize>()
    }
}

#[tool]
fn travel(home: Place, legs: Vec<Leg>) -> String {
    let stops = legs.iter().map(|leg| format!("{} ({})", leg.to.name, leg.seats));
    std::iter::once(home.name).chain(stops).collect::<Vec<_>>().join(" - ")
}

#[tool]
fn count(folder: Folder) -> String {
    format!("{} has {}", folder.name, folder.count())
}

fn server() -> Server {
    Server::new("dates", "1.0.0")
        .with(days_between)
        .with(weekday)
        .with(hour)
        .with(write_to)
        .with(travel)
        .with(count)
}

async fn clients() -> Result<[Client; 2], ClientError> {
    let client = |era| Client::builder().era(era).connect(hermes::in_memory(server()));
    Ok([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?])
}

async fn schema(client: &Client, tool: &str) -> Result<Value, Box<dyn std::error::Error>> {
    let tools = client.list_all_tools().await?;
    let found = tools.values().find(|it| it.name == tool).ok_or("not listed")?;
    Ok(found.input_schema.decode()?)
}

/// Whether the call succeeds, and what it says.
async fn call(client: &Client, tool: &str, arguments: Value) -> Result<(bool, String), ClientError> {
    let result = client.call(tool, arguments).await?.into_value();
    let said = result.content.first().and_then(ContentBlock::as_text).unwrap_or_default();
    Ok((!result.is_error(), said.to_owned()))
}

#[tokio::test]
async fn dates_of_every_well_known_crate_are_read_into_their_types() -> Outcome {
    for client in clients().await? {
        let format = |schema: &Value, field: &str| schema["properties"][field]["format"].clone();
        assert_eq!(format(&schema(&client, "days_between").await?, "from"), "date");
        assert_eq!(format(&schema(&client, "weekday").await?, "day"), "date");
        assert_eq!(format(&schema(&client, "hour").await?, "at"), "date-time");
        for (tool, arguments, expected) in [
            ("days_between", json!({ "from": "2026-02-27", "to": "2026-03-01" }), "2"),
            ("weekday", json!({ "day": "2026-07-28", "at": "1970-01-01T00:01:00Z" }), "Tuesday 60"),
            ("weekday", json!({ "day": "2026-07-28" }), "Tuesday 0"),
            ("hour", json!({ "at": "2026-07-28T13:05:00+02:00" }), "13"),
        ] {
            assert_eq!(call(&client, tool, arguments).await?, (true, expected.to_owned()), "{tool}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn what_has_not_the_form_is_told_with_its_path_before_the_handler_runs() -> Outcome {
    for client in clients().await? {
        for (tool, arguments, path) in [
            ("days_between", json!({ "from": "2026-02-30", "to": "2026-03-01" }), "`/from`"),
            ("days_between", json!({ "from": "2026-02-27", "to": 5 }), "`/to`"),
            ("weekday", json!({ "day": "28.7.2026" }), "`/day`"),
            ("weekday", json!({ "day": "2026-07-28", "at": "noon" }), "`/at`"),
            ("hour", json!({ "at": "2026-07-28" }), "`/at`"),
            ("write_to", json!({ "whom": "nobody" }), "`/whom`"),
            ("write_to", json!({ "whom": "a@b.example", "see": "no url" }), "`/see`"),
            (
                "travel",
                json!({ "home": { "name": "Oslo" }, "legs": [{ "to": { "name": "X" }, "seats": 1 }] }),
                "`/legs/0/to/name`",
            ),
            (
                "travel",
                json!({ "home": { "name": "Oslo" }, "legs": [{ "to": { "name": "Rome" }, "seats": 0 }] }),
                "`/legs/0/seats`",
            ),
            ("travel", json!({ "home": {}, "legs": [] }), "`/home/name`"),
            (
                "count",
                json!({ "folder": { "name": "a", "inside": [{ "name": "b", "inside": [{}] }] } }),
                "`/folder/inside/0/inside/0/name`",
            ),
        ] {
            let (succeeded, said) = call(&client, tool, arguments).await?;
            assert!(!succeeded && said.contains(path), "{tool}: {said}");
        }
        let written =
            call(&client, "write_to", json!({ "whom": "a@b.example", "see": "https://b.example/" }));
        assert!(written.await?.0);
    }
    Ok(())
}

#[tokio::test]
async fn types_inside_types_are_written_out_and_only_recursion_keeps_references() -> Outcome {
    for client in clients().await? {
        let travel = schema(&client, "travel").await?;
        assert_eq!(
            travel["properties"]["legs"]["items"]["properties"]["to"],
            json!({
                "type": "object", "description": "Where it ends",
                "properties": { "name": { "type": "string", "minLength": 2 } }, "required": ["name"],
            })
        );
        let text = travel.to_string();
        assert!(!text.contains("$ref") && !text.contains("$defs"), "{text}");
        let count = schema(&client, "count").await?.to_string();
        assert!(count.contains("$ref") && count.contains("$defs"), "{count}");
        let folder =
            json!({ "name": "a", "inside": [{ "name": "b" }, { "name": "c", "inside": [{ "name": "d" }] }] });
        assert_eq!(call(&client, "count", json!({ "folder": folder })).await?, (true, "a has 4".to_owned()));
    }
    Ok(())
}
