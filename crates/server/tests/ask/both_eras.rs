//! One handler, both eras: what it does is the same, and effects happen once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use hermes_server::ask::{AskError, Capability, Elicited};
use hermes_server::{Context, Server, ToolError};
use hermes_types::{
    CreateMessageRequestParams, SamplingContent, SamplingMessage, SamplingMessageContentBlock,
};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::{ERAS, Era, Peer, able, named, text};

#[derive(Deserialize, JsonSchema)]
struct Name {
    /// Your name
    name: String,
}

fn server() -> Server {
    Server::new("both", "1")
}

/// The name, or why there is none.
async fn name(ctx: &Context, question: &str) -> Result<String, ToolError> {
    match ctx.elicit::<Name>(question).await? {
        Elicited::Accepted(Name { name }) => Ok(name),
        Elicited::Declined => Err(ToolError::new("declined")),
        Elicited::Cancelled => Err(ToolError::new("cancelled")),
    }
}

#[tokio::test]
async fn two_dependent_questions_and_one_effect_that_happens_once() {
    for era in ERAS {
        let (effects, entries) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, entered) = (Arc::clone(&effects), Arc::clone(&entries));
        let server = server().tool("book", move |(): (), ctx: Context| {
            entered.fetch_add(1, SeqCst);
            let effects = Arc::clone(&counted);
            async move {
                let seat = ctx.once("seat", || async { effects.fetch_add(1, SeqCst) + 41 }).await?;
                let who = name(&ctx, "Who?").await?;
                let place = name(&ctx, &format!("Where to, {who}?")).await?;
                Ok::<_, ToolError>(format!("seat {seat}: {who} to {place}"))
            }
        });
        let mut peer = Peer::connect(&server, era, able()).await;
        let answer =
            |_: &str, params: &Value| named(if params["message"] == "Who?" { "Ada" } else { "London" });
        let (response, rounds) = peer.call("book", json!({}), answer).await;
        assert_eq!(text(&response), "seat 41: Ada to London", "{era:?}");
        assert_eq!(rounds, [["Who?"], ["Where to, Ada?"]], "{era:?}");
        assert_eq!(effects.load(SeqCst), 1, "{era:?}");
        // Only the modern era enters again, once for each answer.
        assert_eq!(entries.load(SeqCst), if era == Era::Modern { 3 } else { 1 });
    }
}

#[tokio::test]
async fn two_questions_and_an_effect_at_once() {
    for era in ERAS {
        let effects = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&effects);
        let server = server().tool("both", move |(): (), ctx: Context| {
            let effects = Arc::clone(&counted);
            async move {
                let effect = ctx.once("e", || async {
                    tokio::task::yield_now().await;
                    effects.fetch_add(1, SeqCst) + 1
                });
                let (a, b, n) = tokio::join!(name(&ctx, "A?"), name(&ctx, "B?"), effect);
                Ok::<_, ToolError>(format!("{} {} {}", a?, b?, n?))
            }
        });
        let mut peer = Peer::connect(&server, era, able()).await;
        let answer = |_: &str, params: &Value| named(params["message"].as_str().expect("a message"));
        let (response, mut rounds) = peer.call("both", json!({}), answer).await;
        assert_eq!((text(&response), effects.load(SeqCst)), ("A? B? 1", 1), "{era:?}");
        rounds.iter_mut().for_each(|round| round.sort());
        match era {
            Era::Legacy => assert_eq!(rounds, [["A?"], ["B?"]]),
            Era::Modern => assert_eq!(rounds, [["A?", "B?"]]),
        }
    }
}

fn asking() -> Server {
    server().tool("ask", |(): (), ctx: Context| async move { name(&ctx, "Who?").await })
}

// spec: R373
#[tokio::test]
async fn declining_and_cancelling_reach_the_handler() {
    for era in ERAS {
        let mut peer = Peer::connect(&asking(), era, able()).await;
        for (action, outcome) in [("decline", "declined"), ("cancel", "cancelled")] {
            let (response, _) = peer.call("ask", json!({}), |_, _| json!({ "action": action })).await;
            assert_eq!((text(&response), &response["result"]["isError"]), (outcome, &json!(true)), "{era:?}");
        }
    }
}

// spec: R370
#[tokio::test]
async fn an_answer_that_does_not_fit_names_its_path() {
    for era in ERAS {
        let mut peer = Peer::connect(&asking(), era, able()).await;
        let wrong = |_: &str, _: &Value| json!({ "action": "accept", "content": { "name": 5 } });
        let (response, rounds) = peer.call("ask", json!({}), wrong).await;
        assert_eq!(rounds.len(), 1);
        let message = "the client's answer does not fit the question: `/name`: 5 is not of type string";
        match era {
            Era::Legacy => {
                assert_eq!((text(&response), &response["result"]["isError"]), (message, &json!(true)));
            }
            Era::Modern => {
                assert_eq!(response["error"], json!({ "code": -32602, "message": message }));
            }
        }
    }
}

