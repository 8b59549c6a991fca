//! A judge of messages: nothing that a revision lacks is ever sent in it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use hermes_types::{Message, Method, RequestId, Revision, split_batch};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::schemas::Schemas;
use crate::tally;

/// One of the two ends of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Opens the conversation.
    Client,
    /// Answers it.
    Server,
}

impl Side {
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// Listens to one conversation and holds every message of the side under test, or of both, against the official
/// JSON Schema of the revision it is sent in. It takes the schema at its word: a member that it does not list is an
/// error, although it would allow unknown ones.
///
/// The schemas are not part of this library. They are read from the folder that the environment variable
/// `MCP_SCHEMA_DIR` names, as `schema/<revision>.json`. Without that variable only the envelope and the pairing of
/// requests with answers are judged, which is said on standard error, once per process.
///
/// ```
/// use hermes_testkit::{Recorder, Side};
///
/// let mut recorder = Recorder::silent(&[Side::Server]);
/// recorder.says(Side::Client, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")?;
/// recorder.says(Side::Server, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n")?;
/// assert!(recorder.says(Side::Server, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Debug)]
pub struct Recorder {
    schemas: Option<Arc<Schemas>>,
    /// Whose messages are judged.
    judged: Vec<Side>,
    /// What the legacy session has agreed on.
    session: Option<Revision>,
    client: Speaker,
    server: Speaker,
    verdict: Verdict,
}

/// What one side has said.
#[derive(Debug, Default)]
struct Speaker {
    /// The requests that have no answer yet, oldest first.
    asked: Vec<(RequestId, Asked)>,
    /// The beginning of a line whose end was not sent yet.
    unfinished: Vec<u8>,
}

#[derive(Clone, Debug)]
struct Asked {
    method: String,
    /// The revision that the request named, if it did.
    modern: Option<Revision>,
    /// It was taken back: an answer that comes all the same was on its way already.
    cancelled: bool,
}

/// How much was judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// How many messages of the client were held against a schema.
    pub client: usize,
    /// How many messages of the server were.
    pub server: usize,
}

impl Recorder {
    /// A recorder that judges these sides by the schemas of the folder that `MCP_SCHEMA_DIR` names.
    ///
    /// # Panics
    /// The folder has no such schemas, or `CI` is `true` and there is no folder: there a test must not pass
    /// because nobody looked.
    #[must_use]
    pub fn from_env(judged: &[Side]) -> Self {
        Self::with(judged, Schemas::official())
    }

    /// A recorder with the schemas of a folder.
    ///
    /// # Panics
    /// The folder lacks the schema of a revision.
    #[must_use]
    pub fn new(judged: &[Side], folder: &Path) -> Self {
        Self::with(judged, Some(Arc::new(Schemas::read(folder))))
    }

    /// A recorder that knows no schemas and judges envelopes and pairs only.
    #[must_use]
    pub fn silent(judged: &[Side]) -> Self {
        Self::with(judged, None)
    }

    fn with(judged: &[Side], schemas: Option<Arc<Schemas>>) -> Self {
        let (client, server) = Default::default();
        Self { schemas, judged: judged.to_vec(), session: None, client, server, verdict: Verdict::default() }
    }

