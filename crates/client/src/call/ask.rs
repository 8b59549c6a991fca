//! From an operation to a result: kept, waited for, or asked for, and asked for once more if it is lost.

use std::sync::Arc;
use std::time::Duration;

use hermes_telemetry::Instrument as _;
use hermes_telemetry::client::{Subject, Watch};
use hermes_types::{Method, Ordered, RawJson, code};
use tokio::time::{Instant, sleep, timeout};

use super::operation::{Done, Operation};
use crate::cache::{Asker, Change, Key, Turn, Wish};
use crate::connection::Patience;
use crate::error::{ClientError, Unsupported};
use crate::line::Line;
use crate::retry::{Loss, is_harmless};

/// How much of its time an operation has used.
#[derive(Debug)]
pub(super) struct Budget {
    pub(super) patience: Patience,
    /// What has gone by without a word of the server. It begins anew with the first one.
    pub(super) waited: Duration,
    /// What all exchanges took together.
    pub(super) asked: Duration,
}

impl Budget {
    pub(super) fn left(&self) -> Patience {
        Patience {
            timeout: self.patience.timeout.saturating_sub(self.waited),
            extended: self.patience.extended.map(|maximum| maximum.saturating_sub(self.asked)),
        }
    }

    /// What to say when `left` is used up, by its limit `after`.
    pub(super) fn exceeded(&self, method: String, left: Patience, after: Duration) -> ClientError {
        let maximum = self.patience.extended.filter(|_| left.extended == Some(after));
        ClientError::Timeout { method, after: maximum.unwrap_or(self.patience.timeout) }
    }
}

/// What has become of an operation so far.
#[derive(Debug, Default)]
pub(super) struct Course {
    /// The server has said something to it.
    pub(super) heard: bool,
    /// The last attempt was not sent.
    pub(super) unsent: bool,
    /// The server has asked back.
    pub(super) asked_back: bool,
    /// It was sent over another connection, or once more.
    repeated: bool,
}