// spec: R361, R393
#[tokio::test]
async fn a_client_that_cannot_be_asked_gets_an_error_at_once() {
    for era in ERAS {
        let mut peer = Peer::connect(&asking(), era, json!({ "elicitation": { "url": {} } })).await;
        let (response, rounds) = peer.call("ask", json!({}), |_, _| json!({})).await;
        assert!(rounds.is_empty());
        match era {
            Era::Legacy => {
                assert_eq!(response["result"]["isError"], true);
                assert_eq!(text(&response), "the client does not support elicitation.form");
            }
            Era::Modern => {
                let error = &response["error"];
                assert_eq!(error["code"], -32021, "{response}");
                assert_eq!(
                    error["data"],
                    json!({ "requiredCapabilities": { "elicitation": { "form": {} } } })
                );
            }
        }
    }
}

#[tokio::test]
async fn a_handler_with_another_way_does_not_fail_for_a_missing_capability() {
    let server = server().tool("try", |(): (), ctx: Context| async move {
        if !ctx.can_ask(Capability::Sampling) {
            return "a plain answer".to_owned();
        }
        "a model's answer".to_owned()
    });
    for era in ERAS {
        for (capabilities, expected) in [(json!({}), "a plain answer"), (able(), "a model's answer")] {
            let mut peer = Peer::connect(&server, era, capabilities).await;
            assert_eq!(text(&peer.call("try", json!({}), |_, _| json!({})).await.0), expected);
        }
    }
}

#[tokio::test]
async fn the_model_and_the_roots_can_be_asked() {
    let server = server().tool("survey", |(): (), ctx: Context| async move {
        let question =
            CreateMessageRequestParams::new(vec![SamplingMessage::user("Capital of France?")], 100);
        let (answer, roots) = tokio::join!(ctx.sample(question), ctx.roots());
        let SamplingContent::One(SamplingMessageContentBlock::Text(said)) = answer?.content else {
            return Err(ToolError::new("one text"));
        };
        Ok::<_, ToolError>(format!("{} {}", said.text, roots?.first().map_or("none", |root| &root.uri)))
    });
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, able()).await;
        let answer = |method: &str, params: &Value| match method {
            "sampling/createMessage" => {
                assert_eq!(params["maxTokens"], 100);
                json!({ "role": "assistant", "model": "m", "content": { "type": "text", "text": "Paris" } })
            }
            "roots/list" => json!({ "roots": [{ "uri": "file:///work", "name": "Work" }] }),
            other => panic!("asked for {other}"),
        };
        let (response, _) = peer.call("survey", json!({}), answer).await;
        assert_eq!(text(&response), "Paris file:///work", "{era:?}");
    }
}

#[tokio::test]
async fn a_refusal_of_the_client_is_an_error_of_its_own() {
    let server = server().tool("ask", |(): (), ctx: Context| async move {
        match ctx.elicit::<Name>("Who?").await {
            Err(AskError::Refused(error)) => format!("refused with {}: {}", error.code, error.message),
            other => format!("{:?}", other.map(|_| ())),
        }
    });
    let mut peer = Peer::connect(&server, Era::Legacy, able()).await;
    let (response, _) = peer.call("ask", json!({}), |_, _| json!("User rejected")).await;
    assert_eq!(text(&response), "refused with -1: User rejected");
}

#[derive(Debug, Deserialize, JsonSchema)]
enum Colour {
    /// Like the sky
    Blue,
    /// Like grass
    Green,
}

#[derive(Deserialize, JsonSchema)]
struct Taste {
    best: Colour,
    good: Vec<Colour>,
}

#[tokio::test]
async fn an_older_client_gets_the_form_in_its_own_words_and_the_handler_its_own_type() {
    let server = server().tool("ask", |(): (), ctx: Context| async move {
        let taste = ctx.elicit::<Taste>("Which?").await?.accepted().expect("accepted");
        Ok::<_, ToolError>(format!("{:?} {:?}", taste.best, taste.good))
    });
    let mut peer = Peer::legacy(&server, "2025-06-18", json!({ "elicitation": {} })).await;
    let answer = |_: &str, params: &Value| {
        let choice = json!({ "type": "string", "enum": ["Blue", "Green"], "enumNames": ["Like the sky", "Like grass"] });
        let fields = json!({ "best": choice, "good": choice });
        assert_eq!(params["requestedSchema"]["properties"], fields);
        assert_eq!(params.get("mode"), None);
        json!({ "action": "accept", "content": { "best": "Blue", "good": "Green" } })
    };
    let (response, _) = peer.call("ask", json!({}), answer).await;
    assert_eq!(text(&response), "Blue [Green]");
}