    /// How much was judged so far.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// Takes in what a side sends, cut anywhere. From the side that is not judged it may be anything.
    ///
    /// # Errors
    /// A message of a judged side is not what the schema of its revision allows: says where. Everything is
    /// taken in all the same.
    pub fn says(&mut self, side: Side, bytes: &[u8]) -> Result<(), String> {
        let mut outcome = Ok(());
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            let unfinished = &mut self.speaker(side).unfinished;
            unfinished.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = std::mem::take(unfinished);
                let judged = self.says_line(side, &line);
                outcome = outcome.and(judged);
            }
        }
        outcome
    }

    /// Takes note that a side says no more: what it has said last is a line even without its end.
    ///
    /// # Errors
    /// As for [`says`](Self::says).
    pub fn ends(&mut self, side: Side) -> Result<(), String> {
        let last = std::mem::take(&mut self.speaker(side).unfinished);
        if last.is_empty() { Ok(()) } else { self.says_line(side, &last) }
    }

    /// Takes in one whole line, with or without its end.
    ///
    /// # Errors
    /// As for [`says`](Self::says).
    pub fn says_line(&mut self, side: Side, line: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_start_matches('\u{FEFF}').trim();
        if self.judged.contains(&side) {
            return self
                .judge_line(side, text)
                .map_err(|problem| format!("{problem}\nin {}", shortened(text)));
        }
        match split_batch(text) {
            Ok(members) => members.iter().for_each(|member| self.note(side, member.get())),
            Err(_) => self.note(side, text),
        }
        Ok(())
    }

    const fn speaker(&mut self, side: Side) -> &mut Speaker {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }

    /// What has to be known of a message that is not judged, to judge the answers to it.
    fn note(&mut self, side: Side, text: &str) {
        match Message::decode(text) {
            Ok(Message::Request(request)) => {
                let modern = request.params.and_then(named_revision);
                let asked = Asked { method: request.method.into_owned(), modern, cancelled: false };
                self.speaker(side).asked.push((request.id, asked));
            }
            Ok(Message::Response(response)) => {
                // The judged side never has one id twice in flight: of two, the older was given up.
                let asked = &mut self.speaker(side.other()).asked;
                let at = response.id.and_then(|id| asked.iter().rposition(|(asked, _)| *asked == id));
                let Some(asked) = at.map(|at| asked.remove(at).1) else { return };
                if let Ok(result) = response.outcome {
                    self.agree(&asked, result);
                }
            }
            Ok(Message::Notification(notification)) if notification.method == Method::Cancelled.as_str() => {
                let id = notification.params.and_then(|params| member_raw(params, "requestId"));
                let id = id.and_then(|id| serde_json::from_str::<RequestId>(id.get()).ok());
                let asked = self.speaker(side).asked.iter_mut().find(|(asked, _)| Some(asked) == id.as_ref());
                if let Some((_, asked)) = asked {
                    asked.cancelled = true;
                }
            }
            Ok(Message::Notification(_)) | Err(_) => {}
        }
    }

    /// The handshake's result settles the revision of what follows.
    fn agree(&mut self, asked: &Asked, result: &RawValue) {
        if asked.method == Method::Initialize.as_str() && asked.modern.is_none() {
            self.session = member(result, "protocolVersion").and_then(|date| date.parse().ok());
        }
    }

    fn judge_line(&mut self, side: Side, text: &str) -> Result<(), String> {
        let raw: &RawValue = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
        match split_batch(text) {
            Ok(members) => members.iter().try_for_each(|member| self.judge(side, member)),
            Err(_) => self.judge(side, raw),
        }
    }

    fn judge(&mut self, side: Side, raw: &RawValue) -> Result<(), String> {
        let message: Value = serde_json::from_str(raw.get())
            .map_err(|error| format!("no JSON that a schema reads: {error}"))?;
        let of = |names: &[&str]| names.iter().filter(|name| message.get(**name).is_some()).count();
        if message["jsonrpc"] != "2.0" || of(&["method", "result", "error"]) != 1 {
            return Err("no request, notification or response of JSON-RPC 2.0".to_owned());
        }
        match message.get("method") {
            Some(method) => {
                let known = method.as_str().is_some_and(|method| Method::parse(method).is_some());
                self.judge_call(side, known, &message, raw)
            }
            None => self.judge_answer(side, &message, raw),
        }
    }

    /// A request or a notification.
    fn judge_call(&mut self, side: Side, known: bool, message: &Value, raw: &RawValue) -> Result<(), String> {
        let revision = self.revision_of(side, message);
        let request = message.get("id").is_some();
        self.note(side, raw.get());
        let kind = match (known, request, side) {
            // A method of nobody's: it is JSON-RPC, or nothing.
            (false, true, _) => "JSONRPCRequest",
            (false, false, _) => "JSONRPCNotification",
            (true, true, Side::Client) => "ClientRequest",
            (true, true, Side::Server) => "ServerRequest",
            (true, false, Side::Client) => "ClientNotification",
            (true, false, Side::Server) => "ServerNotification",
        };
        self.check(side, revision, kind, message)
    }

    /// The revision in which a request or a notification is sent.
    fn revision_of(&self, side: Side, message: &Value) -> Revision {
        match side {
            Side::Client => self.revision_of_client(message),
            Side::Server => {
                let listening = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
                self.session.filter(|_| listening.is_null()).unwrap_or(Revision::LATEST)
            }
        }
    }

    fn revision_of_client(&self, message: &Value) -> Revision {
        let params = &message["params"];
        let named = match message["method"].as_str().and_then(Method::parse) {
            Some(Method::Initialize) => &params["protocolVersion"],
            _ => &params["_meta"]["io.modelcontextprotocol/protocolVersion"],
        };
        if let Some(named) = named.as_str() {
            return named.parse().unwrap_or(Revision::LATEST);
        }
        // A notification names none: one that cancels a request is sent in the request's.
        let cancelled = serde_json::from_value::<RequestId>(params["requestId"].clone()).ok();
        let cancelled = self.client.asked.iter().find(|(id, _)| cancelled.as_ref() == Some(id));
        let modern = cancelled.and_then(|(_, asked)| asked.modern).or(self.session);
        let other = if message.get("id").is_some() { Revision::LATEST_LEGACY } else { Revision::LATEST };
        modern.unwrap_or(other)
    }

    /// A result or an error.
    fn judge_answer(&mut self, side: Side, message: &Value, raw: &RawValue) -> Result<(), String> {
        let asked = self.answered(side, message, raw);
        if let Some(error) = message.get("error") {
            let revision = asked.and_then(|asked| asked.modern).or(self.session);
            let revision = revision.unwrap_or(Revision::LATEST_LEGACY);
            // Up to 2025-06-18 the schemas demand an id where the pages allow that there is none.
            if message.get("id").is_none() && revision < Revision::V2025_11_25 {
                return error["code"].as_i64().map(drop).ok_or_else(|| "an error without a code".to_owned());
            }
            let newer = revision >= Revision::V2025_11_25;
            let kind = if newer { "JSONRPCErrorResponse" } else { "JSONRPCError" };
            return self.check(side, revision, kind, message);
        }
        let asked = asked.ok_or("an answer to nothing that was asked, or a second one")?;
        if let Some(result) = member_raw(raw, "result") {
            self.agree(&asked, result);
        }
        let result = &message["result"];
        let revision = asked.modern.or(self.session).unwrap_or(Revision::LATEST_LEGACY);
        let kind = match result["resultType"].as_str() {
            Some("input_required") => "InputRequiredResult",
            _ => result_of(&asked.method),
        };
        self.check(side, revision, kind, result)
    }

    /// The request that a message answers. Of two with one id, the second is the one that was refused, unless the
    /// first was cancelled.
    fn answered(&mut self, side: Side, message: &Value, raw: &RawValue) -> Option<Asked> {
        let id: RequestId = serde_json::from_str(member_raw(raw, "id")?.get()).ok()?;
        let asked = &mut self.speaker(side.other()).asked;
        let same = |(asked, _): &(RequestId, Asked)| *asked == id;
        let in_flight = |it: &(RequestId, Asked)| same(it) && !it.1.cancelled;
        let at = match message.get("error") {
            Some(_) => asked.iter().rposition(same),
            None => asked.iter().position(in_flight).or_else(|| asked.iter().position(same)),
        };
        at.map(|at| asked.remove(at).1)
    }

    fn check(&mut self, side: Side, revision: Revision, kind: &str, value: &Value) -> Result<(), String> {
        let Some(schemas) = &self.schemas else { return Ok(()) };
        match side {
            Side::Client => self.verdict.client += 1,
            Side::Server => self.verdict.server += 1,
        }
        schemas.check(revision, kind, value)
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        tally::add(self.verdict);
    }
}

