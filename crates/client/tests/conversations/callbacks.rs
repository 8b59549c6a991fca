//! What a legacy server asks, and what it is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientBuilder, HandlerError, Warning};
use hermes_types::{
    CreateMessageResult, ElicitResult, RawJson, Revision, Root, SamplingMessageContentBlock, Wire,
};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::peer::{Peer, text};

fn form(schema: &Value) -> Value {
    json!({ "message": "Who are you?", "requestedSchema": schema })
}

fn name() -> Value {
    json!({ "type": "object", "properties": { "name": { "type": "string", "minLength": 2 } }, "required": ["name"] })
}

fn answering(content: &'static str) -> ClientBuilder {
    Client::builder().on_elicit(move |_| async move { Ok(ElicitResult::accept(RawJson::parse(content)?)) })
}

/// What the client answers to one request under a revision.
async fn answer(builder: ClientBuilder, revision: &str, method: &str, params: Value) -> Value {
    let (mut peer, client) = Peer::legacy(builder, revision, json!({})).await;
    peer.request(json!("q-1"), method, params).await;
    let mut answer = peer.take().await;
    assert_eq!(answer["id"], "q-1");
    assert_eq!(answer["jsonrpc"], "2.0");
    drop(client);
    let outcome =
        answer.as_object_mut().and_then(|answer| answer.remove("result").or_else(|| answer.remove("error")));
    outcome.expect("a result or an error")
}

// spec: R243
#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_at_once_also_while_a_handler_is_at_work() {
    let builder = Client::builder().on_elicit(|_| async {
        sleep(Duration::from_secs(3600)).await;
        Ok(ElicitResult::cancel())
    });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    peer.request(json!("form"), "elicitation/create", form(&name())).await;
    for id in [json!(0), json!("0"), json!("")] {
        peer.request(id.clone(), "ping", json!({})).await;
        assert_eq!(peer.take().await, json!({ "jsonrpc": "2.0", "id": id, "result": {} }));
    }
    assert_eq!(client.pending(), 0);
}

// spec: R336
#[tokio::test(start_paused = true)]
async fn what_nobody_answers_is_refused_as_the_revision_says() {
    let question = form(&name());
    let sample = json!({ "messages": [], "maxTokens": 5 });
    let cases = [
        ("2025-11-25", "roots/list", json!({}), -32601),
        ("2025-11-25", "sampling/createMessage", sample.clone(), -32601),
        // spec: R362
        ("2025-11-25", "elicitation/create", question.clone(), -32602),
        (
            "2025-11-25",
            "elicitation/create",
            json!({ "mode": "url", "message": "m", "url": "https://a", "elicitationId": "1" }),
            -32602,
        ),
        ("2025-11-25", "elicitation/create", json!({ "mode": "telepathy", "message": "m" }), -32602),
        ("2025-06-18", "elicitation/create", question.clone(), -32601),
        ("2024-11-05", "elicitation/create", question, -32601),
        ("2025-11-25", "tasks/list", json!({}), -32601),
        ("2025-11-25", "no/such/method", json!({}), -32601),
    ];
    for (revision, method, params, code) in cases {
        let error = answer(Client::builder(), revision, method, params).await;
        assert_eq!(error["code"], code, "{method} in {revision}");
    }
}

