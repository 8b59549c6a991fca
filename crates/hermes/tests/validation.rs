//! What can be said of an argument beside its type: it is in the schema, and a call that breaks it is told where.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use hermes::EraChoice;
use hermes::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// How it travels.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Way {
    /// A week or so
    #[default]
    #[schemars(title = "By ship")]
    Sea,
    #[schemars(title = "By plane")]
    AirMail,
}

fn one() -> u8 {
    1
}

#[derive(Deserialize, JsonSchema, Serialize)]
struct Place {
    #[schemars(length(min = 2))]
    city: String,
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    from: Place,
    to: Vec<Place>,
    way: Way,
}

/// Sends parcels.
#[tool]
fn send(
    #[schemars(range(min = 1, max = 9))]
    #[serde(default = "one")]
    parcels: u8,
    #[schemars(range(min = -0.5, max = 0.5))] tilt: Option<f64>,
    #[schemars(extend("multipleOf" = 5))] grams: Option<u32>,
    #[schemars(length(min = 2, max = 4))] note: Option<String>,
    #[schemars(length(equal = 3))] code: Option<String>,
    #[schemars(regex(pattern = "^[a-z]+$"))] word: Option<String>,
    #[schemars(contains(pattern = "@home"))] tag: Option<String>,
    #[schemars(length(max = 2), inner(length(max = 3)))] labels: Option<Vec<String>>,
    #[schemars(extend("uniqueItems" = true))] rooms: Option<Vec<u8>>,
    #[schemars(email)] sender: Option<String>,
    #[schemars(url)] page: Option<String>,
    #[schemars(extend("format" = "uuid"))] id: Option<String>,
    #[schemars(extend("format" = "duration"))] within: Option<String>,
    #[schemars(extend("format" = "hostname"))] host: Option<String>,
    address: Option<Ipv4Addr>,
    day: Option<chrono::NaiveDate>,
    at: Option<jiff::Timestamp>,
    #[serde(default)] way: Way,
    sizes: Option<BTreeMap<String, u8>>,
    #[schemars(inner(range(min = 0)))] pair: Option<(i32, i32)>,
    places: Option<Vec<Place>>,
) -> Json<Receipt> {
    drop((tilt, grams, note, code, word, tag, labels, rooms, sender, page, id, within, host, address));
    drop((day, at, sizes, pair));
    assert!(parcels > 0);
    let city = |city: &str| Place { city: city.to_owned() };
    Json(Receipt { from: city("Oslo"), to: places.unwrap_or_default(), way })
}

async fn clients() -> Result<[Client; 2], ClientError> {
    let server = || Server::new("post", "1.0.0").with(send);
    let client = |era| Client::builder().era(era).connect(hermes::in_memory(server()));
    Ok([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?])
}

