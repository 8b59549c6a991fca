//! `hermes demo`: the conversation, and the server over standard input and output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

use crate::common::{HERMES, command, line, run, script};
use hermes_testkit::{Ear, Side, Tape};
use serde_json::{Value, json};

/// A conversation with `hermes demo --stdio`, line by line.
struct Demo {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next: u64,
    ear: Ear,
    /// Every message of the server is judged on it.
    _tape: Tape,
}

impl Demo {
    fn start() -> Self {
        let mut child = Command::new(HERMES)
            .args(["demo", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect(HERMES);
        let stdout = BufReader::new(child.stdout.take().expect("standard output is piped"));
        let stdin = child.stdin.take();
        let tape = Tape::new(&[Side::Server]);
        Self { child, stdin, stdout, next: 0, ear: tape.ear(), _tape: tape }
    }

    /// With a session of the legacy era.
    fn legacy() -> Self {
        let mut demo = Self::start();
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"},
        });
        assert_eq!(demo.ask("initialize", &params)["result"]["protocolVersion"], "2025-11-25");
        demo.tell(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        demo
    }

    fn tell(&mut self, message: &Value) {
        let stdin = self.stdin.as_mut().expect("the input is open");
        self.ear.hears_line(Side::Client, message.to_string().as_bytes());
        writeln!(stdin, "{message}").expect("the server reads");
    }

    /// Sends a request; its id.
    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.next += 1;
        let id = self.next;
        self.tell(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next line. Every line on standard output has to be a message.
    fn hear(&mut self) -> Option<Value> {
        let mut line = String::new();
        self.stdout.read_line(&mut line).expect("the output can be read");
        self.ear.hears(Side::Server, line.as_bytes());
        (!line.is_empty())
            .then(|| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}")))
    }

    /// Sends a request and waits for its response.
    fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        let response = self.hear().expect("a response");
        assert_eq!(response["id"], id, "{response}");
        response
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// A request of the modern era.
    fn call_modern(&mut self, tool: &str, arguments: &Value) -> Value {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments, "_meta": meta}))
    }

    /// Asks for the counters until one of them has come so far.
    fn count_until(&mut self, counter: &str, count: u64) -> Value {
        for _ in 0..100_000 {
            let counters = self.call_modern("counters", &json!({}))["result"]["structuredContent"].clone();
            if counters[counter] == count {
                return counters;
            }
        }
        panic!("{counter} never comes to {count}");
    }

    /// Closes the input and waits for the end: its exit code, what was said until then, and the milliseconds.
    fn end(mut self) -> (Option<i32>, Vec<Value>, u128) {
        let started = Instant::now();
        drop(self.stdin.take());
        let mut last = Vec::new();
        while let Some(message) = self.hear() {
            last.push(message);
        }
        let status = self.child.wait().expect("it ends");
        (status.code(), last, started.elapsed().as_millis())
    }
}

#[test]
fn the_conversation_shows_both_eras_and_what_to_try_next() {
    let ran = line("demo --show").exits(0);
    assert_eq!(ran.stderr, "");
    for text in [
        "2025-11-25",
        "2026-07-28",
        "--> tools/call add {\"a\":2,\"b\":3}",
        "<-- notifications/progress 2 of 3",
        "<-- elicitation/create \"Who are you?\"",
        "<-- input required elicitation/create \"Who are you?\"",
        "<-- result \"Hello, Ada\"",
        "<-- tool error \"no luck today\"",
    ] {
        assert!(ran.stdout.contains(text), "{text} is missing in {}", ran.stdout);
    }
    assert!(ran.stdout.ends_with("  hermes list demo\n  hermes call demo add a:=2 b:=3\n"), "{}", ran.stdout);
    assert!(ran.stdout.lines().all(|line| line.chars().count() <= 100), "{}", ran.stdout);
    let legacy = line("demo --show --era legacy").exits(0);
    assert!(!legacy.stdout.contains("2026-07-28"), "{}", legacy.stdout);
}

// spec: R113
#[test]
fn b055_the_end_of_the_input_ends_the_server_at_once() {
    let (code, last, took) = Demo::start().end();
    assert_eq!((code, last), (Some(0), Vec::new()));
    assert!(took < 2000, "{took} ms");
    let (code, last, took) = Demo::legacy().end();
    assert_eq!((code, last), (Some(0), Vec::new()));
    assert!(took < 2000, "{took} ms");
}

