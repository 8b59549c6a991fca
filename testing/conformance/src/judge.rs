//! Holding everything that the server says against the official schemas, while the suite talks to it.
//!
//! The suite looks at what most of its scenarios hear, and not at all of it. Here nothing is left out: the endpoint is
//! mounted in a router that reads along.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Write as _};
use std::mem::take;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use hermes::http::StreamableHttp;
use hermes_testkit::{Recorder, Side};
use http_body_util::BodyExt as _;

/// More than the suite ever sends, in bytes.
const BODY_BYTES: usize = 1024 * 1024;

/// The endpoint at `/mcp`. Each message of the server adds a line to the file: `judged`, or what is wrong with it.
pub(crate) fn router(http: StreamableHttp, file: File) -> Router {
    let judge = Arc::new(Judge { file, sessions: Mutex::default() });
    Router::new().route_service("/mcp", http.service()).layer(from_fn_with_state(judge, read_along))
}

struct Judge {
    file: File,
    sessions: Mutex<BTreeMap<String, Arc<Mutex<Conversation>>>>,
}

/// What belongs to one session, or to one request without a session.
#[derive(Debug)]
struct Conversation {
    recorder: Recorder,
    /// The events that were heard: a replay is no second message.
    events: BTreeSet<String>,
}

async fn read_along(State(judge): State<Arc<Judge>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(sent) = to_bytes(body, BODY_BYTES).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let conversation = judge.conversation(&parts.headers);
    // What the suite says is not judged, so it is never wrong.
    let _ = lock(&conversation).recorder.says_line(Side::Client, &sent);
    let response = next.run(Request::from_parts(parts, Body::from(sent))).await;
    judge.remember(response.headers(), &conversation);
    let is_events = header(response.headers(), "content-type") == Some("text/event-stream");
    let mut event = Event::default();
    response.map(|body| {
        Body::new(body.map_frame(move |frame| {
            if let Some(data) = frame.data_ref() {
                judge.hears(&conversation, data, is_events.then_some(&mut event));
            }
            frame
        }))
    })
}

impl Judge {
    fn conversation(&self, headers: &HeaderMap) -> Arc<Mutex<Conversation>> {
        let known = header(headers, "mcp-session-id").and_then(|id| lock(&self.sessions).get(id).cloned());
        known.unwrap_or_else(|| {
            let recorder = Recorder::from_env(&[Side::Server]);
            Arc::new(Mutex::new(Conversation { recorder, events: BTreeSet::new() }))
        })
    }

    fn remember(&self, headers: &HeaderMap, conversation: &Arc<Mutex<Conversation>>) {
        if let Some(id) = header(headers, "mcp-session-id") {
            lock(&self.sessions).entry(id.to_owned()).or_insert_with(|| Arc::clone(conversation));
        }
    }

    /// Takes in a part of an answer: lines of events, or one JSON text.
    fn hears(&self, conversation: &Mutex<Conversation>, data: &Bytes, event: Option<&mut Event>) {
        let mut conversation = lock(conversation);
        let Some(event) = event else { return self.judges(&mut conversation, data) };
        for byte in data {
            if let Some((id, message)) = event.takes(*byte)
                && (id.is_empty() || conversation.events.insert(id))
                && !message.is_empty()
            {
                self.judges(&mut conversation, message.as_bytes());
            }
        }
    }

    fn judges(&self, conversation: &mut Conversation, message: &[u8]) {
        let before = conversation.recorder.verdict().server;
        let line = match conversation.recorder.says_line(Side::Server, message) {
            Err(problem) => problem.replace('\n', " "),
            Ok(()) if conversation.recorder.verdict().server > before => "judged".to_owned(),
            // Where there are no schemas at hand nothing is held against them.
            Ok(()) => return,
        };
        let written = (&self.file).write_all(format!("{line}\n").as_bytes());
        if let Err(error) = written {
            let _ = writeln!(io::stderr(), "{line}: {error}");
        }
    }
}

/// An event on its way.
#[derive(Debug, Default)]
struct Event {
    id: String,
    data: String,
    line: Vec<u8>,
}

impl Event {
    /// Takes in a byte; with the last one of an event, its id and data.
    fn takes(&mut self, byte: u8) -> Option<(String, String)> {
        if byte != b'\n' {
            self.line.push(byte);
            return None;
        }
        let line = String::from_utf8_lossy(&take(&mut self.line)).into_owned();
        match line.split_once(": ") {
            Some(("id", id)) => id.clone_into(&mut self.id),
            Some(("data", data)) => self.data.push_str(data),
            _ if line.is_empty() => return Some((take(&mut self.id), take(&mut self.data))),
            // A comment, or the time to come back after.
            _ => {}
        }
        None
    }
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_apart_wherever_they_are_cut() {
        let mut event = Event::default();
        let text = "id: a\nretry: 20\ndata: \n\n: still here\n\nid: b\ndata: {\"x\":\"é\"}\n\n";
        let heard: Vec<_> = text.bytes().filter_map(|byte| event.takes(byte)).collect();
        let heard: Vec<_> = heard.iter().map(|(id, data)| (id.as_str(), data.as_str())).collect();
        assert_eq!(heard, [("a", ""), ("", ""), ("b", r#"{"x":"é"}"#)]);
    }
}
