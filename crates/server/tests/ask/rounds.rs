//! The modern era on the wire: what a client may send back, and what is refused.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use hermes_server::ask::Elicited;
use hermes_server::{Completing, Context, Server, ToolError};
use hermes_types::{Prompt, Resource};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::{Era, Peer, able, named, text};

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Whom {
    #[serde(rename = "who")]
    _who: Option<String>,
}

#[derive(Clone, Deserialize, JsonSchema)]
struct Amount {
    #[serde(rename = "amount")]
    _amount: i64,
}

async fn name(ctx: &Context) -> Result<String, ToolError> {
    let answer = ctx.elicit::<Name>("Who?").key("who").await?;
    Ok(answer.accepted().map_or_else(|| "nobody".to_owned(), |answer| answer.name))
}

/// Two tools that count how often their handler is entered, and how often it has its effect.
struct Till {
    server: Server,
    entries: Arc<AtomicUsize>,
    effects: Arc<AtomicUsize>,
}

fn till() -> Till {
    let (entries, effects) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (entered, counted) = (Arc::clone(&entries), Arc::clone(&effects));
    let pay = move |_: Amount, ctx: Context| {
        entered.fetch_add(1, SeqCst);
        let effects = Arc::clone(&counted);
        async move {
            let n = ctx.once("reserve", || async { effects.fetch_add(1, SeqCst) + 1 }).await?;
            Ok::<_, ToolError>(format!("{n} {}", name(&ctx).await?))
        }
    };
    let server = Server::new("till", "1").state_key([1; 32]).tool("pay", pay.clone()).tool("refund", pay);
    Till { server, entries, effects }
}

fn params(tool: &str, amount: i64) -> Value {
    json!({ "name": tool, "arguments": { "amount": amount } })
}

fn retry(mut params: Value, answers: Value, state: &Value) -> Value {
    params["inputResponses"] = answers;
    params["requestState"] = state.clone();
    params
}

// spec: R391, R392
#[tokio::test]
async fn the_result_that_asks_has_no_more_than_it_should() {
    let till = till();
    let mut peer = Peer::connect(&till.server, Era::Modern, able()).await;
    let response = peer.ask("tools/call", params("pay", 5)).await;
    let result = response["result"].as_object().expect("a result");
    assert_eq!(result["resultType"], "input_required");
    assert_eq!(
        result["inputRequests"],
        json!({ "who": { "method": "elicitation/create", "params": {
            "mode": "form",
            "message": "Who?",
            "requestedSchema": {
                "type": "object",
                "properties": { "name": { "type": "string" } },
                "required": ["name"],
            },
        } } })
    );
    assert!(result["requestState"].as_str().is_some_and(|state| state.len() > 100));
    let mut members: Vec<&str> = result.keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["_meta", "inputRequests", "requestState", "resultType"]);
}

// spec: R394, R395
#[tokio::test]
async fn b085_what_does_not_belong_together_is_refused_and_nothing_runs() {
    let till = till();
    let mut peer = Peer::connect(&till.server, Era::Modern, able()).await;
    let asked = peer.ask("tools/call", params("pay", 5)).await;
    let state = &asked["result"]["requestState"];
    let before = (till.entries.load(SeqCst), till.effects.load(SeqCst));
    let answers = || json!({ "who": named("Ada") });
    let tampered = json!(format!("{}-TAMPERED", state.as_str().expect("a state")));
    for (what, params) in [
        ("another tool", retry(params("refund", 5), answers(), state)),
        ("another amount", retry(params("pay", 50), answers(), state)),
        ("a tampered state", retry(params("pay", 5), answers(), &tampered)),
        ("no state of ours", retry(params("pay", 5), answers(), &json!("c3RhdGU"))),
        ("an empty state", retry(params("pay", 5), answers(), &json!(""))),
        ("a number", retry(params("pay", 5), answers(), &json!(5))),
        ("a huge state", retry(params("pay", 5), answers(), &json!("A".repeat(1 << 20)))),
        ("no answers at all", retry(params("pay", 5), json!([1]), state)),
        ("an answer that is none", retry(params("pay", 5), json!({ "who": 12345 }), state)),
    ] {
        let response = peer.ask("tools/call", params).await;
        assert_eq!(response["error"]["code"], -32602, "{what}: {response}");
    }
    assert_eq!((till.entries.load(SeqCst), till.effects.load(SeqCst)), before);
    // The honest one still gets its answer.
    let response = peer.ask("tools/call", retry(params("pay", 5), answers(), state)).await;
    assert_eq!(text(&response), "1 Ada");
}

