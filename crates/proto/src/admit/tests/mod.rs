//! The decision table, row by row, and what holds for anything that comes in.

use std::fmt::Write as _;

use super::*;
use hermes_types::{RawJson, Revision};

mod anything;
mod dual;
mod field_bugs;
mod guests;
mod legacy;
mod mirrors;
mod modern_era;

/// One case: what comes in, and what becomes of it.
struct Row {
    name: &'static str,
    method: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    expected: &'static str,
}

/// A header that would be sent by default is left out.
const ABSENT: &str = "<absent>";

/// What a well-behaved client sends with every POST.
const USUAL: [(&str, &str); 3] = [
    ("host", "localhost:8000"),
    ("content-type", "application/json"),
    ("accept", "application/json, text/event-stream"),
];

fn lookup<'h>(headers: &'h [(&'h str, &'h str)]) -> impl Fn(&str) -> Field<'h> {
    move |name| {
        let said: Vec<&[u8]> =
            headers.iter().filter(|(header, _)| *header == name).map(|(_, value)| value.as_bytes()).collect();
        let usual = if said.is_empty() { &USUAL[..] } else { &[] };
        let usual = usual.iter().filter(|(header, _)| *header == name).map(|(_, value)| value.as_bytes());
        said.into_iter().filter(|value| *value != ABSENT.as_bytes()).chain(usual).collect()
    }
}

/// The sessions that there are, by id.
fn standing(id: &str) -> Standing<String> {
    let live = |revision, ready| Standing::Live { ready, revision, session: id.to_owned() };
    match id {
        "s-2024-11-05" => live(Revision::V2024_11_05, true),
        "s-2025-03-26" => live(Revision::V2025_03_26, true),
        "s-2025-06-18" => live(Revision::V2025_06_18, true),
        "s-2025-11-25" => live(Revision::V2025_11_25, true),
        "s-opening" => live(Revision::V2025_03_26, false),
        "s-expired" => Standing::Gone(Gone::Expired),
        "s-terminated" => Standing::Gone(Gone::Terminated),
        _ => Standing::Gone(Gone::Unknown),
    }
}

fn arrival() -> Arrival {
    Arrival { local: "127.0.0.1:8000".parse().ok() }
}

/// What becomes of a request, in words.
fn outcome(policy: &Policy, method: &str, headers: &[(&str, &str)], text: &[u8]) -> String {
    match decide(policy, method, headers, text) {
        Ok(words) => words,
        Err(refused) => told(&refused),
    }
}

fn decide(policy: &Policy, method: &str, headers: &[(&str, &str)], text: &[u8]) -> Result<String, Refused> {
    let field = lookup(headers);
    let guest = guard(&field, policy, arrival())?;
    Ok(match door(&guest, method, &field, policy)? {
        Door::Preflight => "preflight".to_owned(),
        Door::Delete => format!("end {}", delete(&field, policy, standing)?),
        Door::Get => {
            let Attach { last_event_id, revision, session } = get(&field, policy, standing)?;
            let after = last_event_id.map_or_else(String::new, |id| format!(" after {id}"));
            format!("read {session} {revision}{after}")
        }
        Door::Post { .. } => match body(&utf8(text.to_vec())?, &field, policy, standing)? {
            Admission::Handshake { agreed, .. } => format!("handshake {}", agreed.revision),
            Admission::Modern { request, revision, .. } => format!("modern {} {revision}", request.method),
            Admission::Notification(notification) => format!("notification {}", notification.method),
            Admission::Session { session, .. } => format!("in {session}"),
            Admission::Stateless { revision, .. } => format!("alone {revision}"),
        },
    })
}

/// A refusal in words: status, kind, code, id, reason, and what is allowed.
fn told(refused: &Refused) -> String {
    let error = refused.fault.to_error(refused.revision);
    let mut words = format!("{} {} {}", refused.status, refused.fault.kind().as_str(), error.code);
    if let Some(id) = &refused.id {
        write!(words, " id {id}").expect("a string");
    }
    if let Some(allow) = refused.allow {
        write!(words, " allow {allow}").expect("a string");
    }
    if let Some(data) = error.data.as_ref().map(RawJson::get) {
        write!(words, " {data}").expect("a string");
    }
    words
}

fn run(policy: &Policy, rows: &[Row]) {
    let mut wrong = String::new();
    for Row { name, method, headers, body, expected } in rows {
        let found = outcome(policy, method, headers, body.as_bytes());
        if found != *expected {
            writeln!(wrong, "{name}:\n  expected {expected}\n  found    {found}").expect("a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn sessions() -> Policy {
    Policy { origins: vec!["https://app.example".to_owned()], ..Policy::default() }
}

fn stateless() -> Policy {
    Policy { legacy: Legacy::Stateless, ..sessions() }
}

fn modern_only() -> Policy {
    Policy { legacy: Legacy::Off, ..sessions() }
}

/// A modern request with everything that it needs, `$params` being the members beside `_meta`, each followed by a comma.
macro_rules! modern {
    ($method:literal, $params:literal) => {
        modern!("2026-07-28", $method, $params)
    };
    ($version:literal, $method:literal, $params:literal) => {
        concat!(
            r#"{"jsonrpc":"2.0","id":7,"method":""#,
            $method,
            r#"","params":{"#,
            $params,
            r#""_meta":{"io.modelcontextprotocol/protocolVersion":""#,
            $version,
            r#"","io.modelcontextprotocol/clientCapabilities":{}}}}"#
        )
    };
}
use modern;

const LIST: &str = r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#;
const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
const NOTE: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const ANSWER: &str = r#"{"jsonrpc":"2.0","id":7,"result":{}}"#;
const HELLO: &str = r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

const NO_SESSION: &str = "400 invalid_request -32600 id 7";

/// The decision table of the transport: legacy, modern, and both on one endpoint.
// spec: R014, R015, R038, R085, R086, R121, R125, R131, R132, R133, R134, R169, R173, R182, R183, R184, R185
// spec: R186, R188, R194, R200
#[test]
fn every_case_of_the_decision_table_has_its_outcome() {
    run(&sessions(), legacy::ENDPOINT);
    run(&sessions(), legacy::MESSAGES);
    run(&sessions(), modern_era::REQUESTS);
    run(&sessions(), dual::SESSIONS);
    run(&stateless(), dual::STATELESS);
    run(&modern_only(), dual::MODERN_ONLY);
}
