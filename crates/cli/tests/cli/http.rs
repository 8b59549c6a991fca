//! Servers at addresses: every verb against the demo server over HTTP, and how it ends when there is none.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use crate::common::{HERMES, Ran, hermes, line};
use hermes_testkit::daemon::Daemon;

const ERAS: [&str; 3] = ["legacy", "modern", "auto"];

/// The demo server on a port of its own, and its address.
fn demo() -> (Daemon, String) {
    let daemon = Daemon::run(Command::new(HERMES).args(["demo", "--http", "127.0.0.1:0"])).expect("a server");
    let url = format!("http://{}{}", daemon.target().host, daemon.target().path);
    (daemon, url)
}

/// A server that answers everything with these bytes.
fn answering(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            respond(stream.expect("a connection"), answer);
        }
    });
    url
}

/// Reads a request and answers it. A client that has hung up has nothing to hear.
fn respond(mut stream: TcpStream, answer: &str) {
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !is_whole(&request) {
        match stream.read(&mut chunk) {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend_from_slice(&chunk[..count]),
        }
    }
    let _ = stream.write_all(answer.as_bytes());
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head
        .lines()
        .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    body.len() >= length.unwrap_or(0)
}

fn in_era(words: &[&str], era: &str) -> Ran {
    hermes(words.iter().copied().chain(["--era", era]))
}

#[test]
fn every_verb_works_at_an_address_in_both_eras() {
    let (_demo, url) = demo();
    let url = url.as_str();
    for era in ERAS {
        let listed = in_era(&["list", url, "--json"], era).exits(0).json();
        assert_eq!(listed["tools"].as_array().map(Vec::len), Some(18), "{listed}");
        in_era(&["call", url, "add", "a:=2", "b:=9007199254740993"], era)
            .exits(0)
            .prints("9007199254740995\n");
        in_era(&["call", url, "ask", "message=Who?", "--answer", "name=Ada"], era)
            .exits(0)
            .prints("Hello, Ada\n");
        in_era(&["call", url, "progress", "n:=2", "-v"], era).exits(0).says(&["progress: 2/2"]);
        in_era(&["call", url, "fail", "message=no"], era).exits(5).prints("");
        in_era(&["read", url, "demo://users/ada"], era).exits(0);
        in_era(&["read", url, "demo://nowhere"], era).exits(2).prints("").says(&["-3", url]);
        let greet = in_era(&["prompt", url, "greet", "name=Ada"], era).exits(0);
        assert!(greet.stdout.contains("Ada"), "{greet:?}");
        in_era(&["complete", url, "review", "language=ru"], era).exits(0).prints("ruby\nrust\n");
        let ping = in_era(&["ping", url], era).exits(0);
        assert!(ping.stdout.contains("ms"), "{ping:?}");
        let info = in_era(&["info", url], era).exits(0);
        let revision = if era == "legacy" { "2025-11-25" } else { "2026-07-28" };
        assert!(info.stdout.contains(revision), "{info:?}");
    }
}

#[test]
fn a_result_of_many_megabytes_arrives_whole() {
    let (_demo, url) = demo();
    for era in ["legacy", "modern"] {
        let ran = in_era(&["call", &url, "big", "bytes:=20000000", "--json"], era).exits(0);
        assert!(ran.stdout.len() > 20_000_000, "{}", ran.stdout.len());
    }
}

#[test]
fn a_call_that_takes_too_long_is_taken_back() {
    let (_demo, url) = demo();
    for (count, era) in ["legacy", "modern"].into_iter().enumerate() {
        let ran = in_era(&["call", &url, "sleep", "ms:=60000", "--timeout", "500ms"], era);
        ran.exits(124).prints("").says(&["500 ms", &url]);
        let counters = in_era(&["call", &url, "counters", "--json"], "modern").exits(0).json();
        assert_eq!(counters["structuredContent"]["cancelled"], count + 1, "{counters}");
    }
}