// spec: R396
#[tokio::test]
async fn b085_a_replayed_state_is_accepted_and_repeats_no_recorded_effect() {
    let till = till();
    let mut peer = Peer::connect(&till.server, Era::Modern, able()).await;
    let asked = peer.ask("tools/call", params("pay", 5)).await;
    for who in ["Ada", "Bob", "Ada"] {
        let answers = json!({ "who": named(who) });
        let retry = retry(params("pay", 5), answers, &asked["result"]["requestState"]);
        assert_eq!(text(&peer.ask("tools/call", retry).await), format!("1 {who}"));
    }
    assert_eq!(till.effects.load(SeqCst), 1);
}

// spec: R399
#[tokio::test]
async fn wrong_keys_alone_are_asked_again_and_extra_keys_are_ignored() {
    let till = till();
    let mut peer = Peer::connect(&till.server, Era::Modern, able()).await;
    let asked = peer.ask("tools/call", params("pay", 5)).await;
    let wrong = retry(params("pay", 5), json!({ "whom": named("Ada") }), &asked["result"]["requestState"]);
    let asked = peer.ask("tools/call", wrong).await;
    assert_eq!(asked["result"]["resultType"], "input_required");
    let answers = json!({ "who": named("Ada"), "more": 5 });
    let right = retry(params("pay", 5), answers, &asked["result"]["requestState"]);
    assert_eq!(text(&peer.ask("tools/call", right).await), "1 Ada");
    assert_eq!(till.effects.load(SeqCst), 1);
}

// spec: R033
#[tokio::test]
async fn a_conversation_goes_on_with_another_server_that_has_the_key() {
    let (first, second) = (till(), till());
    let mut peer = Peer::connect(&first.server, Era::Modern, able()).await;
    let asked = peer.ask("tools/call", params("pay", 5)).await;
    let retry = retry(params("pay", 5), json!({ "who": named("Ada") }), &asked["result"]["requestState"]);

    let mut peer = Peer::connect(&second.server, Era::Modern, able()).await;
    assert_eq!(text(&peer.ask("tools/call", retry.clone()).await), "1 Ada");
    assert_eq!(second.effects.load(SeqCst), 0);

    let newer = till().server.state_key([2; 32]).previous_state_key([1; 32]);
    let mut peer = Peer::connect(&newer, Era::Modern, able()).await;
    assert_eq!(text(&peer.ask("tools/call", retry.clone()).await), "1 Ada");

    let stranger = till().server.state_key([2; 32]);
    let mut peer = Peer::connect(&stranger, Era::Modern, able()).await;
    assert_eq!(peer.ask("tools/call", retry).await["error"]["code"], -32602);
}

// spec: R390
#[tokio::test]
async fn prompts_and_resources_may_ask_and_completions_may_not() {
    let server = Server::new("all", "1")
        .prompt(Prompt::new("greet"), |_: Whom, ctx: Context| async move { name(&ctx).await })
        .complete_prompt("greet", "who", |_: Completing, ctx: Context| async move {
            match ctx.elicit::<Name>("Who?").await {
                Ok(Elicited::Accepted(Name { name })) => vec![name],
                Ok(_) => Vec::new(),
                Err(error) => vec![error.to_string()],
            }
        })
        .resource(Resource::new("x://who", "who"), |ctx: Context| async move { name(&ctx).await });
    let mut peer = Peer::connect(&server, Era::Modern, able()).await;
    let answer = |_: &str, _: &Value| named("Ada");
    let (prompt, rounds) = peer.converse("prompts/get", json!({ "name": "greet" }), answer).await;
    assert_eq!(
        (&prompt["result"]["messages"][0]["content"]["text"], rounds.len()),
        (&json!("Ada"), 1),
        "{prompt}"
    );
    let (resource, rounds) = peer.converse("resources/read", json!({ "uri": "x://who" }), answer).await;
    assert_eq!((&resource["result"]["contents"][0]["text"], rounds.len()), (&json!("Ada"), 1), "{resource}");
    let params = json!({
        "ref": { "type": "ref/prompt", "name": "greet" },
        "argument": { "name": "who", "value": "" },
    });
    let completion = peer.ask("completion/complete", params).await;
    assert_eq!(
        completion["result"]["completion"]["values"],
        json!(["the question cannot be put: this method cannot ask the client in 2026-07-28"]),
        "{completion}"
    );
}
