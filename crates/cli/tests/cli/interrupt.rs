//! A signal during a call, and what is left of it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::{HERMES, Traced, fake, scratch};
use serde_json::Value;

/// Starts `hermes` without anything around it, so that a signal reaches it.
fn start(words: &[&str], server: &[String]) -> (Child, Traced) {
    let mut command = Command::new(HERMES);
    let traced = Traced::around(&mut command);
    let child = command
        .args(words)
        .arg("--")
        .args(server)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(HERMES);
    (child, traced)
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args(["-s", name, &child.id().to_string()]).status().expect("kill");
    assert!(sent.success());
}

/// What a fake server has received so far.
fn received(record: &Path) -> Vec<Value> {
    let text = fs::read_to_string(record).expect("the record can be read");
    text.lines().map(|line| serde_json::from_str(line).expect("a message")).collect()
}

// spec: R109
#[test]
fn a_signal_that_ends_the_program_cancels_the_call_first() {
    ends_after_cancelling("INT", 130, "interrupted");
    ends_after_cancelling("TERM", 143, "terminated");
    ends_after_cancelling("HUP", 129, "the terminal is gone");
}

fn ends_after_cancelling(name: &str, code: i32, said: &str) {
    let record = scratch(&format!("ended-by-{name}"));
    let mut server = fake("hangs");
    server.push(record.to_str().expect("the path is UTF-8").to_owned());
    // The server says on its standard error when the call has arrived, and that is passed on.
    let (mut child, _traced) = start(&["call", "good", "--verbose"], &server);
    let mut stderr = BufReader::new(child.stderr.take().expect("standard error is piped"));
    let mut line = String::new();
    while !line.contains("called") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).expect("text"), 0, "the end came before the call");
    }
    signal(&child, name);
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(code), "{name}");
    let (mut stdout, mut rest) = (String::new(), String::new());
    child.stdout.take().expect("piped").read_to_string(&mut stdout).expect("text");
    stderr.read_to_string(&mut rest).expect("text");
    assert_eq!(stdout, "");
    assert!(rest.contains(said), "{rest}");

    let received = received(&record);
    let call = received.iter().find(|message| message["method"] == "tools/call").expect("a call");
    let cancelled: Vec<&Value> =
        received.iter().filter(|message| message["method"] == "notifications/cancelled").collect();
    assert_eq!(cancelled.len(), 1, "{received:#?}");
    assert_eq!(cancelled[0]["params"]["requestId"], call["id"]);
}

// spec: R081
#[test]
fn a_timeout_cancels_the_call_too() {
    let record = scratch("timed-out");
    let mut server = fake("hangs");
    server.push(record.to_str().expect("the path is UTF-8").to_owned());
    let (child, _traced) = start(&["call", "good", "--era", "legacy", "--timeout", "2s"], &server);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(124));
    let received = received(&record);
    let call = received.iter().find(|message| message["method"] == "tools/call").expect("a call");
    let cancelled = received.iter().find(|message| message["method"] == "notifications/cancelled");
    assert_eq!(cancelled.expect("a cancellation")["params"]["requestId"], call["id"]);
}
