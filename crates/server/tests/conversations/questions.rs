//! Handlers that ask the client, in both eras.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_server::{Context, Elicited, Server, ToolError};
use hermes_types::{CreateMessageRequestParams, Prompt, Revision, SamplingMessage, TextContent};
use serde_json::{Value, json};

use crate::client::{Client, bare, modern, modern_with};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Age {
    age: u8,
}

/// A tool with two questions and one effect in between; gives how often the effect ran.
fn server() -> (Server, Arc<AtomicUsize>) {
    let effects = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&effects);
    let server = Server::new("test", "1")
        .tool("ask", move |(): (), ctx: Context| {
            let counted = Arc::clone(&counted);
            async move {
                let Elicited::Accepted(Name { name }) = ctx.elicit::<Name>("Your name?").key("name").await?
                else {
                    return Ok("no name".to_owned());
                };
                let run = ctx.once("count", || async { counted.fetch_add(1, Ordering::Relaxed) + 1 }).await?;
                let Elicited::Accepted(Age { age }) = ctx.elicit::<Age>("Your age?").key("age").await? else {
                    return Ok(format!("{name}, no age"));
                };
                Ok(format!("{name} is {age}, counted {run}"))
            }
        })
        .tool("patient", |(): (), ctx: Context| async move {
            let answer = ctx.elicit::<Name>("Quick!").patience(Duration::from_secs(5)).await;
            answer
                .map(|_| "answered")
                .or_else(|error| Ok::<_, ToolError>(Box::leak(error.to_string().into_boxed_str())))
        })
        .tool("sample", |(): (), ctx: Context| async move {
            let message = SamplingMessage::user(TextContent::new("2 + 2?"));
            let reply = ctx.sample(CreateMessageRequestParams::new(vec![message], 10)).await?;
            Ok(reply.model)
        })
        .tool("roots", |(): (), ctx: Context| async move { Ok(ctx.roots().await?.len()) })
        .prompt(Prompt::new("ask"), |(): (), ctx: Context| async move {
            let answer = ctx.elicit::<Name>("For whom?").key("name").await?;
            Ok(match answer {
                Elicited::Accepted(Name { name }) => format!("For {name}"),
                Elicited::Declined | Elicited::Cancelled => "For nobody".to_owned(),
            })
        });
    (server, effects)
}

/// The next message has to be this question; answers it.
async fn answer(client: &mut Client, method: &str, result: Value) {
    let question = client.next().await;
    assert_eq!(question["method"], method, "{question}");
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }).to_string()).await;
}

fn accept(content: &Value) -> Value {
    json!({ "action": "accept", "content": content })
}

#[tokio::test(start_paused = true)]
async fn two_questions_and_an_effect_in_the_legacy_era_are_two_requests() {
    let (server, effects) = server();
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut client = Client::legacy_with(&server, revision, json!({ "elicitation": {} })).await;
        client.request(json!(1), "tools/call", json!({ "name": "ask" })).await;
        answer(&mut client, "elicitation/create", accept(&json!({ "name": "Ada" }))).await;
        answer(&mut client, "elicitation/create", accept(&json!({ "age": 36 }))).await;
        let result = client.next().await;
        let expected = format!("Ada is 36, counted {}", effects.load(Ordering::Relaxed));
        assert_eq!((&result["id"], &result["result"]["content"][0]["text"]), (&json!(1), &json!(expected)));
    }
    assert_eq!(effects.load(Ordering::Relaxed), 2);
}

/// Sends a modern call with the answers so far; gives its bare result.
async fn round(client: &mut Client, id: i64, method: &str, state: Option<&Value>, answers: Value) -> Value {
    let mut params = modern_with(&json!({ "elicitation": {} }), json!({ "name": "ask" }));
    if let Some(state) = state {
        params["requestState"] = state.clone();
        params["inputResponses"] = answers;
    }
    bare(client.result(json!(id), method, params).await)
}

