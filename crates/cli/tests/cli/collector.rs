//! A collector that traces and metrics do not reach: what a command says of it, and how long it waits.

use std::io::{BufRead as _, BufReader, Read as _};
use std::net::TcpListener;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{HERMES, Ran, command, run};

/// Calls a tool with a collector at this address.
fn call(collector: &str, limit: Option<&str>) -> Ran {
    let mut command = command(["call", "demo", "add", "a:=2", "b:=3", "--otlp", collector]);
    // A proxy of this machine's is not to be asked for the collector.
    command.env("NO_PROXY", "127.0.0.1");
    if let Some(limit) = limit {
        command.env("OTEL_EXPORTER_OTLP_TIMEOUT", limit);
    }
    run(command, "").exits(0).prints("5\n")
}

/// The program itself, to be signalled.
fn hermes(words: &[&str]) -> Command {
    let mut command = Command::new(HERMES);
    command.args(words).env("NO_PROXY", "127.0.0.1");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Somebody who listens at an address and never answers: the system makes the connections, and nobody takes them.
fn silent() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    (listener, url)
}

fn signal(name: &str, process: u32) {
    let told = Command::new("kill").args(["-s", name, &process.to_string()]).status();
    assert!(told.is_ok_and(|status| status.success()));
}

#[test]
fn one_that_is_not_there_costs_a_command_one_line_and_no_time() {
    let (listener, collector) = silent();
    drop(listener);
    let ran = call(&collector, Some("60000"));
    let warning =
        format!("warning: traces and metrics are lost: the collector at {collector} cannot be reached\n");
    assert_eq!(ran.stderr, warning);
    assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
}

#[test]
fn one_that_does_not_answer_is_waited_for_as_long_as_is_said_and_told_of_once() {
    let (_listener, collector) = silent();
    for limit in [None, Some("300")] {
        let ran = call(&collector, limit);
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        let beginning = format!("warning: traces and metrics are lost: the collector at {collector} ");
        assert!(ran.stderr.starts_with(&beginning), "{ran:?}");
        assert!(ran.took < Duration::from_secs(20), "{:?}", ran.took);
    }
}

#[test]
fn a_signal_ends_the_wait() {
    let (listener, collector) = silent();
    let mut command = hermes(&["call", "demo", "add", "a:=2", "b:=3", "--otlp", &collector]);
    let mut child = command.env("OTEL_EXPORTER_OTLP_TIMEOUT", "600000").spawn().expect(HERMES);
    let mut result = String::new();
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    stdout.read_line(&mut result).expect("it can be read");
    assert_eq!(result, "5\n");
    // What is sent at the end is on its way: the program waits.
    let (mut stream, _) = listener.accept().expect("a connection");
    stream.read_exact(&mut [0]).expect("a request");
    signal("INT", child.id());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn a_server_says_once_that_its_collector_is_not_there() {
    let (listener, collector) = silent();
    drop(listener);
    let mut command = hermes(&["demo", "--http", "127.0.0.1:0", "--otlp", &collector]);
    command.env("OTEL_METRIC_EXPORT_INTERVAL", "50").env("OTEL_EXPORTER_OTLP_TIMEOUT", "200");
    let mut child = command.spawn().expect(HERMES);
    let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
    let mut first = String::new();
    stderr.read_line(&mut first).expect("it can be read");
    assert!(first.starts_with("warning: traces and metrics are lost: "), "{first}");
    signal("TERM", child.id());
    let mut rest = String::new();
    stderr.read_to_string(&mut rest).expect("it can be read");
    assert_eq!(rest, "ending: what runs may finish\n");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
}
