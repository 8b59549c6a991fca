//! Each of the ten programs does what its task says.
//!
//! The same tests judge the programs of the other toolkits: `TEN_TASKS` names a folder of programs, or of Python scripts
//! together with the interpreter that runs them, as `PYTHON:FOLDER`. See docs/ten-tasks.md.

use std::collections::BTreeMap;
use std::env;
use std::sync::Arc;

use hermes::prelude::*;
use hermes::types::{CompleteRequestParams, ElicitResult, RawJson, ResourceTemplateReference};
use hermes::{ClientBuilder, EraChoice, News};
use hermes_testkit::daemon::Daemon;
use hermes_testkit::{failure, structured, surface, text};
use serde_json::{Value, json};
use tokio::sync::Notify;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// What runs a program: words of a command line.
fn command(name: &str, ours: &str) -> Vec<String> {
    let Ok(others) = env::var("TEN_TASKS") else { return vec![ours.to_owned()] };
    match others.split_once(':') {
        Some((python, folder)) => vec![python.to_owned(), format!("{folder}/{name}.py")],
        None => vec![format!("{others}/{name}")],
    }
}

/// The command of one of the ten programs.
macro_rules! program {
    ($name:literal) => {
        command($name, env!(concat!("CARGO_BIN_EXE_", $name)))
    };
}

async fn connect(builder: ClientBuilder, words: Vec<String>) -> Result<Client, ClientError> {
    let mut words = words.into_iter();
    let command = Command::new(words.next().unwrap_or_default()).args(words);
    builder.era(EraChoice::Legacy).connect(command).await
}

/// Everything that a server shows.
async fn shown(client: &Client) -> Result<Value, Box<dyn std::error::Error>> {
    Ok(surface(client).await?.json().clone())
}

#[tokio::test]
async fn arguments_are_typed_and_described() -> Outcome {
    let client = connect(Client::builder(), program!("arguments")).await?;
    let tool = &shown(&client).await?["tools"]["repeat"];
    assert_eq!(tool["description"], "Repeats a text.");
    let properties = &tool["inputSchema"]["properties"];
    assert_eq!(properties["text"]["description"], "What to say");
    assert_eq!(properties["times"]["type"], "integer");
    assert_eq!(text(client.call("repeat", json!({ "text": "ha", "times": 3 })).await), "hahaha");
    Ok(())
}

#[tokio::test]
async fn a_result_is_structured_and_has_a_schema() -> Outcome {
    let client = connect(Client::builder(), program!("structured")).await?;
    let schema = &shown(&client).await?["tools"]["reading"]["outputSchema"];
    assert_eq!(schema["properties"]["temperature"]["description"], "In °C.");
    let reading = structured(client.call("reading", json!({ "city": "Oslo" })).await);
    assert_eq!(reading, json!({ "city": "Oslo", "temperature": -3.5 }));
    Ok(())
}

#[tokio::test]
async fn a_tool_that_fails_tells_the_model_why() -> Outcome {
    let client = connect(Client::builder(), program!("failure")).await?;
    assert_eq!(text(client.call("parse", json!({ "text": " 5 " })).await), "5");
    let reason = failure(client.call("parse", json!({ "text": "five" })).await);
    assert!(reason.contains("invalid"), "{reason}");
    Ok(())
}

#[tokio::test]
async fn progress_is_told_file_by_file() -> Outcome {
    let client = connect(Client::builder(), program!("progress")).await?;
    let mut told = Vec::new();
    let call = client.call("copy", json!({ "files": ["a", "b"] }));
    let outcome = call.on_progress(|step| told.push((step.progress, step.total, step.message.clone()))).await;
    assert_eq!(text(outcome), "done");
    assert_eq!(told, [(1.0, Some(2.0), Some("a".to_owned())), (2.0, Some(2.0), Some("b".to_owned()))]);
    Ok(())
}

#[tokio::test]
async fn the_user_is_asked_and_may_decline() -> Outcome {
    let guest = RawJson::parse(r#"{"name":"Ada","seats":2}"#.to_owned())?;
    for (answer, expected) in
        [(ElicitResult::accept(guest), "2 seats for Ada"), (ElicitResult::decline(), "no table")]
    {
        let builder = Client::builder().on_elicit(move |question| {
            assert_eq!(question.message, "Who is coming?");
            let answer = answer.clone();
            async move { Ok(answer) }
        });
        let client = connect(builder, program!("question")).await?;
        assert_eq!(text(client.call("book", json!({})).await), expected);
    }
    Ok(())
}

#[tokio::test]
async fn a_template_is_read_and_completed() -> Outcome {
    let client = connect(Client::builder(), program!("template")).await?;
    let template = &shown(&client).await?["resourceTemplates"]["weather://{city}"];
    assert_eq!(template["description"], "The weather of a city.");
    let contents: Value = client.read("weather://Oslo").await?.raw.decode()?;
    assert_eq!(contents["contents"][0]["text"], "Oslo: sunny");
    let typed = CompleteRequestParams::new(ResourceTemplateReference::new("weather://{city}"), "city", "Lo");
    assert_eq!(client.complete(&typed).await?.completion.values, ["London"]);
    Ok(())
}

#[tokio::test]
async fn a_prompt_has_described_arguments_of_which_one_may_be_left_out() -> Outcome {
    let client = connect(Client::builder(), program!("prompt")).await?;
    let prompt = &shown(&client).await?["prompts"]["review"];
    assert_eq!(prompt["description"], "Asks for a review.");
    assert!(prompt["arguments"][0]["description"].as_str().is_some_and(|text| text.starts_with("The code")));
    let code = ("code".to_owned(), "x".to_owned());
    let language = ("language".to_owned(), "Rust".to_owned());
    let alone = BTreeMap::from([code.clone()]);
    for (arguments, expected) in
        [(alone, "Review this code: x"), (BTreeMap::from([code, language]), "Review this Rust: x")]
    {
        let prompt: Value = client.prompt("review", &arguments).await?.raw.decode()?;
        assert_eq!(prompt["messages"][0]["content"]["text"], expected);
    }
    Ok(())
}

#[tokio::test]
async fn a_tool_comes_while_the_server_runs_and_clients_are_told() -> Outcome {
    let told = Arc::new(Notify::new());
    let teller = Arc::clone(&told);
    let builder = Client::builder().on_notification(move |notice| {
        if matches!(notice.news(), News::ToolsChanged) {
            teller.notify_one();
        }
    });
    let client = connect(builder, program!("later")).await?;
    assert_eq!(client.list_all_tools().await?.entries.len(), 1);
    assert_eq!(text(client.call("begin", json!({})).await), "the sale has begun");
    told.notified().await;
    assert_eq!(client.list_all_tools().await?.entries.len(), 2);
    assert_eq!(text(client.call("sale", json!({})).await), "half price");
    Ok(())
}

#[tokio::test]
async fn calls_share_a_value() -> Outcome {
    let client = connect(Client::builder(), program!("state")).await?;
    for expected in ["1", "2"] {
        assert_eq!(text(client.call("count", json!({})).await), expected);
    }
    Ok(())
}

#[tokio::test]
async fn a_server_over_http_says_where_it_is() -> Outcome {
    let words = program!("over_http");
    let daemon = Daemon::run(std::process::Command::new(&words[0]).args(&words[1..]))?;
    let target = daemon.target();
    let url = format!("http://{}{}", target.host, target.path);
    let client = Client::connect(url.as_str()).await?;
    assert_eq!(text(client.call("greet", json!({ "name": "Ada" })).await), "Hello, Ada");
    Ok(())
}
