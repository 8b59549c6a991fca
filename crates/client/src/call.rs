//! One operation, from its parameters to its decoded result, through as many rounds of questions as it takes.
//!
//! ```text
//!   Operation ---- send ----> Answer::Result, complete ------------------------------> decode ---> done
//!       ^                        |
//!       |                        | modern era: input_required
//!       |                        v
//!       +---- a new id ---- the host's handlers answer, in the server's order
//!             the same parameters, the answers, the state unchanged
//! ```
//!
//! Source: `basic/patterns/mrtr`, 2026-07-28.

use std::borrow::Cow;
use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hermes_types::{
    InputRequest, JsonObject, Meta, Method, Ordered, RawJson, ResultType, Revision, Wire, code,
};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Serialize, Serializer};
use tokio::time::{Instant, sleep};

use crate::client::Inner;
use crate::connection::{OnProgress, Patience};
use crate::error::{ClientError, Unsupported, Violation};
use crate::line::Line;
use crate::notice::Progress;

/// How often a request is repeated with answers before it is given up.
const ROUNDS: u32 = 25;

/// A server may ask for a retry without any question, when it is busy: the pause before the first such retry.
const PAUSE: Duration = Duration::from_millis(100);

/// A request that is sent when it is awaited.
///
/// ```
/// # async fn example(client: hermes_client::Client) -> Result<(), hermes_client::ClientError> {
/// use std::time::Duration;
///
/// let result = client
///     .call("crawl", serde_json::json!({ "url": "https://example.org" }))
///     .timeout(Duration::from_secs(5))
///     .extend_on_progress(Duration::from_secs(60))
///     .on_progress(|progress| println!("{} of {:?}", progress.progress, progress.total))
///     .await?;
/// println!("{}", result.raw.get());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Any [`ClientError`]; the operation that made this says which are special to it.
///
/// # Cancel safety
/// Dropping the future takes the request back: the server is told with `notifications/cancelled`, naming the
/// request that is in flight at that moment, and a late answer is ignored. What the server did until then is done.
#[must_use = "an operation is sent only when it is awaited"]
pub struct Operation<'c, O> {
    inner: &'c Arc<Inner>,
    method: Cow<'static, str>,
    params: Result<Ordered<RawJson>, ClientError>,
    patience: Patience,
    on_progress: Option<ShowProgress<'c>>,
    meta: JsonObject,
    check_output: bool,
    decode: Decode<O>,
}

type ShowProgress<'c> = Box<dyn FnMut(&Progress) + Send + 'c>;

/// Makes the outcome of a complete result.
type Decode<O> = fn(&Line, &Done<'_>, RawJson) -> Result<O, ClientError>;

/// What a result answers.
pub(crate) struct Done<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a Ordered<RawJson>,
    pub(crate) check_output: bool,
}

impl<'c, O> Operation<'c, O> {
    pub(crate) fn new(
        inner: &'c Arc<Inner>,
        method: impl Into<Cow<'static, str>>,
        params: Result<Ordered<RawJson>, ClientError>,
        decode: Decode<O>,
    ) -> Self {
        Self {
            inner,
            method: method.into(),
            params,
            patience: inner.config.patience,
            on_progress: None,
            meta: JsonObject::new(),
            check_output: true,
            decode,
        }
    }

    /// Refuses the operation before anything is sent, if there is a reason to.
    pub(crate) fn unless(mut self, reason: Option<Unsupported>) -> Self {
        if let (Some(reason), Ok(_)) = (reason, &self.params) {
            self.params = Err(ClientError::Unsupported { method: self.method.clone().into_owned(), reason });
        }
        self
    }

    /// Sets how long to wait for an answer; the client's own limit by default.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.patience.timeout = timeout;
        self
    }

    /// Starts the limit anew with every progress notification, but waits no longer than `maximum` in all.
    pub const fn extend_on_progress(mut self, maximum: Duration) -> Self {
        self.patience.extended = Some(maximum);
        self
    }

    /// Asks for progress, and shows it. The function is called while the operation is awaited, in order, and
    /// never after the result.
    pub fn on_progress(mut self, show: impl FnMut(&Progress) + Send + 'c) -> Self {
        self.on_progress = Some(Box::new(show));
        self
    }

    /// Adds a member to the request's `_meta`. Names that the protocol itself fills in are overwritten.
    pub fn meta(mut self, name: impl Into<String>, value: RawJson) -> Self {
        self.meta.insert(name.into(), value);
        self
    }

    /// Takes a tool's structured result as it comes, whatever its output schema says.
    pub const fn without_output_check(mut self) -> Self {
        self.check_output = false;
        self
    }

    async fn run(mut self) -> Result<O, ClientError> {
        let params = std::mem::replace(&mut self.params, Ok(Ordered::new()))?;
        let mut line = match self.inner.at_once()? {
            Some(line) => line,
            None => {
                let began = Instant::now();
                let line = self.inner.ready(self.patience.timeout).await?;
                // What was waited for the server is not waited for the answer.
                self.patience.timeout = self.patience.timeout.saturating_sub(began.elapsed());
                line
            }
        };
        let raw = match self.rounds(&line, &params).await {
            Err(error) if line.may_be_unfit(&error) => match self.inner.renew(&line).await {
                Some(renewed) => {
                    line = renewed;
                    self.rounds(&line, &params).await?
                }
                None => return Err(error),
            },
            raw => raw?,
        };
        if !line.peer.revision.is_modern() {
            self.inner.lasting.keep(&self.method, &params);
        }
        let done = Done { method: &self.method, params: &params, check_output: self.check_output };
        (self.decode)(&line, &done, raw)
    }

    /// Repeats the request until its result is complete.
    async fn rounds(&mut self, line: &Line, params: &Ordered<RawJson>) -> Result<RawJson, ClientError> {
        let mut replies = Replies::default();
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
                Some(input) => replies = reply(line, &self.method, input, round).await?,
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
        let wants_progress = on_progress.is_some() || self.patience.extended.is_some();
        let meta = &self.meta;
        let mut in_flight = line
            .shared()
            .send(&self.method, None, |id| {
                Round {
                    params,
                    replies,
                    meta: line.meta(meta, wants_progress.then_some(id)),
                    revision: line.peer.revision,
                }
                .unless_empty()
            })
            .map_err(ClientError::Closed)?;
        match in_flight.answer(self.patience, &mut on_progress).await {
            Ok(answer) => answer.into_result(&self.method),
            Err(after) => Err(ClientError::Timeout { method: self.method(), after }),
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

    fn method(&self) -> String {
        self.method.clone().into_owned()
    }
}

impl<'c, O: 'c> IntoFuture for Operation<'c, O> {
    type Output = Result<O, ClientError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'c>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<O> fmt::Debug for Operation<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("method", &self.method)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
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
    // A result that is no object fails when it is decoded.
    let kind = result.decode::<Kind>().ok().and_then(|kind| kind.kind);
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
