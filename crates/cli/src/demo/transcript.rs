//! Messages in short, one line each, for people who want to see what is said.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::render::{Screen, style};
use hermes::types::{ErrorObject, Message, Method, RequestId};

/// Turns the messages of one connection into lines. It remembers the methods of requests, so that a response
/// can be read.
#[derive(Debug)]
pub(crate) struct Transcript {
    screen: Screen,
    asked: BTreeMap<(Speaker, RequestId), String>,
}

/// Who sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Speaker {
    Client,
    Server,
}

impl Transcript {
    pub(crate) const fn new(screen: Screen) -> Self {
        Self { screen, asked: BTreeMap::new() }
    }

    /// One message as one line, no wider than the screen.
    pub(crate) fn line(&mut self, speaker: Speaker, text: &str) -> String {
        let (label, arrow) = match speaker {
            Speaker::Client => ("client", "-->"),
            Speaker::Server => ("server", "<--"),
        };
        let (what, detail, look) = match Message::decode(text) {
            Ok(Message::Request(request)) => {
                let method = request.method.into_owned();
                let detail = params(&method, &value(request.params.map(|raw| raw.get())));
                self.asked.insert((speaker, request.id), method.clone());
                (method, detail, style::NAME)
            }
            Ok(Message::Notification(note)) => {
                let detail = params(&note.method, &value(note.params.map(|raw| raw.get())));
                (note.method.into_owned(), detail, style::FAINT)
            }
            Ok(Message::Response(response)) => {
                let asker = if speaker == Speaker::Client { Speaker::Server } else { Speaker::Client };
                let method = response.id.and_then(|id| self.asked.remove(&(asker, id))).unwrap_or_default();
                match response.outcome {
                    Ok(result) => outcome(&method, &value(Some(result.get()))),
                    Err(error) => ("error".to_owned(), error_text(&error), style::BAD),
                }
            }
            Err(_) => ("?".to_owned(), text.to_owned(), style::WARNING),
        };
        let room = self.screen.width().saturating_sub(label.len() + arrow.len() + what.width() + 5);
        let detail = shortened(&self.screen.clean(&detail).replace('\n', " "), room.max(20));
        let line = format!("  {label} {arrow} {} {detail}", self.screen.paint(look, &what));
        line.trim_end().to_owned()
    }
}