// spec: R363, R369
#[tokio::test(start_paused = true)]
async fn a_form_is_answered_by_the_handler_and_checked_before_it_is_sent() {
    let accepted =
        answer(answering(r#"{"name":"Ada","age":36}"#), "2025-11-25", "elicitation/create", form(&name()))
            .await;
    assert_eq!(accepted, json!({ "action": "accept", "content": { "name": "Ada", "age": 36 } }));

    for content in ["{}", r#"{"name":"A"}"#, r#"{"name":7}"#] {
        let error = answer(answering(content), "2025-11-25", "elicitation/create", form(&name())).await;
        assert_eq!(error["code"], -32603, "{content}");
        let message = error["message"].as_str().expect("a text");
        assert!(message.starts_with("the answer does not fit the form"), "{message}");
    }

    let declines = Client::builder().on_elicit(|_| async { Ok(ElicitResult::decline()) });
    let declined = answer(declines, "2025-06-18", "elicitation/create", form(&name())).await;
    assert_eq!(declined, json!({ "action": "decline" }));
}

// spec: R371
#[tokio::test(start_paused = true)]
async fn a_required_field_left_out_keeps_its_default_and_an_optional_one_stays_out() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "Ada" },
            "seats": { "type": "integer", "default": 2 },
            "note": { "type": "string", "default": "none" },
            "bad": { "type": "string", "default": "x", "minLength": 2 },
        },
        "required": ["name", "seats"],
    });
    for (content, sent) in [
        ("{}", json!({ "name": "Ada", "seats": 2 })),
        (r#"{"seats":0}"#, json!({ "name": "Ada", "seats": 0 })),
        (r#"{"note":"n","name":"B"}"#, json!({ "note": "n", "name": "B", "seats": 2 })),
    ] {
        let accepted = answer(answering(content), "2025-11-25", "elicitation/create", form(&schema)).await;
        assert_eq!(accepted, json!({ "action": "accept", "content": sent }));
    }
    let mut strict = schema;
    strict["required"] = json!(["bad"]);
    let error = answer(answering("{}"), "2025-11-25", "elicitation/create", form(&strict)).await;
    assert_eq!(error["code"], -32603, "a default is checked like anything else");
    let declines = Client::builder().on_elicit(|_| async { Ok(ElicitResult::decline()) });
    let declined = answer(declines, "2025-11-25", "elicitation/create", form(&strict)).await;
    assert_eq!(declined, json!({ "action": "decline" }));
}

// spec: R335, R337
#[tokio::test(start_paused = true)]
async fn roots_are_shown_and_only_files_are() {
    let fixed = Client::builder().roots([Root::new("file:///home/me").with_name("home")]);
    let shown = answer(fixed, "2025-11-25", "roots/list", json!({})).await;
    assert_eq!(shown, json!({ "roots": [{ "uri": "file:///home/me", "name": "home" }] }));

    let bad = Client::builder().on_roots(|| async { Ok(vec![Root::new("http://example.org")]) });
    let error = answer(bad, "2025-11-25", "roots/list", json!({})).await;
    assert_eq!(
        (error["code"].as_i64(), error["message"].as_str()),
        (Some(-32603), Some("the root http://example.org is no file:// URI"))
    );
}

// spec: R334
#[tokio::test(start_paused = true)]
async fn a_server_is_told_that_the_roots_have_changed() {
    let builder = || Client::builder().on_roots(|| async { Ok(Vec::new()) });
    let (mut peer, client) = Peer::legacy(builder(), "2025-11-25", json!({})).await;
    assert_eq!(client.declared().roots.and_then(|roots| roots.list_changed), Some(true));
    client.roots_changed().expect("said");
    peer.expect("notifications/roots/list_changed").await;

    let (mut peer, client) = Peer::modern(builder(), json!({})).await;
    client.roots_changed().expect("nothing to say");
    peer.silence(100).await;
}

// spec: R343, R346
#[tokio::test(start_paused = true)]
async fn a_model_is_asked_with_tools_only_when_that_was_declared() {
    let model = || {
        Client::builder().on_sample(|request| async move {
            assert_eq!(request.max_tokens, 5);
            Ok(CreateMessageResult::new("m-1", SamplingMessageContentBlock::text("hello")))
        })
    };
    let user = json!({ "role": "user", "content": { "type": "text", "text": "hi" } });
    let plain = json!({ "messages": [user], "maxTokens": 5 });
    let said = answer(model(), "2025-11-25", "sampling/createMessage", plain.clone()).await;
    assert_eq!(
        said,
        json!({ "role": "assistant", "content": { "type": "text", "text": "hello" }, "model": "m-1" })
    );

    let rejects = Client::builder().on_sample(|_| async { Err(HandlerError::rejected()) });
    let error = answer(rejects, "2025-11-25", "sampling/createMessage", plain).await;
    assert_eq!(error["code"], -1);

    let with_tools = json!({ "messages": [user], "maxTokens": 5, "tools": [] });
    let error = answer(model(), "2025-11-25", "sampling/createMessage", with_tools.clone()).await;
    assert_eq!(error["code"], -32602);
    let said = answer(model().sampling_tools(), "2025-11-25", "sampling/createMessage", with_tools).await;
    assert_eq!(said["model"], "m-1");
}

// spec: R350
#[tokio::test(start_paused = true)]
async fn missing_or_mixed_tool_results_are_refused() {
    let uses = json!({ "role": "assistant", "content": [
        { "type": "tool_use", "id": "1", "name": "t", "input": {} },
        { "type": "tool_use", "id": "2", "name": "t", "input": {} },
    ] });
    let result = |id: &str| json!({ "type": "tool_result", "toolUseId": id, "content": [] });
    let note = json!({ "type": "text", "text": "by the way" });
    let user = |content: Value| json!({ "role": "user", "content": content });
    let cases = [
        (json!([uses, user(json!([result("1"), result("2")]))]), true),
        (json!([uses, user(json!([result("1")]))]), false),
        (json!([uses]), false),
        (json!([uses, user(json!([result("1"), result("2"), note]))]), false),
        (json!([uses, user(json!([result("1"), result("2"), result("3")]))]), false),
        (json!([user(json!([result("1")]))]), false),
    ];
    for (messages, fits) in cases {
        let builder = Client::builder().sampling_tools().on_sample(|_| async {
            Ok(CreateMessageResult::new("m", SamplingMessageContentBlock::text("ok")))
        });
        let params = json!({ "messages": messages, "maxTokens": 5 });
        let outcome = answer(builder, "2025-11-25", "sampling/createMessage", params).await;
        match fits {
            true => assert_eq!(outcome["model"], "m", "{messages}"),
            false => assert_eq!(outcome["code"], -32602, "{messages}"),
        }
    }
}

// spec: R352, R354
#[tokio::test(start_paused = true)]
async fn a_model_sees_the_messages_of_its_own_request_with_their_meta_and_no_others() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let builder = Client::builder().sampling_tools().on_sample(move |request| {
        let messages = serde_json::to_value(Wire(&request.messages, Revision::V2025_11_25));
        sink.lock().expect("not poisoned").push(messages.expect("JSON"));
        let call = json!({ "type": "tool_use", "id": "2", "name": "t", "input": {}, "_meta": { "com.example/cache": 7 } });
        let call: SamplingMessageContentBlock = serde_json::from_value(call).expect("a block");
        async move { Ok(CreateMessageResult::new("m", call)) }
    });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    let meta = |n: u8| json!({ "com.example/cache": n });
    let used = json!({ "role": "assistant", "content": {
        "type": "tool_use", "id": "1", "name": "t", "input": {}, "_meta": meta(1),
    } });
    let gave = json!({ "role": "user", "content": {
        "type": "tool_result", "toolUseId": "1", "content": [], "_meta": meta(2),
    } });
    let asks =
        [json!([used, gave]), json!([{ "role": "user", "content": { "type": "text", "text": "hi" } }])];
    for messages in &asks {
        let params = json!({ "messages": messages, "maxTokens": 5 });
        peer.request(json!(1), "sampling/createMessage", params).await;
        assert_eq!(peer.take().await["result"]["content"]["_meta"], meta(7));
    }
    assert_eq!(*seen.lock().expect("not poisoned"), asks);
    drop(client);
}

