//! What a client may send back, and what becomes of it.

use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use hermes_types::FaultKind;

use super::*;
use crate::ask::{AskError, Elicited};

/// Asks for two names, the second one knowing the first.
async fn dependent(ctx: Context) -> Result<String, AskError> {
    let Some(Name { name }) = ctx.elicit::<Name>("Who?").key("who").await?.accepted() else {
        return Ok("nobody".to_owned());
    };
    let place = ctx.elicit::<Name>(format!("Where, {name}?")).key("where").await?;
    Ok(place.accepted().map_or_else(|| name.clone(), |place| format!("{name} in {}", place.name)))
}

// spec: R391, R392
#[tokio::test]
async fn a_round_carries_questions_with_unique_keys_and_a_state() {
    let ask = async |ctx: Context| {
        tokio::join!(ctx.elicit::<Name>("A?"), ctx.elicit::<Name>("A?"), ctx.roots()).2.map(drop)
    };
    let asks = Desk::default().first(ask).await.asks();
    assert!(asks.request_state.as_ref().is_some_and(|state| !state.is_empty()));
    let methods: Vec<&str> = questions(&asks).values().map(|request| request.method.as_str()).collect();
    assert_eq!(methods, ["elicitation/create", "elicitation/create", "roots/list"]);
}

#[tokio::test]
async fn dependent_questions_take_a_round_each_with_another_state() {
    let desk = Desk::default();
    let first = desk.first(dependent).await.asks();
    assert_eq!(only(&first).0, "who");
    let params = desk.retry(&[("who", &named("Ada"))], first.request_state.as_deref());
    let second = desk.enter(&params, dependent).await.expect("no fault").asks();
    assert_eq!((only(&second).0, message(only(&second).1).as_str()), ("where", "Where, Ada?"));
    assert_ne!(first.request_state, second.request_state);
    // The first answer travels in the state now.
    let params = desk.retry(&[("where", &named("London"))], second.request_state.as_deref());
    let output = desk.enter(&params, dependent).await.expect("no fault").finished();
    assert_eq!(output.expect("no error"), "Ada in London");
}

