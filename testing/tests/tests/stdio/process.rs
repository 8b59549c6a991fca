//! The server as a process.

use std::time::{Duration, Instant};

use hermes_testkit::{Conversation, Heard};

use crate::{demo, hello};

fn greeted() -> hermes_testkit::Peer {
    let mut peer = demo();
    let script = Conversation::parse(&hello()).expect("a script");
    script.play(&mut peer).expect("a handshake");
    peer
}

// spec: R113
#[test]
fn b055_the_end_of_the_input_ends_the_server_even_in_a_long_call() {
    let mut peer = greeted();
    peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"sleep\",\"arguments\":{\"ms\":60000}}}\n")
        .expect("sent");
    let closed = Instant::now();
    peer.close();
    let Heard::Line(answer) = peer.hear(Duration::from_secs(10)) else { panic!("no outcome for the call") };
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    assert_eq!((&answer["id"], &answer["result"]["isError"]), (&7.into(), &true.into()));
    let (status, _) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
    assert!(closed.elapsed() < Duration::from_secs(2), "{:?}", closed.elapsed());
}

#[test]
fn a_call_that_fits_into_the_grace_time_is_finished() {
    let mut peer = greeted();
    peer.send(b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"sleep\",\"arguments\":{\"ms\":500}}}\n")
        .expect("sent");
    peer.close();
    let Heard::Line(answer) = peer.hear(Duration::from_secs(10)) else { panic!("no outcome for the call") };
    let answer: serde_json::Value = serde_json::from_slice(&answer).expect("JSON");
    assert_eq!(answer["result"]["content"][0]["text"], "done");
    let (status, _) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn no_input_at_all_ends_with_status_0() {
    let mut peer = demo();
    peer.close();
    assert_eq!(peer.hear(Duration::from_secs(10)), Heard::End);
    let (status, _) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
}

// spec: R102
#[test]
fn a_panic_is_an_error_of_its_call_and_nothing_of_it_is_on_standard_output() {
    let script = format!(
        "{}{}",
        hello(),
        r#"
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"panic","arguments":{}}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"the handler panicked"}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"echo","arguments":{"text":"still here"}}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"still here"}]}}
        ! end
        "#
    );
    let mut peer = demo();
    let script = Conversation::parse(&script).expect("a script");
    script.play(&mut peer).expect("as scripted");
    let (status, stderr) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
    assert!(stderr.contains("panicked at"), "the panic is on standard error: {stderr}");
}

/// A process's state, and how much processor time it had, in hundredths of a second.
#[cfg(target_os = "linux")]
fn processor_time(process: u32) -> (String, u64) {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).expect("it was not waited for yet");
    // The program's name stands in brackets and may hold anything.
    let (_, fields) = stat.rsplit_once(") ").expect("a name");
    let fields: Vec<&str> = fields.split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number");
    (fields[0].to_owned(), ticks(11) + ticks(12))
}

// spec: R113
#[test]
#[cfg(target_os = "linux")]
fn b055_the_end_costs_no_processor_time_whatever_is_still_running() {
    let calls = r#"
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":60000}}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"progress","arguments":{"n":1000,"interval_ms":60000}}}
        > {"jsonrpc":"2.0","id":9,"method":"ping"}
        < {"jsonrpc":"2.0","id":9,"result":{}}
        "#;
    for running in ["", calls] {
        let mut peer = demo();
        let script = Conversation::parse(&format!("{}{running}", hello())).expect("a script");
        script.play(&mut peer).expect("as scripted");
        let (_, before) = processor_time(peer.process_id());
        peer.close();
        while let Heard::Line(_) = peer.hear(Duration::from_secs(10)) {}
        let at_the_end = loop {
            // A process that has ended keeps its figures until it is waited for.
            if let (state, ticks) = processor_time(peer.process_id())
                && state == "Z"
            {
                break ticks;
            }
            std::thread::yield_now();
        };
        assert!(at_the_end - before < 20, "{} ms", (at_the_end - before) * 10);
        let (status, _) = peer.wait(Duration::from_secs(10)).expect("the server ends");
        assert_eq!(status.code(), Some(0));
    }
}

// spec: R102
#[test]
fn logs_go_to_standard_error_and_standard_output_has_messages_only() {
    let mut peer = demo();
    let script = format!(
        "{}{}",
        hello(),
        r#"
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"x"}]}}
        > no message
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        ! end
        "#
    );
    let script = Conversation::parse(&script).expect("a script");
    script.play(&mut peer).expect("as scripted");
    let (status, stderr) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
    assert!(stderr.contains("tools/call"), "the log tells of the call: {stderr:?}");
}
