//! Handlers that ask, driven without a connection: the end of a round in hand, the next one started by the
//! test. What a whole server says on the wire is in the integration tests.

mod driving;
mod effects;
mod forms;
mod rounds;
mod sealing;

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_proto::opening::{ModernMeta, Opening};
use hermes_types::{Fault, Implementation, InputRequest, InputRequiredResult, Message, RawJson, Revision};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Asked, Origin, Outcome, Seal, drive};
use crate::Context;
use crate::context::CallState;
use crate::link::StreamLink;
use crate::session::States;
use crate::settings::Settings;

/// A form with one field.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub(super) struct Name {
    /// Your name
    pub(super) name: String,
}

/// The server's side of one conversation in the modern era.
pub(super) struct Desk {
    pub(super) seal: Seal,
    pub(super) now: SystemTime,
    pub(super) method: &'static str,
    pub(super) params: String,
    pub(super) principal: Option<&'static str>,
    pub(super) capabilities: &'static str,
}

/// How one entry of a handler ended.
#[derive(Debug)]
pub(super) enum Ended<T> {
    Finished(T),
    Asks(Box<InputRequiredResult>),
}

impl<T> Ended<T> {
    pub(super) fn asks(self) -> InputRequiredResult {
        match self {
            Self::Asks(result) => *result,
            Self::Finished(_) => panic!("the handler ended instead of asking"),
        }
    }

    pub(super) fn finished(self) -> T {
        match self {
            Self::Finished(output) => output,
            Self::Asks(result) => panic!("the handler asks: {result:?}"),
        }
    }
}

impl Default for Desk {
    fn default() -> Self {
        Self {
            seal: Seal::new([7; 32]),
            now: UNIX_EPOCH + Duration::from_secs(1_800_000_000),
            method: "tools/call",
            params: r#"{"name":"t","arguments":{"n":1}}"#.to_owned(),
            principal: None,
            capabilities: r#"{"elicitation":{"form":{},"url":{}},"sampling":{},"roots":{}}"#,
        }
    }
}

impl Desk {
    /// The parameters of a retry: the same, with answers and state.
    pub(super) fn retry(&self, answers: &[(&str, &str)], state: Option<&str>) -> String {
        let mut params: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(&self.params).expect("an object");
        let answers: BTreeMap<&str, RawJson> =
            answers.iter().map(|(key, text)| (*key, RawJson::parse(*text).expect(text))).collect();
        params.insert("inputResponses".to_owned(), serde_json::to_value(answers).expect("JSON"));
        if let Some(state) = state {
            params.insert("requestState".to_owned(), state.into());
        }
        serde_json::to_string(&params).expect("JSON")
    }

    pub(super) fn book(&self, params: &str) -> Result<Asked, Fault> {
        let params = RawJson::parse(params).expect("JSON");
        let line =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}}"#, self.method, params.get());
        let Ok(Message::Request(request)) = Message::decode(&line) else { panic!("no request: {line}") };
        let Ok(Opening::Serve { meta, .. }) = Opening::classify(&request, Some(Revision::V2025_11_25)) else {
            panic!("not served: {line}")
        };
        Asked::enter(Revision::LATEST, &self.origin(&params), &meta.beside, &self.seal, || self.now)
    }

    fn origin<'a>(&'a self, params: &'a RawJson) -> Origin<'a> {
        Origin { method: self.method, params: Some(params.get()), principal: self.principal }
    }

    pub(super) fn context(&self, asked: Asked) -> Context {
        let link = StreamLink::new(
            Arc::new(Settings::new(Implementation::new("desk", "1"))),
            crate::facts::Facts::new(),
        );
        Context::new(CallState {
            call: call(&link),
            request_id: 1.into(),
            revision: Revision::LATEST,
            meta: None,
            progress_token: None,
            progress: Mutex::default(),
            modern: Some(Box::new(ModernMeta {
                client_capabilities: serde_json::from_str(self.capabilities).expect("capabilities"),
                client_info: None,
                log_level: None,
            })),
            states: States::default(),
            asked,
            stop: Arc::default(),
            link: Arc::new(link),
            hub: Arc::default(),
            head: None,
        })
    }

    /// Enters the handler with these parameters.
    pub(super) async fn enter<F, Fut>(&self, params: &str, handler: F) -> Result<Ended<Fut::Output>, Fault>
    where
        F: FnOnce(Context) -> Fut,
        Fut: Future,
    {
        let context = self.context(self.book(params)?);
        match drive(handler(context.clone()), context.asked()).await {
            Outcome::Finished(output) => Ok(Ended::Finished(output)),
            Outcome::InputRequired(round) => {
                let params = RawJson::parse(params).expect("JSON");
                let result = round.into_result(&self.seal, &self.origin(&params), self.now);
                result.map(Box::new).map(Ended::Asks)
            }
            Outcome::Refused(fault) => Err(fault),
        }
    }

    /// Enters the handler for the first time.
    pub(super) async fn first<F, Fut>(&self, handler: F) -> Ended<Fut::Output>
    where
        F: FnOnce(Context) -> Fut,
        Fut: Future,
    {
        self.enter(&self.params, handler).await.expect("no fault")
    }

    /// Plays a client that answers everything, until the handler ends. Gives the output and the number of
    /// entries.
    pub(super) async fn converse<F, Fut>(
        &self,
        handler: F,
        answer: impl Fn(&str, &InputRequest) -> String,
    ) -> (Fut::Output, usize)
    where
        F: Fn(Context) -> Fut,
        Fut: Future,
    {
        let mut ended = self.first(&handler).await;
        for entries in 1..=25 {
            let asks = match ended {
                Ended::Finished(output) => return (output, entries),
                Ended::Asks(asks) => asks,
            };
            let answers: Vec<(String, String)> =
                questions(&asks).iter().map(|(key, request)| (key.clone(), answer(key, request))).collect();
            let answers: Vec<_> = answers.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
            let params = self.retry(&answers, asks.request_state.as_deref());
            ended = self.enter(&params, &handler).await.expect("no fault");
        }
        panic!("too many rounds")
    }
}

pub(super) fn questions(asks: &InputRequiredResult) -> &BTreeMap<String, InputRequest> {
    asks.input_requests.as_ref().expect("questions")
}

/// The only question.
pub(super) fn only(asks: &InputRequiredResult) -> (&str, &InputRequest) {
    let mut all = questions(asks).iter();
    let (key, request) = all.next().expect("a question");
    assert!(all.next().is_none(), "one question: {asks:?}");
    (key, request)
}

/// An answer that fills in the name.
pub(super) fn named(name: &str) -> String {
    format!(r#"{{"action":"accept","content":{{"name":"{name}"}}}}"#)
}

/// What a question says to the user.
pub(super) fn message(request: &InputRequest) -> String {
    let params: serde_json::Value =
        request.params.as_ref().expect("parameters").decode().expect("parameters");
    params["message"].as_str().expect("a message").to_owned()
}

/// Some call of this connection.
fn call(link: &StreamLink) -> hermes_proto::channel::CallId {
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
    let line = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"_meta":{{{meta}}}}}}}"#);
    let call =
        link.handle(hermes_proto::framing::Line::Text(&line)).into_iter().find_map(|verdict| match verdict {
            hermes_proto::channel::Verdict::Run(call) => Some(call.call),
            _ => None,
        });
    call.expect("a call")
}