/// The beginning and the end of a text, which may be megabytes long.
fn shortened(text: &str) -> String {
    const SHOWN: usize = 2_000;
    let end = text.char_indices().nth(SHOWN).map(|(at, _)| at);
    end.and_then(|end| text.get(..end)).map_or_else(|| text.to_owned(), |start| format!("{start} ..."))
}

/// A member of an object, as it stands. Through raw text: others may hold numbers that no machine type holds.
fn member_raw<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let mut members: BTreeMap<String, &RawValue> = serde_json::from_str(object.get()).ok()?;
    members.remove(name)
}

/// A member that is a string.
fn member(object: &RawValue, name: &str) -> Option<String> {
    serde_json::from_str(member_raw(object, name)?.get()).ok()
}

/// The revision that a modern request names.
fn named_revision(params: &RawValue) -> Option<Revision> {
    let date = member(member_raw(params, "_meta")?, "io.modelcontextprotocol/protocolVersion")?;
    Some(date.parse().unwrap_or(Revision::LATEST))
}

/// The definition that a method's result has to fit.
fn result_of(method: &str) -> &'static str {
    match Method::parse(method) {
        Some(Method::Initialize) => "InitializeResult",
        Some(Method::ServerDiscover) => "DiscoverResult",
        Some(Method::ToolsList) => "ListToolsResult",
        Some(Method::ToolsCall) => "CallToolResult",
        Some(Method::ResourcesList) => "ListResourcesResult",
        Some(Method::ResourcesTemplatesList) => "ListResourceTemplatesResult",
        Some(Method::ResourcesRead) => "ReadResourceResult",
        Some(Method::PromptsList) => "ListPromptsResult",
        Some(Method::PromptsGet) => "GetPromptResult",
        Some(Method::CompletionComplete) => "CompleteResult",
        Some(Method::SubscriptionsListen) => "SubscriptionsListenResult",
        Some(Method::RootsList) => "ListRootsResult",
        Some(Method::SamplingCreateMessage) => "CreateMessageResult",
        Some(Method::ElicitationCreate) => "ElicitResult",
        _ => "Result",
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// A recorder with schemas. Without them there is nothing to hold against; `from_env` says so in the tests that
    /// need them.
    fn official(judged: Side) -> Option<Recorder> {
        std::env::var_os("MCP_SCHEMA_DIR").map(|folder| Recorder::new(&[judged], &PathBuf::from(folder)))
    }

    const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}"#;

    #[test]
    fn an_answer_to_nothing_is_refused_even_without_schemas() {
        let mut recorder = Recorder::silent(&[Side::Server]);
        recorder.says(Side::Client, b"{\"jsonrpc\":\"2.0\",\"id\":1,").expect("a part");
        recorder.says(Side::Client, b"\"method\":\"ping\"}\n").expect("the rest");
        let answer = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(recorder.says_line(Side::Server, answer), Ok(()));
        let problem = recorder.says_line(Side::Server, answer).expect_err("a second answer");
        assert!(problem.starts_with("an answer to nothing"), "{problem}");
        let both = br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#;
        for broken in [&both[..], b"{\"id\":1,\"result\":{}}", b"{\"jsonrpc\":\"2.0\",\"id\":1}"] {
            let problem = recorder.says_line(Side::Server, broken).expect_err("no envelope");
            assert!(problem.starts_with("no request, notification or response"), "{problem}");
        }
    }

    #[test]
    fn the_side_that_is_not_judged_may_say_anything() {
        let mut recorder = Recorder::silent(&[Side::Client]);
        for line in ["noise", "{", "[]", r#"{"jsonrpc":"2.0","id":1,"result":{}}"#] {
            assert_eq!(recorder.says_line(Side::Server, line.as_bytes()), Ok(()), "{line}");
        }
        let problem = recorder.says_line(Side::Client, b"noise").expect_err("it is judged");
        assert!(problem.starts_with("no JSON"), "{problem}");
    }

    #[test]
    fn what_a_revision_of_the_server_lacks_is_refused() {
        let Some(mut recorder) = official(Side::Server) else {
            return assert_eq!(Recorder::silent(&[]).verdict(), Verdict::default());
        };
        let request = br#"{"jsonrpc":"2.0","id":"s1","method":"ping"}"#;
        let problem = recorder.says_line(Side::Server, request).expect_err("no requests in the modern era");
        assert!(problem.starts_with("2026-07-28 has no ServerRequest"), "{problem}");
        recorder.says_line(Side::Client, INITIALIZE).expect("not judged");
        let problem = recorder
            .says_line(
                Side::Server,
                br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#,
            )
            .expect_err("no serverInfo");
        assert!(problem.starts_with("no InitializeResult of 2025-06-18"), "{problem}");
        recorder.says_line(Side::Client, INITIALIZE).expect("not judged");
        recorder
            .says_line(Side::Server, br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"0"}}}"#)
            .expect("a session");
        recorder
            .says_line(Side::Client, br#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{}}"#)
            .expect("not judged");
        let problem = recorder
            .says_line(
                Side::Server,
                br#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{}}}"#,
            )
            .expect_err("structured results came later");
        assert!(problem.contains("structuredContent"), "{problem}");
        recorder
            .says_line(Side::Server, br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#)
            .expect("a notification has an envelope");
        assert_eq!(recorder.verdict().client, 0);
    }

    #[test]
    fn what_a_revision_of_the_client_lacks_is_refused() {
        let Some(mut recorder) = official(Side::Client) else {
            return assert_eq!(Recorder::silent(&[]).verdict(), Verdict::default());
        };
        let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#;
        let problem = recorder.says_line(Side::Client, call).expect_err("no capabilities");
        assert!(problem.starts_with("no ClientRequest of 2026-07-28"), "{problem}");
        let hello = br#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"x","version":"0","title":"X"}}}"#;
        let problem = recorder.says_line(Side::Client, hello).expect_err("titles came later");
        assert!(problem.contains("2025-03-26"), "{problem}");
        recorder
            .says_line(Side::Server, br#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-03-26"}}"#)
            .expect("not judged");
        recorder
            .says_line(Side::Server, br#"{"jsonrpc":"2.0","id":"r","method":"roots/list"}"#)
            .expect("not judged");
        let problem = recorder
            .says_line(Side::Client, br#"{"jsonrpc":"2.0","id":"r","result":{"roots":[{"name":"no uri"}]}}"#)
            .expect_err("a root has a uri");
        assert!(problem.starts_with("no ListRootsResult of 2025-03-26"), "{problem}");
        recorder
            .says_line(
                Side::Client,
                br#"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"_meta":{"progressToken":0}}}"#,
            )
            .expect("any request has metadata");
        recorder
            .says_line(Side::Client, br#"{"jsonrpc":"2.0","id":4,"method":"x/own","params":{"a":1}}"#)
            .expect("a method of one's own is JSON-RPC");
        assert_eq!(recorder.verdict(), Verdict { client: 5, server: 0 });
    }
}