impl<O> Operation<'_, O> {
    pub(super) async fn run(mut self) -> Result<O, ClientError> {
        let params = std::mem::replace(&mut self.params, Ok(Ordered::new()));
        let watch = Watch::begin(
            &self.method,
            || subject(&self.method, params.as_ref().ok()?),
            || Some(params.as_ref().ok()?.get("arguments")?.get().to_owned()),
        );
        let inner = self.inner;
        let mut shown = None;
        let outcome = self.conclude(params, &mut shown).instrument(watch.span().clone()).await;
        let line = inner.current();
        let failure = outcome.as_ref().err().map(ClientError::failure);
        watch.end(|| line.shared().over(), failure, shown.as_ref().map(RawJson::get));
        outcome
    }

    /// Gives the result, and leaves its text for whoever wants to see it.
    async fn conclude(
        mut self,
        params: Result<Ordered<RawJson>, ClientError>,
        shown: &mut Option<RawJson>,
    ) -> Result<O, ClientError> {
        let params = params?;
        let mut line = self.line().await?;
        if self.headers.is_some() && !line.shared().carrier().is_exchanges() {
            return Err(ClientError::Unsupported { method: self.method(), reason: Unsupported::Headers });
        }
        match self.key(&line, &params) {
            Some(key) => self.through_cache(&mut line, &params, &key).await,
            None => {
                let raw = self.ask(&mut line, &params).await?;
                if hermes_telemetry::contents::are_shown() {
                    *shown = Some(raw.clone());
                }
                self.decoded(&line, &params, raw)
            }
        }
    }

    /// A connection, as soon as there is one.
    async fn line(&mut self) -> Result<Arc<Line>, ClientError> {
        if let Some(line) = self.inner.at_once()? {
            return Ok(line);
        }
        let began = Instant::now();
        let line = self.inner.ready(self.budget.left().timeout).await?;
        // What was waited for the server is not waited for the answer.
        self.budget.waited += began.elapsed();
        Ok(line)
    }

    /// What the result is kept under, if it may be. A request with metadata of its own may have a result of its own.
    fn key(&self, line: &Line, params: &Ordered<RawJson>) -> Option<Key> {
        let may_be_kept =
            line.peer.revision.is_modern() && self.inner.lasting.cache.is_on() && self.meta.is_empty();
        may_be_kept.then(|| Key::of(&self.method, params)).flatten()
    }

    /// Takes a kept result, waits for somebody who asks the same, or asks.
    async fn through_cache(
        &mut self,
        line: &mut Arc<Line>,
        params: &Ordered<RawJson>,
        key: &Key,
    ) -> Result<O, ClientError> {
        let lasting = Arc::clone(&self.inner.lasting);
        let asker = if self.headers.is_some() { Asker::Other } else { Asker::Client };
        let mut wish = match (self.is_fresh, &self.on_progress) {
            (true, _) => Wish::Fresh,
            // Whoever waits for somebody else's result hears nothing of its progress.
            (false, Some(_)) => Wish::Own,
            (false, None) => Wish::Any,
        };
        loop {
            match lasting.cache.ask(key, asker, wish, Instant::now()) {
                Turn::Kept(raw) => return self.decoded(line, params, raw),
                Turn::Wait(waiting) => {
                    let began = Instant::now();
                    let Ok(shared) = timeout(self.budget.left().timeout, waiting.result()).await else {
                        let after = self.budget.patience.timeout;
                        return Err(ClientError::Timeout { method: self.method(), after });
                    };
                    match shared {
                        Ok(raw) => return self.decoded(line, params, raw),
                        Err(next) => wish = next,
                    }
                    self.budget.waited += began.elapsed();
                }
                Turn::Go(trip) => {
                    let asked = self.ask(line, params).await;
                    if let Err(error) = &asked
                        && error.rpc().is_some_and(|error| error.code == code::INVALID_PARAMS)
                        && let Some(pages) = Change::other_pages(key)
                    {
                        lasting.cache.forget(&pages);
                    }
                    let is_keepable = !self.course.asked_back && line.peer.revision.is_modern();
                    // What cannot be used is not kept either.
                    let outcome = asked.and_then(|raw| Ok((self.decoded(line, params, raw.clone())?, raw)));
                    return match outcome {
                        Ok((outcome, raw)) if is_keepable => {
                            trip.bring(&raw, Instant::now());
                            Ok(outcome)
                        }
                        outcome => {
                            trip.bring_nothing();
                            outcome.map(|(outcome, _)| outcome)
                        }
                    };
                }
            }
        }
    }

    /// Sees the request through to a result, over another connection if it has to be.
    async fn ask(&mut self, line: &mut Arc<Line>, params: &Ordered<RawJson>) -> Result<RawJson, ClientError> {
        let mut first = None;
        let raw = loop {
            let error = match self.rounds(line, params).await {
                Ok(raw) => break raw,
                Err(error) => error,
            };
            match self.other_line(line, params, &error).await {
                Some(other) => *line = other,
                // That nothing was sent the second time says nothing of the first.
                None if Loss::of(&error) == Some(Loss::Unsent) => return Err(first.unwrap_or(error)),
                None => return Err(error),
            }
            first = Some(error).filter(ClientError::is_outcome_unknown);
        };
        if !line.peer.revision.is_modern() {
            self.inner.lasting.keep(&self.method, params);
        }
        Ok(raw)
    }

    /// The connection to send the request over once more, if that does no harm.
    async fn other_line(
        &mut self,
        line: &Arc<Line>,
        params: &Ordered<RawJson>,
        error: &ClientError,
    ) -> Option<Arc<Line>> {
        if std::mem::replace(&mut self.course.repeated, true) {
            return None;
        }
        if line.may_be_unfit(error) {
            return self.inner.renew(line).await;
        }
        if matches!(error, ClientError::SessionExpired { is_refused: true, .. }) && line.shared().is_unfit() {
            // The new session would have spoken another revision, which takes another connection.
            return self.inner.renew(line).await;
        }
        let loss = Loss::of(error)?;
        let does_no_harm = loss == Loss::Unsent || self.course.unsent || self.is_repeatable(line, params);
        let pause = Loss::pause(error);
        if self.course.heard || !does_no_harm || self.budget.left().timeout <= pause {
            return None;
        }
        tracing::debug!(method = %self.method, error = error.failure().word, "sent once more");
        sleep(pause).await;
        self.budget.waited += pause;
        self.line().await.ok()
    }

    /// Whether the request may be carried out twice.
    fn is_repeatable(&self, line: &Line, params: &Ordered<RawJson>) -> bool {
        if self.may_repeat || is_harmless(&self.method) {
            return true;
        }
        line.config.trusts_annotations
            && Method::parse(&self.method) == Some(Method::ToolsCall)
            && params
                .get("name")
                .and_then(|name| name.decode::<String>().ok())
                .is_some_and(|tool| line.shared().repeatable.contains(&tool))
    }

    fn decoded(&self, line: &Line, params: &Ordered<RawJson>, raw: RawJson) -> Result<O, ClientError> {
        let done = Done { method: &self.method, params, check_output: self.check_output };
        (self.decode)(line, &done, raw)
    }
}

/// What an operation is about, for traces.
fn subject(method: &str, params: &Ordered<RawJson>) -> Option<Subject> {
    let text = |name: &str| params.get(name)?.decode::<String>().ok();
    match Method::parse(method)? {
        Method::ToolsCall => text("name").map(Subject::Tool),
        Method::PromptsGet => text("name").map(Subject::Prompt),
        Method::ResourcesRead | Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => {
            text("uri").map(Subject::Resource)
        }
        _ => None,
    }
}
