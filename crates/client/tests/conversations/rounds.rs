//! Results of the modern era that ask back.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientBuilder, ClientError, Refusal, Violation};
use hermes_types::{CreateMessageResult, ElicitResult, RawJson, Root, SamplingMessageContentBlock};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::{Peer, text};

fn complete() -> Value {
    let mut result = text("done");
    result["resultType"] = json!("complete");
    result
}

fn question(message: &str) -> Value {
    let schema =
        json!({ "type": "object", "properties": { "name": { "type": "string" } }, "required": ["name"] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn input_required(requests: &Value, state: Option<&str>) -> Value {
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = json!(state);
    }
    result
}

/// Answers every form with the message it was shown as the name.
fn echoing() -> ClientBuilder {
    Client::builder().on_elicit(|form| async move {
        Ok(ElicitResult::accept(RawJson::encode(&json!({ "name": form.message }))?))
    })
}

async fn modern(builder: ClientBuilder) -> (Peer, Client) {
    Peer::modern(builder, json!({ "tools": {}, "resources": {}, "prompts": {} })).await
}

// spec: R400, R401, R402, R403, R404
#[tokio::test(start_paused = true)]
async fn b086_questions_are_answered_and_the_request_is_repeated_with_state_unchanged() {
    let state = "≠ opaque\u{0}\"\\ state";
    let (mut peer, client) = modern(echoing()).await;
    let script = async {
        let first = peer.expect("tools/call").await;
        let mut result = input_required(&json!({ "b": question("B"), "a": question("A") }), Some(state));
        result["_meta"] = json!({ "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "1" } });
        peer.result(&first, result).await;

        let second = peer.expect("tools/call").await;
        assert_ne!(second["id"], first["id"]);
        assert_eq!(second["params"]["name"], "t");
        assert_eq!(second["params"]["arguments"], json!({ "x": 1 }));
        assert_eq!(second["params"]["requestState"], state);
        let answer = |name: &str| json!({ "action": "accept", "content": { "name": name } });
        assert_eq!(second["params"]["inputResponses"], json!({ "a": answer("A"), "b": answer("B") }));
        assert_eq!(second["params"]["_meta"], first["params"]["_meta"]);
        peer.result(&second, input_required(&json!({ "c": question("C") }), None)).await;

        let third = peer.expect("tools/call").await;
        assert_eq!(third["params"].get("requestState"), None, "none came, so none is sent");
        assert_eq!(third["params"]["inputResponses"], json!({ "c": answer("C") }));
        peer.result(&third, complete()).await;

        let other = peer.expect("tools/call").await;
        assert_eq!(other["params"].get("inputResponses"), None, "answers are for one retry only");
        peer.result(&other, complete()).await;
    };
    let talk = async {
        let result = client.call("t", json!({ "x": 1 })).await.expect("a result");
        assert_eq!(result.content[0].as_text(), Some("done"));
        client.call("t", ()).await.expect("a result");
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn questions_are_put_one_after_the_other_in_the_server_s_order() {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&asked);
    let builder = Client::builder().on_elicit(move |form| {
        let sink = Arc::clone(&sink);
        async move {
            sink.lock().expect("not poisoned").push(format!("{} asked", form.message));
            tokio::time::sleep(Duration::from_secs(1)).await;
            sink.lock().expect("not poisoned").push(format!("{} answered", form.message));
            Ok(ElicitResult::decline())
        }
    });
    let (mut peer, client) = modern(builder).await;
    let script = async {
        let call = peer.expect("prompts/get").await;
        peer.send_line(&format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"resultType":"input_required","inputRequests":{{"z":{},"a":{}}}}}}}"#,
            call["id"],
            question("first"),
            question("second"),
        ))
        .await;
        peer.answer("prompts/get", json!({ "resultType": "complete", "messages": [] })).await;
    };
    let arguments = [].into();
    let (result, ()) = tokio::join!(client.prompt("p", &arguments).into_future(), script);
    result.expect("messages");
    let expected = ["first asked", "first answered", "second asked", "second answered"];
    assert_eq!(*asked.lock().expect("not poisoned"), expected);
}