#[test]
fn nobody_at_the_address_is_said_within_half_a_second() {
    let unused = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let url = format!("http://{unused}/mcp");
    let ran = line(&format!("list {url}")).exits(4).prints("").says(&[&url, "refused"]);
    assert!(ran.took.as_millis() < 500, "{ran:?}");
}

#[test]
fn refused_credentials_exit_with_three_and_name_the_challenge() {
    for status in ["401 Unauthorized", "403 Forbidden"] {
        let answer = format!(
            "HTTP/1.1 {status}\r\nWWW-Authenticate: Bearer realm=\"files\"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
        );
        let url = answering(answer.leak());
        line(&format!("list {url}")).exits(3).prints("").says(&[
            &url,
            "Bearer realm=\"files\"",
            &status[..3],
        ]);
    }
}

#[test]
fn what_is_no_server_of_the_protocol_is_told_with_what_came() {
    for (answer, words) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\nContent-Length: 15\r\n\r\n<html>hi</html>",
            &["200", "text/html", "<html>hi</html>"][..],
        ),
        ("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", &["404"]),
        ("HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", &["500"]),
        (
            "HTTP/1.1 202 Accepted\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            &["202", "needs an answer"],
        ),
        (
            "HTTP/1.1 302 Found\r\nLocation: http://example.org/\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
            &["302", "redirect", "http://example.org/"],
        ),
    ] {
        let url = answering(answer);
        line(&format!("list {url}")).exits(2).prints("").says(&[&url]).says(words);
    }
}

#[test]
fn an_address_or_a_header_that_cannot_be_used_is_a_mistake_of_the_command_line() {
    line("list http://").exits(1).prints("");
    hermes(["list", "http://127.0.0.1:1/mcp", "--header", "X: \u{7f}"]).exits(1).prints("");
}

#[test]
fn a_trace_shows_the_whole_conversation_and_no_secret() {
    let (_demo, url) = demo();
    let secret = format!("{url}?token=s3cret");
    for era in ["legacy", "modern"] {
        let words =
            ["call", &secret, "add", "a:=2", "b:=3", "--trace", "--header", "Authorization: Bearer s3cret"];
        let words = words.into_iter().chain(["--header", "X-Own: s3cret", "--era", era]);
        let ran = hermes(words).exits(0).prints("5\n");
        let line = format!("> POST {url}?token=*** #1\n");
        ran.says(&[
            &line,
            "> authorization: Bearer ***\n",
            "> x-own: ***\n",
            "> content-type: application/json\n",
            "< HTTP/1.1 200 OK #1\n",
            "--> {\"jsonrpc\"",
            "<-- {\"jsonrpc\"",
        ]);
    }
    let ran = in_era(&["call", &secret, "add", "a:=2", "b:=3", "--trace", "-H", "X-Own: s3cret"], "legacy")
        .exits(0);
    assert!(!ran.stderr.contains("s3cret"), "{}", ran.stderr);
    let sessions: Vec<&str> =
        ran.stderr.lines().filter_map(|line| line.split_once("mcp-session-id: ")).map(|(_, id)| id).collect();
    assert!(
        !sessions.is_empty() && sessions.iter().all(|id| id.len() == 9 && id.ends_with("***")),
        "{sessions:?}"
    );
    // The end of a session is a part of the conversation too.
    assert!(ran.stderr.contains(&format!("> DELETE {url}")), "{}", ran.stderr);
}

#[test]
fn a_trace_shows_what_came_instead_of_an_answer() {
    let url = answering(
        "HTTP/1.1 302 Found\r\nLocation: https://me:s3cret@example.org/?code=s3cret\r\nSet-Cookie: id=s3cret\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
    );
    let ran = line(&format!("list {url} --trace")).exits(2).prints("");
    let traced: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("< ")).collect();
    assert!(traced.contains(&"< HTTP/1.1 302 Found #1"), "{traced:?}");
    assert!(traced.contains(&"< location: https://example.org/?code=***"), "{traced:?}");
    assert!(traced.contains(&"< set-cookie: id=***"), "{traced:?}");
}