/// What is in the schema of an argument: a pointer into it, and the value there.
const SAID: [(&str, &str, &str); 22] = [
    ("parcels", "/minimum", "1"),
    ("parcels", "/maximum", "9"),
    ("parcels", "/default", "1"),
    ("tilt", "/minimum", "-0.5"),
    ("grams", "/multipleOf", "5"),
    ("note", "/minLength", "2"),
    ("note", "/maxLength", "4"),
    ("code", "/minLength", "3"),
    ("word", "/pattern", r#""^[a-z]+$""#),
    ("tag", "/pattern", r#""@home""#),
    ("labels", "/maxItems", "2"),
    ("labels", "/items/maxLength", "3"),
    ("rooms", "/uniqueItems", "true"),
    ("sender", "/format", r#""email""#),
    ("page", "/format", r#""uri""#),
    ("id", "/format", r#""uuid""#),
    ("address", "/format", r#""ipv4""#),
    ("day", "/format", r#""date""#),
    ("at", "/format", r#""date-time""#),
    ("way", "/default", r#""sea""#),
    ("way", "/oneOf/0/title", r#""By ship""#),
    ("way", "/oneOf/1", r#"{"type":"string","const":"air-mail","title":"By plane"}"#),
];

/// A call that breaks one rule, and where that is told. An empty path: the argument itself.
fn broken() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("parcels", json!(0), ""),
        ("parcels", json!(10), ""),
        ("parcels", json!("many"), ""),
        ("tilt", json!(0.6), ""),
        ("grams", json!(7), ""),
        ("note", json!("a"), ""),
        ("note", json!("abcde"), ""),
        ("code", json!("ab"), ""),
        ("word", json!("A"), ""),
        ("tag", json!("home"), ""),
        ("labels", json!(["a", "b", "c"]), ""),
        ("labels", json!(["a", "long"]), "/1"),
        ("rooms", json!([1, 1]), ""),
        ("sender", json!("nobody"), ""),
        ("page", json!("no page"), ""),
        ("id", json!("7"), ""),
        ("within", json!("soon"), ""),
        ("host", json!("-"), ""),
        ("address", json!("1.2.3"), ""),
        ("day", json!("2026-02-30"), ""),
        ("at", json!("2026-02-03"), ""),
        ("way", json!("By ship"), ""),
        ("sizes", json!({ "a": 256 }), "/a"),
        ("places", json!([{ "city": "Oslo" }, { "city": "X" }]), "/1/city"),
        ("places", json!([{}]), "/0/city"),
    ]
}

#[tokio::test]
async fn each_rule_is_in_the_schema_of_its_argument() -> Outcome {
    for client in clients().await? {
        let tools = client.list_all_tools().await?;
        let tool = tools.values().next().ok_or("no tool")?;
        let schema: Value = tool.input_schema.decode()?;
        for (argument, pointer, expected) in SAID {
            let found = schema["properties"][argument].pointer(pointer);
            let expected: Value = serde_json::from_str(expected)?;
            assert_eq!(found, Some(&expected), "{argument}{pointer} in {}", schema["properties"][argument]);
        }
        assert_eq!(schema["required"], Value::Null, "whatever has a default may be left out");
    }
    Ok(())
}

#[tokio::test]
async fn each_broken_rule_is_told_with_the_path_of_the_value() -> Outcome {
    for client in clients().await? {
        for (argument, value, below) in broken() {
            let outcome = client.call("send", json!({ argument: value })).await?.into_value();
            let said = outcome.content.first().and_then(ContentBlock::as_text).unwrap_or_default();
            let path = format!("`/{argument}{below}`");
            assert!(outcome.is_error() && said.contains(&path), "{argument}: {said}");
        }
        let all = json!({
            "parcels": 9, "tilt": -0.5, "grams": 25, "note": "abcd", "code": "abc", "word": "a", "tag": "is@home",
            "labels": ["a", "abc"], "rooms": [1, 2], "sender": "a@b.example", "page": "https://b.example/",
            "id": "67e55044-10b1-426f-9247-bb680e5fe0c8", "within": "P1D", "host": "b.example",
            "address": "127.0.0.1", "day": "2026-02-28", "at": "2026-02-03T04:05:06Z", "way": "air-mail",
            "sizes": { "a": 255 }, "pair": [1, 2], "places": [{ "city": "Rome" }],
        });
        let receipt: Value = client.call("send", all).await?.read()?;
        let expected = json!({ "from": { "city": "Oslo" }, "to": [{ "city": "Rome" }], "way": "air-mail" });
        assert_eq!(receipt, expected);
    }
    Ok(())
}

#[tokio::test]
async fn neither_schema_of_a_tool_has_references_to_follow() -> Outcome {
    for client in clients().await? {
        let tools = client.list_all_tools().await?;
        let tool = tools.values().next().ok_or("no tool")?;
        let output: Value = tool.output_schema.as_ref().ok_or("no schema")?.decode()?;
        let place = json!({
            "type": "object", "properties": { "city": { "type": "string", "minLength": 2 } }, "required": ["city"],
        });
        assert_eq!(output["properties"]["from"], place);
        assert_eq!(output["properties"]["to"]["items"], place);
        for schema in [output.to_string(), tool.input_schema.get().to_owned()] {
            assert!(!schema.contains("$ref") && !schema.contains("$defs"), "{schema}");
        }
    }
    Ok(())
}

/// A tool of another server, with references in its schemas.
fn brought(is_inlined: bool) -> Server {
    let input = r##"{"type":"object","properties":{"to":{"$ref":"#/$defs/city"}},"required":["to"],"$defs":{"city":{"type":"string","minLength":2}}}"##;
    let output = r##"{"type":"object","properties":{"at":{"$ref":"#/$defs/city"}},"$defs":{"city":{"type":"string"}}}"##;
    let schema = |text: &str| RawJson::parse(text).unwrap_or_else(|_| RawJson::empty_object());
    let mut tool = hermes::types::Tool::new("travel", schema(input));
    tool.output_schema = Some(schema(output));
    let def = ToolDef::from(tool);
    let def = if is_inlined { def.without_refs() } else { def };
    Server::new("gateway", "1.0.0").raw_tool(def, |arguments: RawJson, _: Context| async move {
        #[derive(Deserialize)]
        struct Arguments {
            to: String,
        }
        let Arguments { to } = arguments.decode()?;
        Ok(hermes::types::CallToolResult::structured(RawJson::encode(&json!({ "at": to }))?))
    })
}

#[tokio::test]
async fn a_gateway_lists_schemas_word_for_word_or_with_their_references_written_out() -> Outcome {
    for era in [EraChoice::Legacy, EraChoice::Modern] {
        for is_inlined in [false, true] {
            let client = Client::builder().era(era).connect(hermes::in_memory(brought(is_inlined))).await?;
            let tools = client.list_all_tools().await?;
            let tool = tools.values().next().ok_or("no tool")?;
            let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()];
            for schema in schemas {
                assert_eq!(schema.ok_or("no schema")?.get().contains("$ref"), !is_inlined);
            }
            let there: Value = client.call("travel", json!({ "to": "Oslo" })).await?.read()?;
            assert_eq!(there, json!({ "at": "Oslo" }));
            let refused = client.call("travel", json!({ "to": "X" })).await?.into_value();
            let said = refused.content.first().and_then(ContentBlock::as_text).unwrap_or_default();
            assert!(refused.is_error() && said.contains("`/to`"), "{said}");
        }
    }
    Ok(())
}