#[tokio::test]
async fn a_client_of_a_revision_without_elicitation_is_not_asked_whatever_it_declares() {
    for revision in ["2024-11-05", "2025-03-26"] {
        let mut peer = Peer::legacy(&asking(), revision, able()).await;
        let (response, rounds) = peer.call("ask", json!({}), |_, _| json!({})).await;
        assert!(rounds.is_empty());
        assert_eq!(text(&response), "the client does not support elicitation.form", "{revision}");
    }
}

// spec: R364, R365
#[tokio::test]
async fn a_page_to_open_has_an_id_where_the_revision_wants_one() {
    let server = server().tool("open", |(): (), ctx: Context| async move {
        Ok::<_, ToolError>(match ctx.elicit_url("Sign in", "https://example.org/in").await? {
            Elicited::Accepted(()) => "opened",
            Elicited::Declined | Elicited::Cancelled => "not opened",
        })
    });
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, able()).await;
        let ids = std::sync::Mutex::new(Vec::new());
        for _ in 0..2 {
            let answer = |_: &str, params: &Value| {
                assert_eq!(
                    (&params["mode"], &params["url"]),
                    (&json!("url"), &json!("https://example.org/in"))
                );
                ids.lock().expect("no panic").push(params["elicitationId"].as_str().map(str::to_owned));
                json!({ "action": "accept" })
            };
            assert_eq!(text(&peer.call("open", json!({}), answer).await.0), "opened");
        }
        match ids.into_inner().expect("no panic").as_slice() {
            [Some(a), Some(b)] => assert!(era == Era::Legacy && a != b),
            other => assert_eq!((era, other), (Era::Modern, [None, None].as_slice())),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Nested {
    #[serde(rename = "who")]
    _who: Name,
}

#[tokio::test]
async fn a_form_that_is_none_is_told_to_its_author() {
    let server = server().tool("ask", |(): (), ctx: Context| async move {
        ctx.elicit::<Nested>("Who?").await.map(|_| ()).map_err(ToolError::from)
    });
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, able()).await;
        let (response, rounds) = peer.call("ask", json!({}), |_, _| json!({})).await;
        assert!(rounds.is_empty());
        assert_eq!(
            text(&response),
            "the question cannot be put: the field `who` cannot stand in a form: an object; forms are flat"
        );
    }
}

#[tokio::test]
async fn a_question_inside_an_effect_is_refused_in_both_eras() {
    let server = server().tool("nested", |(): (), ctx: Context| async move {
        ctx.once("e", || async {
            ctx.elicit::<Name>("Who?").await.map(|_| ()).map_err(|error| error.to_string())
        })
        .await
        .map(|answer| answer.expect_err("refused"))
        .map_err(ToolError::from)
    });
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, able()).await;
        let (response, rounds) = peer.call("nested", json!({}), |_, _| json!({})).await;
        assert!(rounds.is_empty());
        assert_eq!(
            text(&response),
            "the question cannot be put: a question inside `once` would never be answered"
        );
    }
}

#[tokio::test]
async fn a_task_that_outlives_its_call_asks_nobody() {
    let (sender, mut left_behind) = tokio::sync::mpsc::unbounded_channel();
    let go = Arc::new(tokio::sync::Notify::new());
    let gate = Arc::clone(&go);
    let server = server().tool("leave", move |(): (), ctx: Context| {
        let (sender, gate) = (sender.clone(), Arc::clone(&gate));
        async move {
            tokio::spawn(async move {
                gate.notified().await;
                let _ = sender.send(ctx.elicit::<Name>("Still there?").await.map(|_| ()));
            });
            "gone"
        }
    });
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, able()).await;
        assert_eq!(text(&peer.call("leave", json!({}), |_, _| json!({})).await.0), "gone");
        go.notify_one();
        assert!(matches!(left_behind.recv().await, Some(Err(AskError::Closed))), "{era:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn patience_ends_where_somebody_waits() {
    let server = server().tool("ask", |(): (), ctx: Context| async move {
        let patience = std::time::Duration::from_secs(30);
        ctx.elicit::<Name>("Who?").patience(patience).await.map(|_| ()).map_err(ToolError::from)
    });
    let mut peer = Peer::connect(&server, Era::Legacy, able()).await;
    let id = peer.request("tools/call", r#"{"name":"ask"}"#).await;
    let question = peer.receive().await;
    assert_eq!(question["method"], "elicitation/create");
    let taken_back = peer.receive().await;
    assert_eq!(taken_back["method"], "notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], question["id"]);
    let response = peer.receive().await;
    assert_eq!((&response["id"], text(&response)), (&id, "the client did not answer in time"));

    let mut peer = Peer::connect(&server, Era::Modern, able()).await;
    let asks = peer.ask("tools/call", r#"{"name":"ask"}"#).await;
    assert_eq!(asks["result"]["resultType"], "input_required");
}