// spec: R373
#[tokio::test]
async fn declining_and_cancelling_are_answers() {
    let ask = async |ctx: Context| ctx.elicit::<Name>("Who?").await.expect("an answer");
    let desk = Desk::default();
    for (answer, expected) in [
        (r#"{"action":"decline"}"#, Elicited::Declined),
        (r#"{"action":"cancel","content":{"name":5}}"#, Elicited::Cancelled),
        (
            r#"{"action":"accept","content":{"name":"Ada"},"x":1}"#,
            Elicited::Accepted(Name { name: "Ada".to_owned() }),
        ),
    ] {
        let (output, entries) = desk.converse(ask, |_, _| answer.to_owned()).await;
        assert_eq!((output, entries), (expected, 2));
    }
}

// spec: R399, R397
#[tokio::test]
async fn missing_answers_are_asked_for_again_and_unknown_ones_are_ignored() {
    let both = async |ctx: Context| {
        let (a, b) = (ctx.elicit::<Name>("A?").key("a"), ctx.elicit::<Name>("B?").key("b"));
        let (a, b) = tokio::join!(a, b);
        Ok::<_, AskError>((a?, b?))
    };
    let desk = Desk::default();
    let first = desk.first(both).await.asks();
    let (ada, unknown) = (named("Ada"), "{\"anything\":[1]}");
    let params = desk.retry(&[("a", &ada), ("zzz", unknown), ("", "5")], first.request_state.as_deref());
    let second = desk.enter(&params, both).await.expect("no fault").asks();
    assert_eq!(only(&second).0, "b");
    let params = desk.retry(&[("b", &named("Bob"))], second.request_state.as_deref());
    let (a, b) = desk.enter(&params, both).await.expect("no fault").finished().expect("answers");
    assert_eq!(
        (a.accepted().map(|a| a.name), b.accepted().map(|b| b.name)),
        (Some("Ada".into()), Some("Bob".into()))
    );
}

#[tokio::test]
async fn answers_that_come_with_the_first_request_are_taken_for_what_the_call_asks() {
    let ask = async |ctx: Context| ctx.elicit::<Name>("Who?").key("who").await.map(Elicited::accepted);
    let desk = Desk::default();
    let offered = desk.retry(&[("who", &named("Ada")), ("zzz", "{}")], None);
    let name = desk.enter(&offered, ask).await.expect("no fault").finished().expect("an answer");
    assert_eq!(name.map(|it| it.name).as_deref(), Some("Ada"));
    // What is no answer of that kind, or has another key, is none.
    for (key, answer) in [("whom", named("Ada")), ("who", "5".to_owned()), ("who", "{}".to_owned())] {
        let params = desk.retry(&[(key, &answer)], None);
        let asks = desk.enter(&params, ask).await.expect("no fault").asks();
        assert_eq!(only(&asks).0, "who", "{key}: {answer}");
    }
    for members in [r#""inputResponses":null"#, r#""inputResponses":{}"#, r#""requestState":null"#] {
        let params = format!(r#"{{"name":"t","arguments":{{"n":1}},{members}}}"#);
        let asks = desk.enter(&params, ask).await.expect("no fault").asks();
        assert_eq!(only(&asks).0, "who", "{members}");
    }
}

#[tokio::test]
async fn an_answer_to_an_old_question_is_asked_anew() {
    let version = AtomicUsize::new(1);
    let ask = async |ctx: Context| {
        let text = format!("Agree to version {}?", version.load(SeqCst));
        ctx.elicit::<Name>(text).key("terms").await.map(|answer| answer.accepted())
    };
    let desk = Desk::default();
    let old = desk.first(ask).await.asks();
    version.store(2, SeqCst);
    let params = desk.retry(&[("terms", &named("yes"))], old.request_state.as_deref());
    let new = desk.enter(&params, ask).await.expect("no fault").asks();
    assert_eq!(message(only(&new).1), "Agree to version 2?");
    let params = desk.retry(&[("terms", &named("yes"))], new.request_state.as_deref());
    assert!(desk.enter(&params, ask).await.expect("no fault").finished().expect("an answer").is_some());
}

#[tokio::test]
async fn a_question_repeated_in_a_loop_is_put_each_time() {
    for name in [Some("guess"), None] {
        let guess = async |ctx: Context| {
            for tries in 1..=5 {
                let ask = ctx.elicit::<Name>("Guess!");
                let ask = match name {
                    Some(name) => ask.key(name),
                    None => ask,
                };
                if ask.await.expect("an answer").accepted().is_some_and(|guess| guess.name == "right") {
                    return tries;
                }
            }
            0
        };
        let answer = |key: &str, _: &InputRequest| named(if key.ends_with("-3") { "right" } else { "wrong" });
        assert_eq!(Desk::default().converse(guess, answer).await, (3, 4));
    }
}

#[tokio::test]
async fn questions_without_a_name_find_their_answers_in_any_order() {
    let turn = AtomicUsize::new(0);
    let shuffled = async |ctx: Context| {
        let ask = |text: &'static str| ctx.elicit::<Name>(text);
        let name =
            |answer: Result<Elicited<Name>, AskError>| answer.map(|it| it.accepted().expect("a name").name);
        if turn.fetch_add(1, SeqCst) == 0 {
            let (a, b) = tokio::join!(ask("A?"), ask("B?"));
            return Ok((name(a)?, name(b)?));
        }
        let (b, a) = tokio::join!(ask("B?"), ask("A?"));
        Ok::<_, AskError>((name(a)?, name(b)?))
    };
    let (output, entries) = Desk::default().converse(shuffled, |_, request| named(&message(request))).await;
    assert_eq!((output.expect("answers"), entries), (("A?".to_owned(), "B?".to_owned()), 2));
}

// spec: R398
#[tokio::test]
async fn what_is_no_answer_is_refused_before_the_handler_runs() {
    let desk = Desk::default();
    let ask = async |ctx: Context| {
        tokio::join!(
            ctx.elicit::<Name>("Who?").key("form"),
            ctx.roots().key("roots"),
            ctx.sample(hermes_types::CreateMessageRequestParams::new(Vec::new(), 9)).key("model"),
        )
        .0
        .map(drop)
    };
    let state = desk.first(ask).await.asks().request_state;
    let never = async |_: Context| panic!("the handler must not run");
    for (key, answer) in [
        ("form", "5"),
        ("form", "null"),
        ("form", "{}"),
        ("form", r#"{"action":"maybe"}"#),
        ("form", r#"{"action":"accept","content":[]}"#),
        ("roots", r#"{"roots":5}"#),
        ("roots", "{}"),
        ("model", r#"{"role":"assistant"}"#),
    ] {
        let params = desk.retry(&[(key, answer)], state.as_deref());
        let fault = desk.enter(&params, never).await.expect_err(answer);
        assert_eq!(fault.kind(), FaultKind::InvalidParams, "{key}: {answer}");
        assert!(fault.message().starts_with(&format!("inputResponses: {key}: ")), "{fault}");
    }
    for responses in ["5", "[]", "\"x\"", "true"] {
        let params = format!(r#"{{"name":"t","arguments":{{"n":1}},"inputResponses":{responses}}}"#);
        let fault = desk.enter(&params, never).await.expect_err(responses);
        assert_eq!(fault.kind(), FaultKind::InvalidParams, "{responses}");
    }
    let fault = desk.enter(r#"{"name":"t","requestState":5}"#, never).await.expect_err("no string");
    assert_eq!(fault.kind(), FaultKind::InvalidParams);
}

// spec: R370
#[tokio::test]
async fn an_answer_that_does_not_fit_the_form_is_told_with_its_path() {
    let ask = async |ctx: Context| (ctx.elicit::<Name>("Who?").await, ctx.clone());
    for content in [r#"{"name":5}"#, "{}"] {
        let answer = format!(r#"{{"action":"accept","content":{content}}}"#);
        let ((output, context), _) = Desk::default().converse(ask, |_, _| answer.clone()).await;
        let error = output.expect_err("no name").to_string();
        assert!(error.starts_with("the client's answer does not fit the question: `/name`: "), "{error}");
        let fault = context.asked().clients_fault().expect("the client's fault");
        assert_eq!((fault.kind(), fault.message()), (FaultKind::InvalidParams, error.as_str()));
    }
}

#[tokio::test]
async fn a_handler_may_ask_again_after_an_answer_that_does_not_fit() {
    let patient = async |ctx: Context| loop {
        if let Ok(Elicited::Accepted(name)) = ctx.elicit::<Name>("Who?").key("who").await {
            // Should it fail from here on, the first answer is not to blame.
            assert_eq!(ctx.asked().clients_fault(), None);
            break name.name;
        }
    };
    let answer = |key: &str, _: &InputRequest| match key {
        "who" => r#"{"action":"accept","content":{"name":5}}"#.to_owned(),
        _ => named("Ada"),
    };
    assert_eq!(Desk::default().converse(patient, answer).await, ("Ada".to_owned(), 3));
}

// spec: R345, R361, R393
#[tokio::test]
async fn a_client_is_never_asked_for_what_it_did_not_declare() {
    let desk = Desk { capabilities: r#"{"roots":{}}"#, ..Desk::default() };
    let ask = async |ctx: Context| {
        let form = ctx.elicit::<Name>("Who?").await.map(drop).expect_err("no forms");
        let url = ctx.elicit_url("Open", "https://example.org/").await.map(drop).expect_err("no pages");
        let sample = ctx.sample(hermes_types::CreateMessageRequestParams::new(Vec::new(), 9));
        let sample = sample.await.map(drop).expect_err("no model");
        ([form, url, sample].map(|error| error.to_string()), ctx.clone())
    };
    let (errors, context) = desk.first(ask).await.finished();
    assert_eq!(
        errors,
        [
            "the client does not support elicitation.form",
            "the client does not support elicitation.url",
            "the client does not support sampling",
        ]
    );
    let fault = context.asked().clients_fault().expect("the client's fault");
    assert_eq!(fault.to_error(Revision::LATEST).code, -32021);
    let data = fault.data().expect("data").get();
    assert_eq!(data, r#"{"requiredCapabilities":{"sampling":{},"elicitation":{"form":{},"url":{}}}}"#);
}

// spec: R345, R347
#[tokio::test]
async fn tools_and_context_are_kept_from_a_model_that_has_none() {
    let ask = async |ctx: Context| {
        let plain = || hermes_types::CreateMessageRequestParams::new(Vec::new(), 9);
        let with_tools = ctx.sample(plain().with_tools(Vec::new())).await.map(drop);
        let mut with_context = plain();
        with_context.include_context = Some(hermes_types::IncludeContext::AllServers);
        let with_context = ctx.sample(with_context).await.map(drop);
        [with_tools, with_context].map(|answer| answer.expect_err("not declared").to_string())
    };
    assert_eq!(
        Desk::default().first(ask).await.finished(),
        ["the client does not support sampling.tools", "the client does not support sampling.context"]
    );
}

#[tokio::test]
async fn looking_before_asking_blames_nobody() {
    let desk = Desk { capabilities: "{}", ..Desk::default() };
    let look = async |ctx: Context| {
        assert!(!ctx.can_ask(crate::ask::Capability::Sampling));
        ctx
    };
    assert_eq!(desk.first(look).await.finished().asked().clients_fault(), None);
}

#[tokio::test]
async fn a_name_has_a_length() {
    let ask = async |ctx: Context| {
        let empty = ctx.elicit::<Name>("Who?").key("").await.map(drop).expect_err("empty");
        let long = ctx.elicit::<Name>("Who?").key("k".repeat(129)).await.map(drop).expect_err("long");
        (empty.to_string(), long.to_string())
    };
    let (empty, long) = Desk::default().first(ask).await.finished();
    assert!(empty.ends_with("has 1 to 128 bytes, not 0") && long.ends_with("not 129"), "{empty}; {long}");
}

#[tokio::test]
async fn a_state_that_grows_too_large_ends_the_call() {
    let desk = Desk::default();
    let hoard = async |ctx: Context| {
        ctx.once("big", || async { "x".repeat(200_000) }).await.expect("a value");
        ctx.elicit::<Name>("Who?").await.map(drop)
    };
    let fault = desk.enter(&desk.params, hoard).await.expect_err("too much");
    assert_eq!(fault.kind(), FaultKind::InternalError);
    assert!(fault.message().contains("at most 262144"), "{fault}");
}
