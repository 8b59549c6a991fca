//! Components as types, written by hand: each with state of its own.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use hermes_server::{
    Completing, Context, Prompt, Resource, Server, Template, Tool, ToolDef, ToolError, name_of,
};
use hermes_types::{Fault, ResourceTemplate, Revision};
use serde_json::{Value, json};

use crate::client::Client;

struct Search {
    words: Vec<&'static str>,
}

/// What to search for.
#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Query {
    /// A word, or its beginning
    word: String,
}

/// Only gives its name.
struct SearchWords<T>(T);

impl Tool for Search {
    type Args = Query;
    type Output = Result<String, ToolError>;

    fn def(&self) -> ToolDef {
        ToolDef::of::<SearchWords<Self>>().description("Finds a word").read_only()
    }

    async fn call(&self, query: Query, _: Context) -> Self::Output {
        let found = self.words.iter().find(|word| word.starts_with(&query.word));
        Ok((*found.ok_or("no such word")?).to_owned())
    }
}

#[tokio::test(start_paused = true)]
async fn a_type_is_a_tool_with_a_state_of_its_own() {
    let server = Server::new("test", "1").with(Search { words: vec!["mercury", "minerva"] });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let listed = client.result(json!(0), "tools/list", json!({})).await;
    let tool = &listed["tools"][0];
    assert_eq!((&tool["name"], &tool["description"]), (&json!("search_words"), &json!("Finds a word")));
    assert_eq!(tool["inputSchema"]["properties"]["word"]["description"], "A word, or its beginning");
    let found = client.call(1, "search_words", json!({ "word": "min" })).await;
    assert_eq!(found["content"][0]["text"], "minerva");
    let none = client.call(2, "search_words", json!({ "word": "x" })).await;
    assert_eq!((&none["isError"], &none["content"][0]["text"]), (&json!(true), &json!("no such word")));
}

struct PackingList {
    cities: Vec<&'static str>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Journey {
    /// Where to
    city: String,
    days: Option<u8>,
}

impl Prompt for PackingList {
    type Args = Journey;
    type Output = Result<String, ToolError>;

    const COMPLETED: &'static [&'static str] = &["city", "days"];

    async fn get(&self, Journey { city, days }: Journey, _: Context) -> Self::Output {
        if !self.cities.contains(&city.as_str()) {
            return Err("nobody goes there".into());
        }
        Ok(format!("What do I need for {} days in {city}?", days.unwrap_or(1)))
    }

    async fn complete(
        &self,
        argument: &str,
        typed: Completing,
        _: Context,
    ) -> Result<Vec<String>, ToolError> {
        match (argument, typed.argument("city")) {
            ("city", _) => Ok(typed.among(self.cities.iter().map(|city| (*city).to_owned()))),
            (_, Some("Oslo")) => Ok(vec!["7".to_owned()]),
            _ => Err("say the city first".into()),
        }
    }
}

async fn proposed(client: &mut Client, params: Value) -> Value {
    client.result(json!(9), "completion/complete", params).await["completion"]["values"].clone()
}

#[tokio::test(start_paused = true)]
async fn a_type_is_a_prompt_and_completes_its_arguments() {
    let server = Server::new("test", "1").with(PackingList { cities: vec!["Oslo", "Rome"] });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let listed = client.result(json!(0), "prompts/list", json!({})).await;
    assert_eq!(
        listed["prompts"],
        json!([{ "name": "packing_list", "arguments": [
            { "name": "city", "description": "Where to", "required": true },
            { "name": "days", "required": false },
        ] }])
    );
    let asked = json!({ "name": "packing_list", "arguments": { "city": "Oslo", "days": "3" } });
    let got = client.result(json!(1), "prompts/get", asked).await;
    assert_eq!(got["messages"][0]["content"]["text"], "What do I need for 3 days in Oslo?");
    let asked = json!({ "name": "packing_list", "arguments": { "city": "Atlantis" } });
    let refused = client.error(json!(2), "prompts/get", asked).await;
    assert_eq!(refused["message"], "nobody goes there");

    let reference = json!({ "type": "ref/prompt", "name": "packing_list" });
    let city = json!({ "ref": reference, "argument": { "name": "city", "value": "r" } });
    assert_eq!(proposed(&mut client, city).await, json!(["Rome"]));
    let days = json!({
        "ref": reference, "argument": { "name": "days", "value": "" }, "context": { "arguments": { "city": "Oslo" } },
    });
    assert_eq!(proposed(&mut client, days).await, json!(["7"]));
    let days = json!({ "ref": reference, "argument": { "name": "days", "value": "" } });
    let refused = client.error(json!(3), "completion/complete", days).await;
    assert_eq!(refused["message"], "say the city first");
}

