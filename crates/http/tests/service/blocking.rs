//! Handlers that keep their thread, in sessions: what they say is written meanwhile.
//!
//! They do so by `block_in_place`, which is how code that cannot await waits in a runtime of many threads.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hermes_http::{McpService, StreamableHttp};
use hermes_server::{Context, Elicited, Server, ToolError};
use hermes_types::Revision;
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::client::{Client, LATEST, LEGACY};

/// How long a test waits for what has to come, before it says that it did not.
const LONG: Duration = Duration::from_secs(20);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// `ask` blocks until its question is answered; `wait` until `go` is called; `tell` says something before that.
fn service() -> McpService {
    let (sender, receiver) = mpsc::channel::<()>();
    let receiver = Arc::new(Mutex::new(receiver));
    let wait = move || {
        let came = block_in_place(|| receiver.lock().expect("one waits").recv_timeout(LONG));
        came.map(|()| "went").map_err(|_| ToolError::new("nobody called `go`"))
    };
    let also = wait.clone();
    let server = Server::new("test", "1")
        .tool("ask", |(): (), ctx: Context| async move {
            let answer =
                block_in_place(|| Handle::current().block_on(async { ctx.elicit::<Name>("Who?").await }))?;
            let Elicited::Accepted(Name { name }) = answer else { return Ok("nobody".to_owned()) };
            Ok::<_, ToolError>(name)
        })
        .tool("wait", move |(): (), _: Context| {
            let wait = wait.clone();
            async move { wait() }
        })
        .tool("tell", move |(): (), ctx: Context| {
            let wait = also.clone();
            async move {
                ctx.progress(1.0, None, None);
                wait()
            }
        })
        .tool("go", move |(): (), _: Context| {
            let sender = sender.clone();
            async move { sender.send(()).map(|()| "gone").map_err(|_| ToolError::new("nobody waits")) }
        });
    StreamableHttp::new(server).service()
}

/// Whoever waits for something that does not come learns it, instead of waiting with it.
async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.unwrap_or_else(|_| panic!("{what} does not come"))
}

fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{response}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_until_its_question_is_answered_gets_the_answer() {
    let service = service();
    for revision in LEGACY {
        let mut client = Client::stranger(&service, revision);
        client.greet(json!({ "elicitation": {} })).await;
        if revision < Revision::V2025_06_18 {
            // Who is not known to take questions is not asked.
            assert_eq!(client.ask(&client.call(1, "ask", json!({}))).await["result"]["isError"], true);
            continue;
        }
        let call = client.call(1, "ask", json!({}));
        let mut answer = in_time("the head of the answer", client.post(&call)).await;
        let question = in_time("the question", answer.message()).await.expect("a question");
        assert_eq!(question["method"], "elicitation/create");
        let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
        let told = json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted });
        assert_eq!(in_time("a nod", client.post(&told)).await.status(), 202);
        let response = in_time("the result", answer.message()).await.expect("a result");
        assert_eq!((&response["id"], text(&response)), (&json!(1), "Ada"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_handler_says_before_it_blocks_is_read_while_it_does() {
    let service = service();
    let client = Client::open(&service, LATEST).await;
    let mut answer = in_time("the head of the answer", client.post(&client.call(1, "tell", json!({})))).await;
    let note = in_time("the note", answer.message()).await.expect("a note");
    assert_eq!(note["method"], "notifications/progress");
    assert_eq!(text(&client.ask(&client.call(2, "go", json!({}))).await), "gone");
    assert_eq!(text(&in_time("the result", answer.message()).await.expect("a result")), "went");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_calls_in_one_batch_the_first_may_block_for_the_second() {
    let service = service();
    let client = Client::open(&service, Revision::V2025_03_26).await;
    let batch = json!([client.call(1, "wait", json!({})), client.call(2, "go", json!({}))]);
    let answers = in_time("the answers", client.ask(&batch)).await;
    let went = answers.as_array().expect("a batch").iter().find(|answer| answer["id"] == 1);
    assert_eq!(text(went.expect("the one that blocked")), "went");
}

/// Its client can come back for a stream, and for a JSON text it cannot.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_is_not_done_at_once_is_answered_with_a_stream_however_fast_it_is_then() {
    let server = Server::new("test", "1").tool("soon", |(): (), _: Context| async {
        tokio::task::yield_now().await;
        "done"
    });
    let service = StreamableHttp::new(server).service();
    let client = Client::open(&service, LATEST).await;
    for id in 0..200 {
        let answer = client.post(&client.call(id, "soon", json!({}))).await;
        assert!(answer.is_events(), "call {id}");
        assert_eq!(text(&answer.response().await), "done");
    }
}
