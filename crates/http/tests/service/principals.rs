//! Whose a session is, and whose a sealed state.

use serde_json::json;

use crate::client::{Client, LATEST, LEGACY, MODERN, text};
use crate::stage::Stage;

#[tokio::test(start_paused = true)]
async fn nobody_finds_the_session_of_another_principal() {
    let service = Stage::new().http().service();
    for revision in LEGACY {
        let mut ada = Client::stranger(&service, revision).known_as("ada");
        ada.greet(json!({})).await;
        let mut stranger = Client::stranger(&service, revision);
        stranger.session.clone_from(&ada.session);
        for other in [stranger.clone(), stranger.known_as("bob")] {
            let call = other.call(7, "echo", json!({ "text": "x" }));
            let error = other.post(&call).await.refusal(404).await;
            assert_eq!((&error["id"], &error["error"]["data"]["reason"]), (&json!(7), &json!("unknown")));
            other.get(None).await.refusal(404).await;
            other.delete().await.refusal(404).await;
        }
        assert_eq!(text(&ada.ask(&ada.call(1, "echo", json!({ "text": "x" }))).await), "x");
    }
}

#[tokio::test(start_paused = true)]
async fn a_sealed_state_is_of_use_to_nobody_but_its_principal_and_on_any_replica() {
    let stage = Stage::new();
    let (service, replica) = (stage.http().service(), stage.http().service());
    let ada = Client::stranger(&service, MODERN).known_as("ada");
    let asked = ada.ask(&ada.call(1, "ask", json!({}))).await;
    let again = |client: &Client, id: i64| {
        let mut call = client.call(id, "ask", json!({}));
        call["params"]["requestState"] = asked["result"]["requestState"].clone();
        call["params"]["inputResponses"] =
            json!({ "who": { "action": "accept", "content": { "name": "Ada" } } });
        call
    };
    let stranger = Client::stranger(&service, MODERN);
    for other in [stranger.clone(), stranger.known_as("bob")] {
        let refused = other.ask(&again(&other, 2)).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
    }
    assert_eq!(text(&ada.ask(&again(&ada, 3)).await), "Ada");
    let elsewhere = Client::stranger(&replica, MODERN).known_as("ada");
    assert_eq!(text(&elsewhere.ask(&again(&elsewhere, 4)).await), "Ada");
}

#[tokio::test(start_paused = true)]
async fn a_cursor_of_another_session_of_the_same_principal_brings_nothing_of_it() {
    let service = Stage::new().http().service();
    let (mut one, mut two) = (
        Client::stranger(&service, LATEST).known_as("ada"),
        Client::stranger(&service, LATEST).known_as("ada"),
    );
    one.greet(json!({})).await;
    two.greet(json!({})).await;
    let mut answer = one.post(&one.call(1, "steps", json!({ "n": 2, "ms": 1 }))).await;
    let cursor = answer.said().await.expect("a priming event").id.expect("an id");
    answer.messages().await;
    two.get(Some(&cursor)).await.refusal(400).await;
}
