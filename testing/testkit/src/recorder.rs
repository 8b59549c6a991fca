//! A judge of messages: nothing that a revision lacks is ever sent in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Once;

use hermes_types::{Message, Method, RequestId, Revision, split_batch};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::closed::close;

/// Holds every message of a server against the official JSON Schema of the revision it is sent in, and takes the
/// schema at its word: a member that it does not list is an error, although it would allow unknown ones.
///
/// The schemas are not part of this library. They are read from the folder that the environment variable
/// `MCP_SCHEMA_DIR` names, as `schema/<revision>.json`.
#[derive(Debug, Default)]
pub struct Recorder {
    schemas: BTreeMap<Revision, Value>,
    /// What the legacy session has agreed on.
    session: Option<Revision>,
    /// The requests that were sent and have no answer yet, oldest first.
    asked: Vec<(RequestId, Asked)>,
    /// The beginning of a line whose end was not sent yet.
    unsent: Vec<u8>,
    judged: usize,
}

#[derive(Debug)]
struct Asked {
    method: String,
    /// The revision that the request named, if it did.
    modern: Option<Revision>,
}

/// That nothing is judged is said once per process, however many recorders there are.
static SAID: Once = Once::new();

/// How much was judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How many messages were held against a schema.
    pub judged: usize,
}

impl Recorder {
    /// A recorder with the schemas of the folder that `MCP_SCHEMA_DIR` names. Without one it judges no more than
    /// the envelope, and says so on standard error, once.
    ///
    /// # Panics
    /// The folder has no such schemas, or `CI` is `true` and there is no folder: there a test must not pass
    /// because nobody looked.
    #[must_use]
    pub fn from_env() -> Self {
        match std::env::var_os("MCP_SCHEMA_DIR") {
            Some(folder) => Self::new(&PathBuf::from(folder)),
            None => {
                assert_ne!(std::env::var_os("CI"), Some("true".into()), "MCP_SCHEMA_DIR is not set");
                SAID.call_once(|| {
                    // Not by a macro: the harness would swallow it. A standard error that is gone hears nothing.
                    let _ = writeln!(
                        std::io::stderr(),
                        "\n*** NOT JUDGED: set MCP_SCHEMA_DIR to hold messages against the official schemas ***\n"
                    );
                });
                Self::silent()
            }
        }
    }

    /// A recorder with the schemas of a folder.
    ///
    /// # Panics
    /// The folder lacks the schema of a revision.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        let read = |revision: Revision| {
            let path = folder.join("schema").join(format!("{revision}.json"));
            let text = std::fs::read_to_string(&path);
            let schema = text
                .map_err(|error| error.to_string())
                .and_then(|text| serde_json::from_str::<Value>(&text).map_err(|error| error.to_string()));
            match schema {
                Ok(mut schema) => {
                    let container = container(&schema);
                    schema[container].as_object_mut().map(close);
                    (revision, schema)
                }
                Err(error) => panic!("{}: {error}", path.display()),
            }
        };
        Self { schemas: Revision::ALL.into_iter().map(read).collect(), ..Self::default() }
    }

    /// A recorder that knows no schemas and judges the envelope only.
    #[must_use]
    pub fn silent() -> Self {
        Self::default()
    }

    /// How much was judged so far.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        Verdict { judged: self.judged }
    }

    /// Takes note of what the test sends, to know what the answers answer. It may be anything, cut anywhere.
    pub fn sent(&mut self, bytes: &[u8]) {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.unsent.extend_from_slice(part);
            if part.ends_with(b"\n") {
                let line = String::from_utf8_lossy(&std::mem::take(&mut self.unsent)).into_owned();
                match split_batch(&line) {
                    Ok(members) => members.iter().for_each(|member| self.sent_one(member.get())),
                    Err(_) => self.sent_one(line.trim_start_matches('\u{FEFF}')),
                }
            }
        }
    }

    fn sent_one(&mut self, text: &str) {
        let Ok(Message::Request(request)) = Message::decode(text) else { return };
        let modern = request.params.and_then(named_revision);
        self.asked.push((request.id, Asked { method: request.method.into_owned(), modern }));
    }

    /// The request that a message answers. Of two with one id, the second is the one that was refused.
    fn answered(&mut self, message: &Value) -> Option<Asked> {
        let id: RequestId = serde_json::from_value(message.get("id")?.clone()).ok()?;
        let same = |(asked, _): &(RequestId, Asked)| *asked == id;
        let at = match message.get("error") {
            Some(_) => self.asked.iter().rposition(same),
            None => self.asked.iter().position(same),
        };
        at.map(|at| self.asked.remove(at).1)
    }

    /// Judges a message of the server.
    ///
    /// # Errors
    /// The message is not what the schema of its revision allows; says where.
    pub fn heard(&mut self, line: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(line);
        let message: Value =
            serde_json::from_slice(line).map_err(|error| format!("no JSON: {error}: {text}"))?;
        let members = match &message {
            Value::Array(members) => members.as_slice(),
            single => std::slice::from_ref(single),
        };
        for member in members {
            self.judge(member).map_err(|problem| format!("{problem}\nin {text}"))?;
        }
        Ok(())
    }

    fn judge(&mut self, message: &Value) -> Result<(), String> {
        let of = |names: &[&str]| names.iter().filter(|name| message.get(**name).is_some()).count();
        if message["jsonrpc"] != "2.0" || of(&["method", "result", "error"]) != 1 {
            return Err("no request, notification or response of JSON-RPC 2.0".to_owned());
        }
        if message.get("method").is_some() {
            let tagged = &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
            let revision = match self.session {
                Some(session) if tagged.is_null() => session,
                _ => Revision::LATEST,
            };
            let kind = if message.get("id").is_some() { "ServerRequest" } else { "ServerNotification" };
            return self.check(revision, kind, message);
        }
        let asked = self.answered(message);
        if let Some(error) = message.get("error") {
            let revision = asked.and_then(|asked| asked.modern).or(self.session);
            let revision = revision.unwrap_or(Revision::LATEST_LEGACY);
            // Up to 2025-06-18 the schemas demand an id where the pages allow that there is none.
            if message.get("id").is_none() && revision < Revision::V2025_11_25 {
                return error["code"].as_i64().map(drop).ok_or_else(|| "an error without a code".to_owned());
            }
            let newer = revision >= Revision::V2025_11_25;
            return self.check(
                revision,
                if newer { "JSONRPCErrorResponse" } else { "JSONRPCError" },
                message,
            );
        }
        let asked = asked.ok_or("an answer to nothing that was asked, or a second one")?;
        let result = &message["result"];
        if asked.method == Method::Initialize.as_str() && asked.modern.is_none() {
            self.session = result["protocolVersion"].as_str().and_then(|date| date.parse().ok());
        }
        let revision = asked.modern.or(self.session).unwrap_or(Revision::LATEST_LEGACY);
        let kind = match result["resultType"].as_str() {
            Some("input_required") => "InputRequiredResult",
            _ => result_of(&asked.method),
        };
        self.check(revision, kind, result)
    }

    fn check(&mut self, revision: Revision, kind: &str, value: &Value) -> Result<(), String> {
        let Some(schema) = self.schemas.get(&revision) else { return Ok(()) };
        let container = container(schema);
        if schema[container].get(kind).is_none() {
            return Err(format!("{revision} has no {kind}"));
        }
        let mut root = json!({ "$ref": format!("#/{container}/{kind}") });
        root[container] = schema[container].clone();
        root["$schema"] = schema["$schema"].clone();
        let validator = jsonschema::validator_for(&root).map_err(|error| error.to_string())?;
        self.judged += 1;
        validator
            .validate(value)
            .map_err(|error| format!("no {kind} of {revision}: {}: {error}", error.instance_path()))
    }
}