struct Visitors {
    so_far: AtomicU32,
}

impl Resource for Visitors {
    type Output = String;

    fn def(&self) -> hermes_types::Resource {
        hermes_types::Resource::new("page://visitors", name_of::<Self>()).with_mime_type("text/plain")
    }

    async fn read(&self, _: Context) -> String {
        (self.so_far.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}

struct Ages(BTreeMap<&'static str, u8>);

#[derive(serde::Deserialize)]
struct User {
    name: String,
}

impl Template for Ages {
    type Args = User;
    type Output = Result<String, ToolError>;

    const COMPLETED: &'static [&'static str] = &["name"];

    fn def(&self) -> ResourceTemplate {
        ResourceTemplate::new("ages://{name}", name_of::<Self>())
    }

    async fn read(&self, User { name }: User, _: Context) -> Self::Output {
        let absent = || ToolError::refuse(Fault::resource_not_found(&format!("ages://{name}")));
        Ok(self.0.get(name.as_str()).ok_or_else(absent)?.to_string())
    }

    async fn complete(&self, _: &str, typed: Completing, _: Context) -> Result<Vec<String>, ToolError> {
        Ok(typed.among(self.0.keys().map(|name| (*name).to_owned())))
    }
}

#[tokio::test(start_paused = true)]
async fn a_type_is_a_resource_and_another_a_template_of_them() {
    let server = Server::new("test", "1")
        .with(Visitors { so_far: AtomicU32::new(41) })
        .with(Ages(BTreeMap::from([("Ada", 36), ("Alan", 41)])));
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let listed = client.result(json!(0), "resources/list", json!({})).await;
    let expected = json!([{ "uri": "page://visitors", "name": "visitors", "mimeType": "text/plain" }]);
    assert_eq!(listed["resources"], expected);
    let listed = client.result(json!(1), "resources/templates/list", json!({})).await;
    let expected = json!([{ "uriTemplate": "ages://{name}", "name": "ages" }]);
    assert_eq!(listed["resourceTemplates"], expected);
    for (id, uri, text) in
        [(2, "page://visitors", "42"), (3, "page://visitors", "43"), (4, "ages://Ada", "36")]
    {
        let read = client.result(json!(id), "resources/read", json!({ "uri": uri })).await;
        assert_eq!((&read["contents"][0]["uri"], &read["contents"][0]["text"]), (&json!(uri), &json!(text)));
    }
    let absent = client.error(json!(5), "resources/read", json!({ "uri": "ages://Bob" })).await;
    assert_eq!(absent["code"], -32002);
    let name = json!({
        "ref": { "type": "ref/resource", "uri": "ages://{name}" }, "argument": { "name": "name", "value": "al" },
    });
    assert_eq!(proposed(&mut client, name).await, json!(["Alan"]));
}

/// Says that it completes what it does not have.
struct Wishful;

impl Prompt for Wishful {
    type Args = ();
    type Output = &'static str;

    const COMPLETED: &'static [&'static str] = &["more"];

    async fn get(&self, (): (), _: Context) -> &'static str {
        "done"
    }
}

#[test]
fn what_a_type_does_not_have_it_cannot_complete() {
    let flaws = Server::new("test", "1").with(Wishful).check().expect_err("it has a flaw");
    let told: Vec<_> = flaws.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["prompt \"wishful\": it has no argument \"more\" that could be completed"]);
}
