//! The demo server over HTTP: what it says when it starts, and how it ends.

use std::net::TcpListener;
use std::process::Command;
use std::time::Duration;

use hermes_testkit::daemon::Daemon;

use crate::common::{HERMES, line};

/// The address that it printed.
fn url(demo: &Daemon) -> String {
    let target = demo.target();
    format!("http://{}{}", target.host, target.path)
}

fn serve(options: &[&str]) -> Daemon {
    Daemon::run(Command::new(HERMES).arg("demo").args(options)).expect("it serves")
}

#[test]
fn the_demo_server_says_where_it_is_what_it_speaks_and_how_to_call_it() {
    let demo = serve(&["--http", "127.0.0.1:0"]);
    let url = url(&demo);
    // The address stands in the first line; the rest is printed with it, in one piece.
    let printed = demo.until_printed("Ctrl-C ends it.").expect("it introduces itself");
    for text in [
        format!("The demo server listens on {url}\n"),
        "2026-07-28".to_owned(),
        "2024-11-05".to_owned(),
        "add a:=2 b:=3 gives 5.".to_owned(),
        format!(r#"{{ "mcpServers": {{ "hermes-demo": {{ "type": "http", "url": "{url}" }} }} }}"#),
        format!("hermes call {url} add a:=2 b:=3"),
        format!("curl {url} "),
    ] {
        assert!(printed.contains(&text), "{text} is missing in {printed}");
    }
    assert!(!printed.contains("is taken"), "{printed}");
}

// spec: R122, R170
#[test]
fn without_an_address_another_port_of_loopback_is_taken_when_the_usual_one_is_not_free() {
    // Whoever has the usual port, this test or another program: it is taken.
    let _taken = TcpListener::bind("127.0.0.1:8000");
    let demo = serve(&[]);
    assert_ne!(url(&demo), "http://127.0.0.1:8000/mcp");
    demo.until_printed("127.0.0.1:8000 is taken").expect("it says so");
}

#[test]
fn a_named_port_that_is_taken_is_an_error_that_names_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let ran = line(&format!("demo --http {address}")).exits(4);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains(&format!("cannot listen on {address}")), "{}", ran.stderr);
}

#[test]
fn it_is_told_to_end_and_ends_in_good_order() {
    let mut demo = serve(&["--http", "127.0.0.1:0"]);
    demo.terminate().expect("it runs");
    let status = demo.wait(Duration::from_secs(10)).expect("it ends");
    assert_eq!(status.code(), Some(0), "{}", demo.printed());
}

#[test]
fn one_way_of_serving_is_enough() {
    let ran = line("demo --stdio --http 127.0.0.1:0").exits(1);
    assert!(ran.stderr.contains("--http"), "{}", ran.stderr);
}

#[test]
fn the_demo_server_takes_websockets_at_the_same_address() {
    let demo = serve(&["--http", "127.0.0.1:0"]);
    let target = url(&demo).replace("http://", "ws://");
    line(&format!("call {target} add a:=2 b:=3")).exits(0).prints("5\n");
    line(&format!("call {target} add a:=2 b:=3 --era legacy --header X-Key:1")).exits(0).prints("5\n");
    line(&format!("ping {}", target.replace("/mcp", "/none"))).exits(2).says(&["HTTP 404"]);
}