// spec: R386
#[tokio::test(start_paused = true)]
async fn a_page_that_nobody_was_shown_may_be_completed_any_number_of_times() {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let builder = Client::builder()
        .on_elicit_url(|_| async { Ok(ElicitResult::consent()) })
        .on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.to_string()));
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    let page = json!({ "mode": "url", "message": "m", "url": "https://a", "elicitationId": "1" });
    peer.request(json!(1), "elicitation/create", page).await;
    assert_eq!(peer.take().await["result"]["action"], "accept");
    for params in [
        json!({ "elicitationId": "1" }),
        json!({ "elicitationId": "1" }),
        json!({ "elicitationId": "never asked" }),
        json!({}),
    ] {
        peer.notify("notifications/elicitation/complete", params).await;
        peer.request(json!(2), "ping", json!({})).await;
        assert_eq!(peer.take().await["id"], 2);
    }
    assert_eq!(*warnings.lock().expect("not poisoned"), [""; 0]);
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn a_panicking_handler_is_an_internal_error_and_touches_nothing_else() {
    let builder = Client::builder()
        .on_elicit(|form| async move {
            assert!(form.message.is_empty(), "a fault of the host");
            Ok(ElicitResult::cancel())
        })
        .on_sample(|request| {
            assert!(request.max_tokens > 1, "before there is a future");
            async { Err(HandlerError::rejected()) }
        });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        for (method, params) in [
            ("elicitation/create", form(&name())),
            ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 })),
        ] {
            peer.request(json!(1), method, params).await;
            let error = peer.take().await;
            let expected = json!({ "code": -32603, "message": "the handler panicked" });
            assert_eq!((&error["id"], &error["error"]), (&json!(1), &expected));
        }
        peer.result(&call, text("done")).await;
    };
    let (call, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    call.expect("a result");
}