#[tokio::test(start_paused = true)]
async fn models_and_roots_answer_in_the_modern_era_too() {
    let builder = Client::builder()
        .roots([Root::new("file:///a")])
        .on_sample(|_| async { Ok(CreateMessageResult::new("m", SamplingMessageContentBlock::text("hi"))) });
    let (mut peer, client) = modern(builder).await;
    let script = async {
        let read = peer.expect("resources/read").await;
        let requests = json!({
            "roots": { "method": "roots/list" },
            "model": { "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 9 } },
        });
        peer.result(&read, input_required(&requests, None)).await;
        let again = peer.expect("resources/read").await;
        let expected = json!({
            "roots": { "roots": [{ "uri": "file:///a" }] },
            "model": { "role": "assistant", "content": { "type": "text", "text": "hi" }, "model": "m" },
        });
        assert_eq!(again["params"]["inputResponses"], expected);
        peer.result(&again, json!({ "resultType": "complete", "contents": [] })).await;
    };
    let (result, ()) = tokio::join!(client.read("a://b").into_future(), script);
    result.expect("contents");
}

#[tokio::test(start_paused = true)]
async fn b086_input_that_nobody_gives_fails_the_call_and_is_not_retried() {
    let form = || json!({ "who": question("?") });
    let sample = json!({ "model": { "method": "sampling/createMessage", "params": { "messages": [], "maxTokens": 1 } } });
    let url = json!({ "page": { "method": "elicitation/create", "params": { "mode": "url", "message": "m", "url": "https://a" } } });
    let unknown = json!({ "x": { "method": "mind/read" } });
    let unfit = || Client::builder().on_elicit(|_| async { Ok(ElicitResult::consent()) });
    let panics = || Client::builder().on_elicit(|_| async { panic!("a fault of the host") });
    let cases = [
        (Client::builder(), form(), "who", Refusal::NotDeclared("elicitation by a form")),
        (Client::builder(), sample, "model", Refusal::NoHandler),
        (echoing(), url, "page", Refusal::NotDeclared("elicitation by a URL")),
        (echoing(), unknown, "x", Refusal::NoHandler),
        (
            unfit(),
            form(),
            "who",
            Refusal::Unfit { path: String::new(), reason: "\"name\" is a required property".to_owned() },
        ),
        (panics(), form(), "who", Refusal::Panicked),
    ];
    for (builder, requests, wanted, expected) in cases {
        let (mut peer, client) = modern(builder).await;
        let script = async {
            let call = peer.expect("tools/call").await;
            peer.result(&call, input_required(&requests, Some("s"))).await;
            peer.silence(1000).await;
        };
        let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        let error = result.expect_err("no input");
        let ClientError::Input { key, reason, .. } = &error else { panic!("{error}") };
        assert_eq!((key.as_str(), reason), (wanted, &expected));
    }
}

// spec: R228, R234
#[tokio::test(start_paused = true)]
async fn b086_a_timeout_cancels_the_retry_and_not_the_first_request() {
    let (mut peer, client) = modern(echoing()).await;
    let script = async {
        let first = peer.expect("tools/call").await;
        peer.result(&first, input_required(&json!({ "a": question("A") }), None)).await;
        let second = peer.expect("tools/call").await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], second["id"]);
    };
    let (result, ()) =
        tokio::join!(client.call("t", ()).timeout(Duration::from_millis(300)).into_future(), script);
    assert!(result.expect_err("no answer").is_timeout());
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn b086_rounds_are_capped_at_twenty_five() {
    for (questions, fits) in [(25, true), (26, false)] {
        let (mut peer, client) = modern(echoing()).await;
        let script = async {
            for _ in 0..questions {
                peer.answer("tools/call", input_required(&json!({ "a": question("A") }), None)).await;
            }
            match fits {
                true => drop(peer.answer("tools/call", complete()).await),
                false => peer.silence(1000).await,
            }
        };
        let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        match (fits, result) {
            (true, result) => drop(result.expect("a result")),
            (false, Err(ClientError::TooManyRounds { rounds, .. })) => assert_eq!(rounds, 25),
            (false, other) => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_busy_server_gets_its_state_back_after_a_pause() {
    let (mut peer, client) = modern(Client::builder()).await;
    let begun = Instant::now();
    let script = async {
        for _ in 0..2 {
            peer.answer("tools/call", json!({ "resultType": "input_required", "requestState": "later" }))
                .await;
        }
        let call = peer.answer("tools/call", complete()).await;
        assert_eq!(call["params"]["requestState"], "later");
        assert_eq!(call["params"].get("inputResponses"), None);
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    result.expect("a result");
    assert_eq!(begun.elapsed(), Duration::from_millis(300));
}

// spec: R020, R021, R022
#[tokio::test(start_paused = true)]
async fn b087_the_kind_of_a_result_is_known_or_an_error() {
    async fn outcome(result: Value) -> Result<(), Violation> {
        let (mut peer, client) = modern(echoing()).await;
        let script = async {
            peer.answer("tools/call", result).await;
        };
        let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
        match result {
            Ok(_) => Ok(()),
            Err(ClientError::Protocol { violation, .. }) => Err(violation),
            Err(other) => panic!("{other}"),
        }
    }
    let with_kind = |kind: Value| json!({ "content": [], "resultType": kind });
    assert_eq!(outcome(json!({ "content": [] })).await, Ok(()));
    assert_eq!(outcome(with_kind(json!("complete"))).await, Ok(()));
    let unknown = |kind: &str| Err(Violation::UnknownResultType(kind.to_owned()));
    assert_eq!(outcome(with_kind(json!("partial"))).await, unknown("partial"));
    assert_eq!(outcome(with_kind(json!("task"))).await, unknown("task"), "no such extension was declared");
    assert_eq!(outcome(with_kind(json!(5))).await, unknown("5"));
    assert_eq!(outcome(with_kind(json!("input_required"))).await, Err(Violation::EmptyInputRequired));
}

#[tokio::test(start_paused = true)]
async fn b087_only_three_methods_may_ask_back() {
    let (mut peer, client) = modern(echoing()).await;
    let script = async {
        peer.answer("tools/list", input_required(&json!({ "a": question("A") }), None)).await;
        peer.silence(1000).await;
    };
    let (result, ()) = tokio::join!(client.list_all_tools(), script);
    let Err(ClientError::Protocol { violation, .. }) = result else { panic!("{result:?}") };
    assert_eq!(violation, Violation::StrayInputRequired);
}

#[tokio::test(start_paused = true)]
async fn b087_a_legacy_result_may_have_a_member_of_that_name() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        peer.answer("tools/call", json!({ "content": [], "resultType": "partial" })).await;
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    result.expect("a result");
}