/// Where a schema keeps its definitions.
fn container(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() { "$defs" } else { "definitions" }
}

/// The revision that a modern request names.
fn named_revision(params: &RawValue) -> Option<Revision> {
    // Through raw text: other members may hold numbers that no machine type holds.
    let params: BTreeMap<String, &RawValue> = serde_json::from_str(params.get()).ok()?;
    let meta: BTreeMap<String, &RawValue> = serde_json::from_str(params.get("_meta")?.get()).ok()?;
    let named = meta.get("io.modelcontextprotocol/protocolVersion")?;
    let date: String = serde_json::from_str(named.get()).ok()?;
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
        _ => "Result",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn official() -> Option<Recorder> {
        std::env::var_os("MCP_SCHEMA_DIR").map(|folder| Recorder::new(&PathBuf::from(folder)))
    }

    #[test]
    fn an_answer_to_nothing_is_refused_even_without_schemas() {
        let mut recorder = Recorder::silent();
        recorder.sent(b"{\"jsonrpc\":\"2.0\",\"id\":1,");
        recorder.sent(b"\"method\":\"ping\"}\n");
        let answer = br#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        assert_eq!(recorder.heard(answer), Ok(()));
        let problem = recorder.heard(answer).expect_err("a second answer");
        assert!(problem.starts_with("an answer to nothing"), "{problem}");
        let both = br#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#;
        for broken in [&both[..], b"{\"id\":1,\"result\":{}}", b"{\"jsonrpc\":\"2.0\",\"id\":1}"] {
            let problem = recorder.heard(broken).expect_err("no envelope");
            assert!(problem.starts_with("no request, notification or response"), "{problem}");
        }
    }

    #[test]
    fn what_a_revision_lacks_is_refused() {
        // Without the schemas there is nothing to hold against; `from_env` says so in the tests that need them.
        let Some(mut recorder) = official() else {
            return assert_eq!(Recorder::silent().verdict().judged, 0);
        };
        let request = br#"{"jsonrpc":"2.0","id":"s1","method":"ping"}"#;
        let problem = recorder.heard(request).expect_err("no requests of the server in the modern era");
        assert!(problem.starts_with("2026-07-28 has no ServerRequest"), "{problem}");
        recorder.sent(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}\n");
        let problem = recorder
            .heard(br#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{}}}"#)
            .expect_err("no serverInfo");
        assert!(problem.starts_with("no InitializeResult of 2025-06-18"), "{problem}");
        recorder.sent(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"initialize\",\"params\":{}}\n");
        recorder
            .heard(br#"{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-03-26","capabilities":{},"serverInfo":{"name":"x","version":"0"}}}"#)
            .expect("a session");
        recorder.sent(b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{}}\n");
        let problem = recorder
            .heard(br#"{"jsonrpc":"2.0","id":3,"result":{"content":[],"structuredContent":{}}}"#)
            .expect_err("structured results came later");
        assert!(problem.contains("structuredContent"), "{problem}");
        recorder
            .heard(br#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#)
            .expect("a notification has an envelope");
    }
}
