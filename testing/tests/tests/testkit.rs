//! The parts of the testkit that are for authors of servers and clients.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hermes::prelude::*;
use hermes::{EraChoice, types::Revision};
use hermes_testkit::{FakeServer, Surface, contents, failure, messages, refusal, structured, surface, text};
use serde_json::{Value, json};

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Quotient {
    quotient: i64,
}

/// Divides two integers.
#[tool(read_only)]
fn divide(
    /** What is divided */
    a: i64,
    b: i64,
) -> Result<Json<Quotient>, ToolError> {
    let quotient = a.checked_div(b).ok_or("b must not be 0")?;
    Ok(Json(Quotient { quotient }))
}

/// Asks for a proof.
#[prompt]
fn prove(claim: String) -> String {
    format!("Prove that {claim}.")
}

/// One of the tables.
#[resource("tables://{number}", name = "table")]
fn table(number: u8) -> String {
    (1..=10).map(|factor| (factor * u32::from(number)).to_string()).collect::<Vec<_>>().join(" ")
}

/// All that there is to know.
#[resource("tables://pi", mime = "text/plain")]
fn pi() -> &'static str {
    "3.14"
}

fn server() -> Server {
    Server::new("sums", "1.0.0").instructions("Ask for sums.").with(divide).with(prove).with(table).with(pi)
}

async fn seen(server: Server, era: EraChoice) -> Result<Surface, Box<dyn std::error::Error>> {
    let client = Client::builder().era(era).connect(hermes::in_memory(server)).await?;
    Ok(surface(&client).await?)
}

/// With what a function fails the test.
fn complaint<T: std::fmt::Debug>(run: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(run)).expect_err("it should fail the test");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

#[tokio::test]
async fn a_surface_is_what_clients_see_of_a_server() -> Outcome {
    seen(server(), EraChoice::Modern).await?.assert_file("tests/testkit/surface.json");
    Ok(())
}

#[tokio::test]
async fn a_surface_is_the_same_after_a_release_and_in_whatever_order_it_was_put_together() -> Outcome {
    let other = Server::new("sums", "2.0.0").instructions("Ask for sums.");
    let other = other.with(pi).with(table).with(prove).with(divide);
    assert_eq!(seen(server(), EraChoice::Modern).await?, seen(other, EraChoice::Modern).await?);
    Ok(())
}

#[tokio::test]
async fn a_surface_is_of_the_revision_that_client_and_server_agreed_on() -> Outcome {
    let (older, newer) = (seen(server(), EraChoice::Legacy).await?, seen(server(), EraChoice::Modern).await?);
    assert_eq!(older.json()["revision"], Revision::V2025_11_25.as_str());
    assert_eq!(newer.json()["revision"], Revision::LATEST.as_str());
    for member in ["server", "instructions", "prompts", "resources", "resourceTemplates"] {
        assert_eq!(older.json()[member], newer.json()[member], "{member}");
    }
    Ok(())
}

#[tokio::test]
async fn what_a_change_does_to_clients_is_named_place_by_place() -> Outcome {
    let changed = server().instructions("Ask for sums and quotients.");
    changed.handle().disable(Part::Prompt("prove"));
    let before = seen(server(), EraChoice::Modern).await?;
    let differences = before.differences(&seen(changed, EraChoice::Modern).await?);
    let shown: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert_eq!(
        shown,
        [
            r#"~ instructions: "Ask for sums." is now "Ask for sums and quotients.""#,
            r#"- prompts: {"prove":{"arguments":[{"name":"claim","required":true}],"description":"Asks for a proof."}}"#,
        ]
    );
    Ok(())
}

#[tokio::test]
async fn two_entries_of_one_name_are_no_surface() -> Outcome {
    let (mut server, stream) = FakeServer::pair();
    let (reader, writer) = tokio::io::split(stream);
    let (client, ()) = tokio::join!(Client::over(reader, writer), server.open_modern(json!({ "tools": {} })));
    let client = client?;
    let tool = json!({ "name": "add", "inputSchema": { "type": "object" } });
    let list =
        json!({ "resultType": "complete", "tools": [tool, tool], "ttlMs": 0, "cacheScope": "private" });
    let (read, _) = tokio::join!(surface(&client), server.answer("tools/list", list));
    let error = read.expect_err("two of one name");
    assert_eq!(error.to_string(), "the server has two tools named `add`: give one of them another name");
    Ok(())
}

#[tokio::test]
async fn an_outcome_of_another_kind_fails_the_test_and_is_shown() -> Outcome {
    let client = Client::connect(hermes::in_memory(server())).await?;
    let by = async |b: i64| client.call("divide", json!({ "a": 8, "b": b })).await;
    assert_eq!(structured(by(2).await), json!({ "quotient": 4 }));
    assert_eq!(text(by(2).await), r#"{"quotient":4}"#);
    assert_eq!(failure(by(0).await), "b must not be 0");
    assert_eq!(refusal(client.call("multiply", json!({})).await).code, -32602);
    assert_eq!(contents(client.read("tables://pi").await), "3.14");
    let claim = BTreeMap::from([("claim".to_owned(), "2 > 1".to_owned())]);
    assert_eq!(messages(client.prompt("prove", &claim).await), ["user: Prove that 2 > 1."]);

    let (fine, failed, refused) = (by(2).await, by(0).await, client.call("multiply", json!({})).await);
    assert!(complaint(|| failure(fine)).contains(r#"the tool did not fail: {"#));
    assert!(complaint(|| text(failed)).starts_with("the tool failed: {"));
    assert!(complaint(|| structured(refused)).starts_with("the tool was not called: tools/call failed: "));
    let (missing, unknown) = (client.read("tables://").await, client.prompt("disprove", &claim).await);
    assert!(complaint(|| contents(missing)).starts_with("the resource was not read: "));
    assert!(complaint(|| messages(unknown)).starts_with("the prompt was not got: "));
    let fine = by(2).await;
    assert!(complaint(|| refusal(fine)).starts_with("the server refused nothing: "));
    Ok(())
}

#[tokio::test]
async fn what_a_client_should_not_have_said_fails_the_test_of_its_own_accord() {
    use tokio::io::AsyncWriteExt as _;

    let (mut server, mut stream) = FakeServer::pair();
    stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n").await.expect("a pipe in memory");
    let heard: Value = server.take().await;
    assert_eq!(heard["id"], 7);
    assert_eq!(server.faults().len(), 1);
    assert!(!complaint(|| drop(server)).is_empty());
}