// spec: R023, R107, R391, R392, R397, R399
#[tokio::test(start_paused = true)]
async fn two_questions_and_an_effect_in_the_modern_era_are_three_rounds() {
    let (server, effects) = server();
    let mut client = Client::connect(&server);
    let first = round(&mut client, 1, "tools/call", None, json!({})).await;
    assert_eq!(first["resultType"], "input_required");
    assert_eq!(first["inputRequests"]["name"]["method"], "elicitation/create");
    assert_eq!(first["inputRequests"]["name"]["params"]["message"], "Your name?");
    assert!(first.get("ttlMs").is_none());
    let name = json!({ "name": accept(&json!({ "name": "Ada" })), "stranger": 5 });
    let second = round(&mut client, 2, "tools/call", Some(&first["requestState"]), name).await;
    assert_eq!(second["inputRequests"].as_object().expect("questions").keys().collect::<Vec<_>>(), ["age"]);
    let again = round(&mut client, 3, "tools/call", Some(&second["requestState"]), json!({})).await;
    assert_eq!(again["inputRequests"], second["inputRequests"], "what is missing is asked again");
    let age = json!({ "age": accept(&json!({ "age": 36 })) });
    let last = round(&mut client, 4, "tools/call", Some(&again["requestState"]), age).await;
    assert_eq!(
        (&last["resultType"], &last["content"][0]["text"]),
        (&json!("complete"), &json!("Ada is 36, counted 1"))
    );
    assert_eq!(effects.load(Ordering::Relaxed), 1);

    let prompt = round(&mut client, 5, "prompts/get", None, json!({})).await;
    assert_eq!(prompt["resultType"], "input_required");
    let name = json!({ "name": { "action": "decline" } });
    let prompt = round(&mut client, 6, "prompts/get", Some(&prompt["requestState"]), name).await;
    assert_eq!(prompt["messages"][0]["content"]["text"], "For nobody");
}

// spec: R394, R395, R398
#[tokio::test(start_paused = true)]
async fn b085_a_state_that_was_changed_or_belongs_elsewhere_is_refused() {
    let (server, effects) = server();
    let mut client = Client::connect(&server);
    let first = round(&mut client, 1, "tools/call", None, json!({})).await;
    let state = first["requestState"].as_str().expect("a state").to_owned();
    let attempt = |name: &str, state: Value, answers: Value| {
        let mut params = modern_with(&json!({ "elicitation": {} }), json!({ "name": name }));
        params["requestState"] = state;
        params["inputResponses"] = answers;
        params
    };
    let flipped = format!("{}{}", if state.starts_with('A') { 'B' } else { 'A' }, &state[1..]);
    for (method, params) in [
        ("tools/call", attempt("ask", json!(flipped), json!({}))),
        ("tools/call", attempt("ask", json!("nonsense"), json!({}))),
        ("tools/call", attempt("ask", json!(5), json!({}))),
        ("tools/call", attempt("patient", json!(state), json!({}))),
        ("prompts/get", attempt("ask", json!(state), json!({}))),
        ("tools/call", attempt("ask", json!(state), json!([1]))),
    ] {
        let error = client.error(json!(2), method, params.clone()).await;
        assert_eq!(error["code"], -32602, "{params}");
    }
    let (other, _) = self::server();
    let mut stranger = Client::connect(&other);
    let error = stranger.error(json!(3), "tools/call", attempt("ask", json!(state), json!({}))).await;
    assert_eq!(error["code"], -32602, "another server has another key");
    assert_eq!(effects.load(Ordering::Relaxed), 0);
}

// spec: R033
#[tokio::test(start_paused = true)]
async fn servers_with_the_same_key_take_over_from_each_other() {
    let key = [7; 32];
    let ((first, _), (second, _)) = (server(), server());
    let (first, second) = (first.state_key(key), second.state_key([8; 32]).previous_state_key(key));
    let question = round(&mut Client::connect(&first), 1, "tools/call", None, json!({})).await;
    let name = json!({ "name": accept(&json!({ "name": "Ada" })) });
    let next =
        round(&mut Client::connect(&second), 2, "tools/call", Some(&question["requestState"]), name).await;
    assert_eq!(next["inputRequests"].as_object().expect("questions").keys().collect::<Vec<_>>(), ["age"]);
}

// spec: R040, R041, R393
#[tokio::test(start_paused = true)]
async fn a_client_that_cannot_be_asked_gets_an_error_at_once() {
    let (server, _) = server();
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    for (tool, required) in [
        ("ask", json!({ "elicitation": { "form": {} } })),
        ("sample", json!({ "sampling": {} })),
        ("roots", json!({ "roots": {} })),
    ] {
        let result = client.call(1, tool, json!({})).await;
        assert_eq!(result["isError"], true, "{result}");
        let error = client.error(json!(2), "tools/call", modern(json!({ "name": tool }))).await;
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!(-32021), &json!({ "requiredCapabilities": required }))
        );
    }
}

