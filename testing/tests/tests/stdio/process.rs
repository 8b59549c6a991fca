//! The server as a process.

use std::time::{Duration, Instant};

use hermes_testkit::{Conversation, Heard, Recorder};

use crate::{demo, hello};

fn greeted() -> hermes_testkit::Peer {
    let mut peer = demo();
    let script = Conversation::parse(&hello()).expect("a script");
    script.play(&mut peer, &mut Recorder::from_env()).expect("a handshake");
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
    script.play(&mut peer, &mut Recorder::from_env()).expect("as scripted");
    let (status, stderr) = peer.wait(Duration::from_secs(10)).expect("the server ends");
    assert_eq!(status.code(), Some(0));
    assert!(stderr.contains("panicked at"), "the panic is on standard error: {stderr}");
}
