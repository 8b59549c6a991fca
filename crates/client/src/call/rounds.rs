//! One request in as many rounds of questions as it takes.
//!
//! ```text
//!   request ------> complete ---------------------------------------------------> the result
//!      ^       |
//!      |       +--> input_required, modern era
//!      |              |
//!      |              v
//!      +-- new id --- the host's handlers answer, in the server's order
//!          the same parameters, the answers, the state unchanged
//! ```
//!
//! Source: `basic/patterns/mrtr`, 2026-07-28.

use std::time::Duration;

use hermes_telemetry::client;
use hermes_telemetry::export::carried_now;
use hermes_types::{
    InputRequest, JsonObject, Meta, Method, Ordered, RawJson, ResultType, Revision, Walk, Wire, code,
};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use tokio::time::{Instant, sleep};

use super::operation::Operation;
use crate::connection::OnProgress;
use crate::error::{ClientError, Violation};
use crate::line::Line;
use crate::notice::Progress;
use crate::retry::Loss;

/// How often a request is repeated with answers before it is given up.
const ROUNDS: u32 = 25;

/// A server may ask for a retry without any question, when it is busy: the pause before the first such retry.
const PAUSE: Duration = Duration::from_millis(100);

impl<O> Operation<'_, O> {
    /// Repeats the request until its result is complete.
    pub(super) async fn rounds(
        &mut self,
        line: &Line,
        params: &Ordered<RawJson>,
    ) -> Result<RawJson, ClientError> {
        let mut replies = Replies::default();
        // Since when the server has only asked for patience.
        let mut polled = None;
        for round in 1.. {
            let result = match self.exchange(line, params, &replies).await {
                Err(error) if round == 1 && self.is_stale(line, &error) => {
                    self.inner.learn_tools().await?;
                    self.exchange(line, params, &replies).await?
                }
                result => result?,
            };
            match self.input_required(line, &result)? {
                None => return Ok(result),
                Some(_) if round > ROUNDS => break,
                Some(input) => {
                    self.course.asked_back = true;
                    let (is_busy, began) = (input.requests.is_none(), polled.unwrap_or_else(Instant::now));
                    replies = reply(line, &self.method, input, round).await?;
                    // A server that only puts it off is waited for no longer than one that says nothing.
                    polled = is_busy.then_some(began);
                    if is_busy && began.elapsed() >= self.budget.patience.timeout {
                        let after = self.budget.patience.timeout;
                        return Err(ClientError::Timeout { method: self.method(), after });
                    }
                }
            }
        }
        Err(ClientError::TooManyRounds { method: self.method(), rounds: ROUNDS })
    }

    /// Sends the request once, and waits for its answer.
    async fn exchange(
        &mut self,
        line: &Line,
        params: &Ordered<RawJson>,
        replies: &Replies,
    ) -> Result<RawJson, ClientError> {
        let default = line.config.on_progress.as_deref();
        let mut show_default = |progress: &Progress| {
            if let Some(show) = default {
                show(progress);
            }
        };
        let mut on_progress: OnProgress<'_> = match &mut self.on_progress {
            Some(show) => Some(show.as_mut()),
            None => default.is_some().then_some(&mut show_default),
        };
        let wants_progress = on_progress.is_some() || self.budget.patience.extended.is_some();
        let meta = traced(&self.meta);
        let sent =
            line.shared().send_with(&self.method, self.headers.clone().unwrap_or_default(), None, |id| {
                Round {
                    params,
                    replies,
                    meta: line.meta(&meta, wants_progress.then_some(id)),
                    revision: line.peer.revision,
                }
                .unless_empty()
            });
        self.course.unsent = sent.is_err();
        let mut in_flight = sent.map_err(ClientError::Closed)?;
        client::request(&self.method, in_flight.id());
        let (began, left) = (Instant::now(), self.budget.left());
        let mut has_spoken = false;
        let mut note = |progress: &Progress| {
            has_spoken = true;
            if let Some(show) = &mut on_progress {
                show(progress);
            }
        };
        let answer = in_flight.answer(left, &mut Some(&mut note)).await;
        self.course.heard |= has_spoken;
        self.budget.asked += began.elapsed();
        let answer = answer.map(|answer| answer.into_result(&self.method));
        match &answer {
            Ok(Ok(_)) => client::response(&self.method, in_flight.id(), began.elapsed()),
            Ok(Err(error)) => {
                client::error(&self.method, in_flight.id(), began.elapsed(), error.failure());
            }
            Err(_) => {
                let failure = client::Failure { word: "timeout", code: None };
                client::error(&self.method, in_flight.id(), began.elapsed(), failure);
            }
        }
        match answer {
            Ok(Err(error)) if Loss::of(&error).is_some() => {
                self.budget.waited += began.elapsed();
                Err(error)
            }
            Ok(result) => {
                self.course.heard = true;
                self.budget.waited = Duration::ZERO;
                result
            }
            Err(after) => Err(self.budget.exceeded(self.method(), left, after)),
        }
    }

    /// Whether the server wants headers that follow from a newer list of tools than the one that is known. Nothing was
    /// run then.
    ///
    /// Source: `basic/transports/streamable-http#client-behavior`, 2026-07-28.
    fn is_stale(&self, line: &Line, error: &ClientError) -> bool {
        line.shared().carrier().is_exchanges()
            && Method::parse(&self.method) == Some(Method::ToolsCall)
            && error.rpc().is_some_and(|error| error.code == code::HEADER_MISMATCH)
    }

    /// What the server wants to know before it goes on; `None` when the result is complete.
    fn input_required(&self, line: &Line, result: &RawJson) -> Result<Option<Input>, ClientError> {
        if !line.peer.revision.is_modern() {
            return Ok(None);
        }
        let broken = |violation| ClientError::Protocol { method: self.method(), violation };
        match result_type(result).map_err(broken)? {
            ResultType::Complete => Ok(None),
            ResultType::InputRequired if !may_require_input(&self.method) => {
                Err(broken(Violation::StrayInputRequired))
            }
            ResultType::InputRequired => {
                let input = result.decode::<Input>().map_err(|source| ClientError::Decode {
                    method: self.method(),
                    path: "inputRequests".to_owned(),
                    source,
                })?;
                if input.requests.is_none() && input.state.is_none() {
                    return Err(broken(Violation::EmptyInputRequired));
                }
                Ok(Some(input))
            }
            other => Err(broken(Violation::UnknownResultType(other.as_str().to_owned()))),
        }
    }
}