#[tokio::test(start_paused = true)]
async fn samples_and_roots_are_requests_in_the_legacy_era() {
    let (server, _) = server();
    let capabilities = json!({ "sampling": {}, "roots": {} });
    let mut client = Client::legacy_with(&server, Revision::V2024_11_05, capabilities).await;
    client.request(json!(1), "tools/call", json!({ "name": "sample" })).await;
    let reply = json!({ "role": "assistant", "model": "m-1", "content": { "type": "text", "text": "4" } });
    answer(&mut client, "sampling/createMessage", reply).await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "m-1");
    client.request(json!(2), "tools/call", json!({ "name": "roots" })).await;
    answer(&mut client, "roots/list", json!({ "roots": [{ "uri": "file:///a" }] })).await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "1");
    client.request(json!(3), "tools/call", json!({ "name": "roots" })).await;
    let question = client.next().await;
    client
        .send(
            &json!({ "jsonrpc": "2.0", "id": question["id"], "error": { "code": -1, "message": "no" } })
                .to_string(),
        )
        .await;
    let result = client.next().await;
    assert_eq!(result["result"]["isError"], true);
    // A second answer to the same question is nobody's.
    client
        .send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": { "roots": [] } }).to_string())
        .await;
    client.expect_silence().await;
}

// spec: R075
#[tokio::test(start_paused = true)]
async fn b015_a_question_waits_until_the_handshake_is_complete() {
    let (server, _) = server();
    let mut client = Client::connect(&server);
    client.initialize("2025-11-25", json!({ "elicitation": {} })).await;
    client.request(json!(1), "tools/call", json!({ "name": "ask" })).await;
    client.expect_silence().await;
    client.notify("notifications/initialized", json!({})).await;
    answer(&mut client, "elicitation/create", json!({ "action": "cancel" })).await;
    assert_eq!(client.next().await["result"]["content"][0]["text"], "no name");
}

// spec: R080, R081, R219, R227
#[tokio::test(start_paused = true)]
async fn a_question_that_is_not_wanted_any_more_is_cancelled() {
    let (server, _) = server();
    let mut client = Client::legacy_with(&server, Revision::V2025_11_25, json!({ "elicitation": {} })).await;
    client.request(json!(1), "tools/call", json!({ "name": "patient" })).await;
    let question = client.next().await;
    assert_eq!(question["method"], "elicitation/create");
    let cancelled = client.next().await;
    assert_eq!(
        (&cancelled["method"], &cancelled["params"]["requestId"]),
        (&json!("notifications/cancelled"), &question["id"])
    );
    let text = client.next().await["result"]["content"][0]["text"].take();
    assert_eq!(text, "the client did not answer in time");
    // And when the call itself is cancelled.
    client.request(json!(2), "tools/call", json!({ "name": "ask" })).await;
    let question = client.next().await;
    client.notify("notifications/cancelled", json!({ "requestId": 2 })).await;
    let cancelled = client.next().await;
    assert_eq!(cancelled["params"]["requestId"], question["id"]);
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_long_fails_the_question_and_not_the_session() {
    let (server, _) = server();
    let server = server.max_line_bytes(10_000);
    let mut client = Client::legacy_with(&server, Revision::V2025_11_25, json!({ "elicitation": {} })).await;
    client.request(json!(1), "tools/call", json!({ "name": "ask" })).await;
    answer(&mut client, "elicitation/create", accept(&json!({ "name": "x".repeat(20_000) }))).await;
    let result = client.next().await;
    assert_eq!((&result["id"], &result["result"]["isError"]), (&json!(1), &json!(true)));
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_question_that_waits_for_the_handshake_goes_with_its_call() {
    let (server, _) = server();
    let mut client = Client::connect(&server);
    client.initialize("2025-11-25", json!({ "elicitation": {} })).await;
    for id in 1..=3 {
        client.request(json!(id), "tools/call", json!({ "name": "ask" })).await;
        // The server has read the call when it answers what came after it.
        client.result(json!(100 + id), "ping", json!({})).await;
        client.notify("notifications/cancelled", json!({ "requestId": id })).await;
    }
    client.result(json!(200), "ping", json!({})).await;
    client.notify("notifications/initialized", json!({})).await;
    client.request(json!(201), "ping", json!({})).await;
    assert_eq!(client.next().await["id"], 201, "nobody is asked any more, and nothing is taken back");
}