// spec: R113
#[test]
fn b055_a_long_sleep_does_not_hold_up_the_end_and_has_its_outcome() {
    let mut demo = Demo::legacy();
    let id = demo.send("tools/call", &json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    // The server has read the request when it answers the next one.
    let ping = demo.send("ping", &json!({}));
    assert_eq!(demo.hear().expect("a pong")["id"], ping);
    let (code, last, took) = demo.end();
    assert_eq!(code, Some(0));
    assert!(took < 2000, "{took} ms");
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(last[0]["id"], id);
    assert_eq!(last[0]["result"]["isError"], true, "{last:?}");
}

#[test]
fn a_sleep_that_fits_comes_to_its_end() {
    let mut demo = Demo::legacy();
    let id = demo.send("tools/call", &json!({"name": "sleep", "arguments": {"ms": 400}}));
    let (code, last, _) = demo.end();
    assert_eq!(code, Some(0));
    assert_eq!(last.len(), 1, "{last:?}");
    assert_eq!(last[0]["id"], id);
    assert_eq!(last[0]["result"]["content"][0]["text"], "done");
}

// spec: R102
#[test]
fn a_panic_ends_one_call_only_and_keeps_off_standard_output() {
    let mut demo = Demo::legacy();
    assert_eq!(demo.call("panic", &json!({}))["error"]["code"], -32603);
    assert_eq!(
        demo.call("echo", &json!({"text": "still here"}))["result"]["content"][0]["text"],
        "still here"
    );
    assert_eq!(demo.end().0, Some(0));
}

#[test]
fn integers_are_exact_and_sums_that_do_not_fit_are_a_tool_error() {
    let mut demo = Demo::legacy();
    let sum = demo.call("add", &json!({"a": 9_007_199_254_740_993_i64, "b": 1}));
    assert_eq!(sum["result"]["structuredContent"]["sum"], 9_007_199_254_740_994_i64);
    assert_eq!(sum["result"]["content"], json!([{"type": "text", "text": "9007199254740994"}]));
    assert_eq!(demo.call("add", &json!({"a": i64::MAX, "b": 1}))["result"]["isError"], true);
    assert_eq!(demo.call("add", &json!({"a": 30.0, "b": 3e1}))["result"]["content"][0]["text"], "60");
}

// spec: R110, R111
#[test]
fn sleeps_are_counted_in_both_eras_together() {
    let mut demo = Demo::legacy();
    assert_eq!(demo.call("sleep", &json!({"ms": 1}))["result"]["content"][0]["text"], "done");
    assert_eq!(demo.call_modern("sleep", &json!({"ms": 1}))["result"]["content"][0]["text"], "done");
    let id = demo.send("tools/call", &json!({"name": "sleep", "arguments": {"ms": 60_000}}));
    // A call that is cancelled before its handler runs was never started.
    demo.count_until("started", 3);
    demo.tell(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let counters = demo.count_until("cancelled", 1);
    assert_eq!(counters, json!({"started": 3, "done": 2, "cancelled": 1}));
    // A cancelled call gets no response.
    assert_eq!(demo.end().1, Vec::<Value>::new());
}

// spec: R225
#[test]
fn the_reason_of_a_cancellation_is_in_the_log() {
    let params = json!({"name": "sleep", "arguments": {"ms": 60_000}, "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    let params = json!({"requestId": 1, "reason": "the person went away"});
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    let mut demo = command(["demo", "--stdio"]);
    demo.env("HERMES_LOG", "debug");
    let ran = run(demo, &format!("{call}\n{cancel}\n")).exits(0);
    assert!(ran.stdout.is_empty() && ran.stderr.contains("the person went away"), "{ran:?}");
}

#[test]
fn touching_the_counter_is_told_to_who_watches_it() {
    let mut demo = Demo::legacy();
    let read = json!({"uri": "demo://counter"});
    assert_eq!(demo.ask("resources/read", &read)["result"]["contents"][0]["text"], "0");
    demo.ask("resources/subscribe", &read);
    demo.send("tools/call", &json!({"name": "touch", "arguments": {}}));
    let mut heard = [demo.hear().expect("a message"), demo.hear().expect("a message")];
    heard.sort_by_key(|message| message["method"].is_null());
    assert_eq!(heard[0]["method"], "notifications/resources/updated");
    assert_eq!(heard[0]["params"]["uri"], "demo://counter");
    assert_eq!(heard[1]["result"]["content"][0]["text"], "1");
    assert_eq!(demo.ask("resources/read", &read)["result"]["contents"][0]["text"], "1");
}

#[test]
fn a_toggled_tool_comes_and_goes_for_everybody() {
    let mut demo = Demo::legacy();
    assert_eq!(demo.call_modern("extra", &json!({}))["error"]["code"], -32602);
    for (text, there) in [("extra is there", true), ("extra is gone", false)] {
        demo.send("tools/call", &json!({"name": "toggle", "arguments": {}}));
        let mut heard = [demo.hear().expect("a message"), demo.hear().expect("a message")];
        heard.sort_by_key(|message| message["method"].is_null());
        assert_eq!(heard[0]["method"], "notifications/tools/list_changed");
        assert_eq!(heard[1]["result"]["content"][0]["text"], text);
        let outcome = demo.call_modern("extra", &json!({}));
        assert_eq!(outcome["result"]["content"][0]["text"] == "extra", there, "{outcome}");
    }
}

#[test]
fn structured_tools_declare_what_they_return() {
    let mut demo = Demo::legacy();
    let listed = demo.ask("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    let with_output: Vec<&str> = tools
        .iter()
        .filter(|tool| tool["outputSchema"].is_object())
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(with_output, ["add", "counters"]);
    let writing: Vec<&str> = tools
        .iter()
        .filter(|tool| tool["annotations"]["readOnlyHint"] == false)
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert_eq!(writing, ["toggle", "touch"]);
    let big = tools.iter().find(|tool| tool["name"] == "big").expect("big");
    assert_eq!(big["inputSchema"]["properties"]["bytes"]["maximum"], 67_108_864);
}

#[test]
fn a_person_who_starts_the_server_is_told_what_it_is() {
    let mut command = Command::new("python3");
    command.arg(script("terminal.py")).args([HERMES, "demo", "--stdio"]);
    run(command, "wait This is the demo server\nwait hermes call demo add\nend\n").exits(0);
    let (code, _, _) = Demo::start().end();
    assert_eq!(code, Some(0));
}
