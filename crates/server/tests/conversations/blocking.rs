//! Handlers that keep their thread: nothing else of their connection waits for them.
//!
//! They do so by `block_in_place`, which is how code that cannot await waits in a runtime of many threads.

use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use hermes_server::{Context, Elicited, Server, ToolError};
use hermes_types::Revision;
use serde_json::json;
use tokio::runtime::Handle;
use tokio::task::block_in_place;

use crate::client::Client;

/// How long a test waits for what has to come, before it says that it did not.
const LONG: Duration = Duration::from_secs(20);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    name: String,
}

/// `ask` blocks until its question is answered; `wait` until `go` is called; `echo` is done at once.
fn server() -> Server {
    let (sender, receiver) = mpsc::channel::<()>();
    let receiver = Arc::new(Mutex::new(receiver));
    Server::new("test", "1")
        .tool("ask", |(): (), ctx: Context| async move {
            let answer =
                block_in_place(|| Handle::current().block_on(async { ctx.elicit::<Name>("Who?").await }))?;
            let Elicited::Accepted(Name { name }) = answer else { return Ok("nobody".to_owned()) };
            Ok::<_, ToolError>(name)
        })
        .tool("wait", move |(): (), _: Context| {
            let receiver = Arc::clone(&receiver);
            async move {
                let came = block_in_place(|| receiver.lock().expect("one waits").recv_timeout(LONG));
                came.map(|()| "went").map_err(|_| ToolError::new("nobody called `go`"))
            }
        })
        .tool("go", move |(): (), _: Context| {
            let sender = sender.clone();
            async move { sender.send(()).map(|()| "gone").map_err(|_| ToolError::new("nobody waits")) }
        })
        .tool("echo", |(): (), _: Context| async { Ok::<_, ToolError>("echo") })
}

/// Whoever waits for something that does not come learns it, instead of waiting with it.
async fn in_time<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(LONG, future).await.unwrap_or_else(|_| panic!("{what} does not come"))
}

fn call(id: i64, tool: &str) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool } }).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_handler_that_blocks_until_its_question_is_answered_gets_the_answer() {
    let mut client =
        Client::legacy_with(&server(), Revision::V2025_11_25, json!({ "elicitation": {} })).await;
    client.send(&call(1, "ask")).await;
    let question = in_time("the question", client.next()).await;
    assert_eq!(question["method"], "elicitation/create");
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    client.send(&json!({ "jsonrpc": "2.0", "id": question["id"], "result": accepted }).to_string()).await;
    let answer = in_time("the result", client.next()).await;
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!(1), &json!("Ada")));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_answered_before_a_handler_that_blocks_is_sent_and_what_comes_after_it_runs() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    // All of them are read at once.
    let lines = [call(1, "echo"), call(2, "wait"), call(3, "echo")].map(|line| line + "\n").concat();
    client.send_bytes(lines.as_bytes()).await;
    let first = in_time("an answer beside the one that blocks", client.next()).await;
    let second = in_time("the other answer beside the one that blocks", client.next()).await;
    let mut ids = [first["id"].as_i64(), second["id"].as_i64()];
    ids.sort_unstable();
    assert_eq!(ids, [Some(1), Some(3)]);
    client.send(&call(4, "go")).await;
    let last = [in_time("the rest", client.next()).await, in_time("the rest", client.next()).await];
    let went = last.iter().find(|answer| answer["id"] == 2).expect("the one that blocked");
    assert_eq!(went["result"]["content"][0]["text"], "went");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_calls_read_at_once_of_which_the_first_blocks_for_the_second_both_end() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let lines = [call(1, "wait"), call(2, "go")].map(|line| line + "\n").concat();
    client.send_bytes(lines.as_bytes()).await;
    let answers = [in_time("an answer", client.next()).await, in_time("an answer", client.next()).await];
    let went = answers.iter().find(|answer| answer["id"] == 1).expect("the one that blocked");
    assert_eq!(went["result"]["content"][0]["text"], "went");
}