#[tokio::test(start_paused = true)]
async fn a_function_of_the_host_that_panics_leaves_no_call_without_an_outcome() {
    let noticed = Arc::new(Mutex::new(Vec::new()));
    let heard = Arc::clone(&noticed);
    let builder = Client::builder()
        .on_wire(|_, text| assert!(!text.contains("boom"), "a fault of the host"))
        .on_warning(|_| panic!("a fault of the host"))
        .on_notification(move |notice| {
            heard.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(notice.method.clone());
            panic!("a fault of the host");
        });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.send_line("no message, so the host is warned").await;
        peer.notify("notifications/tools/list_changed", json!({})).await;
        peer.notify("notifications/prompts/list_changed", json!({})).await;
        peer.result(&call, text("boom")).await;
    };
    let call = client.call("t", json!({ "text": "boom" }));
    let (call, ()) = tokio::join!(call.into_future(), script);
    call.expect("a result");
    peer.silence(10).await;
    let noticed = noticed.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    assert_eq!(*noticed, ["notifications/tools/list_changed", "notifications/prompts/list_changed"]);
}

#[tokio::test(start_paused = true)]
async fn a_second_question_with_an_id_in_use_is_refused_and_the_first_is_answered() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let builder = Client::builder().on_elicit(move |_| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            Ok(ElicitResult::decline())
        }
    });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    peer.request(json!(5), "elicitation/create", form(&name())).await;
    peer.request(json!(5), "elicitation/create", form(&name())).await;
    let refused = peer.take().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(5), &json!(-32600)));
    go.notify_one();
    let answered = peer.take().await;
    assert_eq!((&answered["id"], &answered["result"]["action"]), (&json!(5), &json!("decline")));
    drop(client);
}

// spec: R221, R224
#[tokio::test(start_paused = true)]
async fn a_question_that_is_taken_back_is_not_answered() {
    let dropped = Arc::new(Notify::new());
    let sign = Arc::clone(&dropped);
    let builder = Client::builder().on_elicit(move |_| {
        let sign = Signal(Arc::clone(&sign));
        async move {
            let _sign = sign;
            std::future::pending().await
        }
    });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    peer.request(json!(5), "elicitation/create", form(&name())).await;
    peer.notify("notifications/cancelled", json!({ "requestId": "5" })).await;
    peer.notify("notifications/cancelled", json!({})).await;
    peer.silence(50).await;
    peer.notify("notifications/cancelled", json!({ "requestId": 5, "reason": "never mind" })).await;
    dropped.notified().await;
    peer.request(json!(6), "ping", json!({})).await;
    assert_eq!(peer.take().await["id"], 6, "the next thing said is about something else");
    drop(client);
}

/// Says so when it is dropped.
struct Signal(Arc<Notify>);

impl Drop for Signal {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_does_not_time_out_while_its_question_is_being_answered() {
    let builder = Client::builder().on_elicit(|_| async {
        sleep(Duration::from_secs(600)).await;
        Ok(ElicitResult::accept(RawJson::parse(r#"{"name":"Ada"}"#)?))
    });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.request(json!(1), "elicitation/create", form(&name())).await;
        let answer = peer.take().await;
        assert_eq!(answer["result"]["content"]["name"], "Ada");
        peer.result(&call, text("Hello, Ada")).await;
        peer.expect("tools/call").await;
    };
    let talk = async {
        client.call("ask", ()).timeout(Duration::from_secs(1)).await.expect("a result");
        let error = client.call("ask", ()).timeout(Duration::from_secs(1)).await.expect_err("no answer");
        assert!(error.is_timeout());
    };
    tokio::join!(talk, script);
}

// spec: R024, R106
#[tokio::test(start_paused = true)]
async fn a_request_of_a_modern_server_is_reported_and_never_answered() {
    let (seen, warnings) = std::sync::mpsc::channel();
    let builder = Client::builder().on_warning(move |warning| seen.send(warning.clone()).expect("received"));
    let (mut peer, client) = Peer::modern(builder, json!({})).await;
    peer.request(json!(1), "ping", json!({})).await;
    peer.request(json!(2), "roots/list", json!({})).await;
    peer.silence(100).await;
    let methods: Vec<_> = warnings
        .try_iter()
        .map(|warning| match warning {
            Warning::ServerRequest { method } => method,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(methods, ["ping", "roots/list"]);
    drop(client);
}