fn value(text: Option<&str>) -> Map<String, Value> {
    text.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

/// What matters in the parameters of a request or notification.
fn params(method: &str, params: &Map<String, Value>) -> String {
    match Method::parse(method) {
        Some(Method::Initialize) => format!("I speak {}", text(params.get("protocolVersion"))),
        Some(Method::ToolsCall) => {
            let retry =
                params.get("inputResponses").map(|answers| format!(" with the answer {}", answer(answers)));
            let arguments = params.get("arguments").map(Value::to_string).unwrap_or_default();
            format!("{} {arguments}{}", text(params.get("name")), retry.unwrap_or_default())
        }
        Some(Method::ElicitationCreate) => format!("\"{}\"", text(params.get("message"))),
        Some(Method::Progress) => {
            let total = params.get("total").map(|total| format!(" of {total}")).unwrap_or_default();
            format!("{}{total}", params.get("progress").unwrap_or(&Value::Null))
        }
        _ => rest(params),
    }
}

/// What matters in a result: a word for its kind, the detail, and its look.
fn outcome(method: &str, result: &Map<String, Value>) -> (String, String, anstyle::Style) {
    if result.get("resultType").and_then(Value::as_str) == Some("input_required") {
        let questions = result.get("inputRequests").and_then(Value::as_object).into_iter().flatten();
        let questions: Vec<String> = questions
            .map(|(_, question)| {
                let empty = Map::new();
                let method = text(question.get("method"));
                let detail =
                    params(&method, question.get("params").and_then(Value::as_object).unwrap_or(&empty));
                format!("{method} {detail}")
            })
            .collect();
        return ("input required".to_owned(), questions.join(", "), style::WARNING);
    }
    let detail = match Method::parse(method) {
        Some(Method::Initialize) => {
            format!(
                "we speak {}; I am {}",
                text(result.get("protocolVersion")),
                server(result.get("serverInfo"))
            )
        }
        Some(Method::ServerDiscover) => {
            let versions: Vec<String> =
                list(result.get("supportedVersions")).map(|it| text(Some(it))).collect();
            let name = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
            format!("I speak {}; I am {}", versions.join(", "), server(name))
        }
        Some(Method::ToolsList) => {
            let names: Vec<String> = list(result.get("tools")).map(|tool| text(tool.get("name"))).collect();
            format!("{} tools: {}", names.len(), names.join(", "))
        }
        Some(Method::ToolsCall) => {
            let texts: Vec<String> =
                list(result.get("content")).map(|block| text(block.get("text"))).collect();
            let structured = result.get("structuredContent").map(|it| format!("  {it}")).unwrap_or_default();
            let detail = format!("\"{}\"{structured}", texts.join(" "));
            if result.get("isError") == Some(&Value::Bool(true)) {
                return ("tool error".to_owned(), detail, style::BAD);
            }
            detail
        }
        Some(Method::ElicitationCreate) => answer(&Value::Object(result.clone())),
        _ => rest(result),
    };
    ("result".to_owned(), detail, style::GOOD)
}

/// An answer to a question, without its key.
fn answer(answers: &Value) -> String {
    match answers.as_object() {
        Some(one) if one.contains_key("action") => {
            let content = one.get("content").map(|content| format!(" {content}")).unwrap_or_default();
            format!("{}{content}", text(one.get("action")))
        }
        Some(several) => several.values().map(answer).collect::<Vec<_>>().join(", "),
        None => answers.to_string(),
    }
}

fn error_text(error: &ErrorObject) -> String {
    format!("{}: {}", error.code, error.message)
}

fn server(implementation: Option<&Value>) -> String {
    let member = |name| text(implementation.and_then(|it| it.get(name)));
    format!("{} {}", member("name"), member("version"))
}

/// Everything but the metadata, as JSON; nothing if that is all.
fn rest(object: &Map<String, Value>) -> String {
    let plumbing = ["_meta", "resultType", "ttlMs", "cacheScope"];
    let rest: Map<String, Value> = object
        .iter()
        .filter(|(name, _)| !plumbing.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if rest.is_empty() { String::new() } else { Value::Object(rest).to_string() }
}

fn list(value: Option<&Value>) -> impl Iterator<Item = &Value> {
    value.and_then(Value::as_array).into_iter().flatten()
}

fn text(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    }
}

fn shortened(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut width = 0;
    let fitting = text.chars().take_while(|c| {
        width += c.width().unwrap_or(0);
        width < room
    });
    fitting.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use Speaker::{Client, Server};

    fn lines(messages: &[(Speaker, &str)]) -> Vec<String> {
        let mut transcript = Transcript::new(Screen::file(78));
        messages.iter().map(|(speaker, text)| transcript.line(*speaker, text)).collect()
    }

    #[test]
    fn a_legacy_conversation_reads_as_one() {
        let seen = lines(&[
            (
                Client,
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}"#,
            ),
            (
                Server,
                r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","serverInfo":{"name":"demo","version":"1"}}}"#,
            ),
            (Client, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            (
                Client,
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"},"_meta":{"progressToken":2}}}"#,
            ),
            (
                Server,
                r#"{"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":{}}}"#,
            ),
            (Client, r#"{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"name":"Ada"}}}"#),
            (
                Server,
                r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":2,"progress":1,"total":3}}"#,
            ),
            (
                Server,
                r#"{"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"Hello, Ada"}]}}"#,
            ),
            (Client, r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#),
            (Server, r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"no ping"}}"#),
        ]);
        assert_eq!(
            seen,
            [
                "  client --> initialize I speak 2025-11-25",
                "  server <-- result we speak 2025-11-25; I am demo 1",
                "  client --> notifications/initialized",
                "  client --> tools/call ask {\"message\":\"Who?\"}",
                "  server <-- elicitation/create \"Who?\"",
                "  client --> result accept {\"name\":\"Ada\"}",
                "  server <-- notifications/progress 1 of 3",
                "  server <-- result \"Hello, Ada\"",
                "  client --> ping",
                "  server <-- error -32601: no ping",
            ]
        );
    }

    #[test]
    fn a_modern_question_is_a_result_and_its_answer_comes_with_the_next_call() {
        let seen = lines(&[
            (
                Client,
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":{}}}"#,
            ),
            (
                Server,
                r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","inputRequests":{"q":{"method":"elicitation/create","params":{"message":"Who?"}}},"requestState":"x"}}"#,
            ),
            (
                Client,
                r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"ask","arguments":{},"inputResponses":{"q":{"action":"decline"}},"requestState":"x"}}"#,
            ),
            (
                Server,
                r#"{"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","isError":true,"content":[{"type":"text","text":"no"}]}}"#,
            ),
        ]);
        assert_eq!(
            seen,
            [
                "  client --> tools/call ask {}",
                "  server <-- input required elicitation/create \"Who?\"",
                "  client --> tools/call ask {} with the answer decline",
                "  server <-- tool error \"no\"",
            ]
        );
    }

    #[test]
    fn a_line_is_never_wider_than_the_screen() {
        let long =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"x","params":{{"text":"{}"}}}}"#, "天".repeat(100));
        let line = lines(&[(Client, &long)]).concat();
        assert!(line.width() <= 78 && line.ends_with('…'), "{line}");
        assert_eq!(lines(&[(Server, "noise")]), ["  server <-- ? noise"]);
    }
}
