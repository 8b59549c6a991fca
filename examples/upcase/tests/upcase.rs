//! Upcase, called over HTTP.

use std::collections::BTreeMap;
use std::process::Command;

use hermes::Heard;
use hermes::prelude::*;
use hermes::types::SubscriptionFilter;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::{structured, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// The server with a timer of this many seconds, and a client of it.
async fn served(seconds: &str) -> Result<(Daemon, Client), Box<dyn std::error::Error>> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_upcase"));
    let daemon = Daemon::run(command.args(["127.0.0.1:0", seconds]))?;
    let client = Client::connect(daemon.target().to_string()).await?;
    Ok((daemon, client))
}

#[tokio::test]
async fn a_text_is_upcased_and_analyzed() -> Outcome {
    let (_daemon, client) = served("60").await?;
    assert_eq!(text(client.call("upcase", json!({ "text": "hello" })).await), "HELLO");
    let analysis = structured(client.call("analyze_text", json!({ "text": "two words\nthree" })).await);
    assert_eq!(analysis, json!({ "characters": 15, "words": 3, "lines": 2 }));
    let examples = client.read("upcase://examples").await?;
    assert!(examples.raw.get().contains("STRASSE"));
    Ok(())
}

#[tokio::test]
async fn lists_come_page_by_page() -> Outcome {
    let (_daemon, client) = served("60").await?;
    let first = client.list_tools(None).await?;
    assert_eq!(first.entries.len(), 1);
    assert!(first.next_cursor.is_some());
    let names: Vec<String> = client.list_all_tools().await?.values().map(|tool| tool.name.clone()).collect();
    assert_eq!(names, ["analyze_text", "upcase"]);
    Ok(())
}

#[tokio::test]
async fn what_a_prompt_is_not_told_it_takes_from_its_defaults() -> Outcome {
    let (_daemon, client) = served("60").await?;
    let arguments = |more: &[(&str, &str)]| -> BTreeMap<String, String> {
        let given = [("text", "long story")].iter().chain(more);
        given.map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
    };
    let prompt = client.prompt("text_transform", &arguments(&[])).await?;
    assert!(
        prompt.raw.get().contains("in as few words as possible.\\n\\nlong story"),
        "{}",
        prompt.raw.get()
    );
    let more = [("style", "funny"), ("explain", "true")];
    let prompt = client.prompt("text_transform", &arguments(&more)).await?;
    assert!(prompt.raw.get().contains("so that people laugh. Explain what you changed."));
    Ok(())
}

#[tokio::test]
async fn who_listens_is_told_by_the_timer() -> Outcome {
    let (_daemon, client) = served("0.05").await?;
    let ticks = Some(vec!["upcase://ticks".to_owned()]);
    let wanted = SubscriptionFilter { resource_subscriptions: ticks, ..SubscriptionFilter::default() };
    let mut listening = client.listen(wanted).await?;
    let heard = listening.next().await?;
    assert!(
        matches!(heard, Some(Heard::Notice(ref notice)) if notice.method == "notifications/resources/updated"),
        "{heard:?}"
    );
    assert!(client.read("upcase://ticks").await?.raw.get().contains("text/plain"));
    Ok(())
}