/// What goes into the `_meta`, with where the request stands in a trace, unless the host has said that itself.
pub(crate) fn traced(meta: &JsonObject) -> JsonObject {
    let mut meta = meta.clone();
    if let Some(carried) = carried_now().filter(|_| !meta.contains_key("traceparent")) {
        for (key, text) in carried.entries() {
            // A text can always be written.
            meta.extend(RawJson::encode(text).ok().map(|text| (key.to_owned(), text)));
        }
    }
    meta
}

/// An `input_required` result. The state is opaque, and the order of the questions is the server's.
#[derive(Deserialize)]
struct Input {
    #[serde(rename = "inputRequests")]
    requests: Option<Ordered<InputRequest>>,
    #[serde(rename = "requestState")]
    state: Option<String>,
}

/// Answers all questions, one after the other in the server's order, so that a person is never asked two things at
/// once.
async fn reply(line: &Line, method: &str, input: Input, round: u32) -> Result<Replies, ClientError> {
    let mut answers = JsonObject::new();
    match input.requests {
        Some(requests) => {
            for (key, request) in requests.iter() {
                let answer = line.answer(&request.method, request.params.clone()).await;
                let answer = answer.map_err(|reason| ClientError::Input {
                    key: key.to_owned(),
                    method: request.method.clone(),
                    reason,
                })?;
                answers.insert(key.to_owned(), answer);
            }
        }
        None => {
            tracing::debug!(method, round, "the server is busy");
            sleep(PAUSE * round).await;
        }
    }
    Ok(Replies { answers: Some(answers).filter(|answers| !answers.is_empty()), state: input.state })
}

/// What a repeated request carries beyond the first one.
#[derive(Default)]
struct Replies {
    answers: Option<JsonObject>,
    state: Option<String>,
}

/// The kind of a result; a missing word stands for a complete one.
///
/// Source: `basic/index#resulttype`, 2026-07-28.
fn result_type(result: &RawJson) -> Result<ResultType, Violation> {
    #[derive(Deserialize)]
    struct Kind {
        #[serde(rename = "resultType")]
        kind: Option<RawJson>,
    }
    let (mut kind, mut walk) = (None, Walk::new(result.get(), usize::MAX));
    let walked = walk.object(|walk, name| {
        let value = walk.value()?;
        (name != "resultType" || kind.replace(value).is_none()).then_some(())
    });
    let kind = match walked {
        Some(_) => kind.map(RawJson::from).filter(|kind| !kind.is_null()),
        // Whatever is not plain is for the parser. A result that is no object fails when it is decoded.
        None => result.decode::<Kind>().ok().and_then(|kind| kind.kind),
    };
    match kind {
        None => Ok(ResultType::Complete),
        Some(kind) => kind.decode().map_err(|_| Violation::UnknownResultType(kind.get().to_owned())),
    }
}

fn may_require_input(method: &str) -> bool {
    matches!(Method::parse(method), Some(Method::ToolsCall | Method::PromptsGet | Method::ResourcesRead))
}

/// The parameters of one round, written straight from where they are.
struct Round<'a> {
    params: &'a Ordered<RawJson>,
    replies: &'a Replies,
    meta: Meta,
    revision: Revision,
}

impl Round<'_> {
    fn unless_empty(self) -> Option<Self> {
        let is_empty = self.params.is_empty() && self.meta == Meta::default();
        (!is_empty).then_some(self)
    }
}

impl Serialize for Round<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in self.params.iter() {
            map.serialize_entry(name, value)?;
        }
        if let Some(answers) = &self.replies.answers {
            map.serialize_entry("inputResponses", answers)?;
        }
        if let Some(state) = &self.replies.state {
            map.serialize_entry("requestState", state)?;
        }
        if self.meta != Meta::default() {
            map.serialize_entry("_meta", &Wire(&self.meta, self.revision))?;
        }
        map.end()
    }
}
