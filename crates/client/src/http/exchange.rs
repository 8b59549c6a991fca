//! One request and its answer, however many connections that takes.
//!
//! ```text
//!            404 in a session, once: a new session      503 with Retry-After: later
//!              +--------------+                            +------+
//!              v              |                            v      |
//!            POST ------------+----------------------------+------+
//!              |
//!              +-- JSON -------------------------------------> settled, or what is wrong with it
//!              +-- events --+-- the answer is among them ----> settled
//!              |            +-- they end without an id ------> StreamEnded
//!              |            +-- they end behind an id -------> GET + Last-Event-ID: events, as above
//!              |                                                 | refused, or fruitless too often
//!              |                                                 v
//!              |                                               StreamEnded
//!              +-- anything else ----------------------------> what it was
//! ```
//!
//! Events that break instead of ending may mean that the session is lost; see [`vigil`](super::vigil).
//!
//! The first POST of all, `initialize`, outlives whoever waits for it: it begins a session that is to be ended.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::{Method, RawJson, RequestId};
use reqwest::{Response, StatusCode};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep, timeout_at};

use super::answer::{Form, Head, content, refusal};
use super::events::Ended;
use super::lost::{Look, look};
use super::outline::Outline;
use super::session::{SESSION, Seat};
use super::talk::Talk;
use crate::backoff::Backoff;
use crate::error::HttpProblem;
use crate::headers::Headers;
use crate::mishap::Mishap;

/// How often the rest of a stream is asked for without a sign that there is any.
const FRUITLESS: u32 = 5;

/// How long that goes on, when the server asks for no longer pauses.
const RESUMING: Duration = Duration::from_secs(7);

/// The pauses between those attempts.
const RESUME: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(5));

/// How long the answer to `initialize` is waited for when nobody needs the session any more.
const GIVEN_UP: Duration = Duration::from_secs(10);

/// How often a request that the server has no room for is sent again, and what pause is too long for that.
const BUSY: u32 = 3;
const BUSY_TIME: Duration = Duration::from_secs(30);

impl Talk {
    /// Sees a request through to its end. Whoever waits for it learns of that end.
    ///
    /// # Cancel safety
    /// Dropping it closes the connection, which takes a modern request back.
    pub(super) async fn converse(self: Arc<Self>, id: RequestId, text: String, own: Headers) {
        let mishap = self.carry(&id, &text, &own).await.err();
        self.shared.end(&id, mishap);
    }

    async fn carry(self: &Arc<Self>, id: &RequestId, text: &str, own: &Headers) -> Result<(), Mishap> {
        let outline = Outline::of(text);
        let is_opening = outline.is_legacy(Method::Initialize);
        if let (true, Some(params)) = (is_opening, outline.params()) {
            self.session.remember(RawJson::from(params));
        }
        let (mut has_moved, mut busy) = (false, Backoff::new(Duration::ZERO, Duration::ZERO));
        loop {
            let seat = match is_opening || outline.is_modern() {
                true => Seat { id: None, number: 0 },
                false => self.session.seat(),
            };
            let response = match is_opening {
                true => self.open(text, own).await?,
                false => self.post(text, &outline, &seat, own).await?,
            };
            let head = Head::of(&response);
            let response = match look(&head, &seat, response).await {
                Look::Lost(None) if has_moved => return Err(self.refused_for_good(None)),
                Look::Lost(Some(body)) if has_moved => return self.concluded(id, &head, &body),
                Look::Lost(_) => {
                    self.heal(&seat).await?;
                    has_moved = true;
                    continue;
                }
                Look::Refused(body) => return self.concluded(id, &head, &body),
                Look::Other(response) => response,
            };
            let later = head.retry_after.filter(|after| *after <= BUSY_TIME && busy.attempts() < BUSY);
            // Whoever has given up by then is told now what the server says.
            let until = self.shared.waits_until(id);
            let later = later.filter(|after| until.is_none_or(|until| Instant::now() + *after < until));
            if let (StatusCode::SERVICE_UNAVAILABLE, Some(later)) = (head.status, later) {
                drop(response);
                sleep(busy.next(Some(later))).await;
                continue;
            }
            return tokio::select! {
                biased;
                answered = self.answered(id, &head, response, &seat, own) => answered,
                () = self.session.replaced(&seat) => Err(self.expired()),
            };
        }
    }

    /// Sends `initialize`. It cannot be taken back: the session that it begins is there, even if nobody waits for it any
    /// more when the server says which it is. Such a session is ended at once.
    ///
    /// # Cancel safety
    /// What was sent is seen through in the background, for a while.
    async fn open(self: &Arc<Self>, text: &str, own: &Headers) -> Result<Response, Mishap> {
        let (mut waiting, opened) = oneshot::channel();
        let (talk, text, own) = (Arc::clone(self), text.to_owned(), own.clone());
        tokio::spawn(async move {
            let (outline, seat) = (Outline::of(&text), Seat { id: None, number: 0 });
            let given_up = async {
                waiting.closed().await;
                sleep(GIVEN_UP).await;
            };
            let response = tokio::select! {
                biased;
                response = talk.post(&text, &outline, &seat, &own) => response,
                () = given_up => return,
            };
            if let Ok(response) = &response
                && response.status().is_success()
                && let Some(id) = talk.session.offer(response.headers().get(SESSION).cloned())
            {
                talk.end(id).await;
            }
            // Nobody may be there for it.
            let _ = waiting.send(response);
        });
        // The task ends without an answer only when nobody waits for one.
        opened.await.unwrap_or_else(|_| Err(self.endpoint.ended(None)))
    }

    /// Reads the answer to a request. `Ok` says that somebody has it.
    async fn answered(
        self: &Arc<Self>,
        id: &RequestId,
        head: &Head,
        response: Response,
        seat: &Seat,
        own: &Headers,
    ) -> Result<(), Mishap> {
        let body = match head.form() {
            Form::Events if head.status.is_success() => {
                return self.streamed(id, head, response, seat, own).await;
            }
            Form::Json if head.status.is_success() => {
                content(&self.endpoint, head, response, self.shared.limits.line_bytes).await?
            }
            _ => refusal(response).await,
        };
        self.concluded(id, head, &body)
    }

    /// Takes the whole content of an answer for what it is.
    fn concluded(&self, id: &RequestId, head: &Head, body: &str) -> Result<(), Mishap> {
        if matches!(head.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(head.mishap(&self.endpoint, HttpProblem::Status, body));
        }
        let is_success = head.status.is_success();
        let may_be_message = if is_success { head.form() == Form::Json } else { body.starts_with('{') };
        if may_be_message && !body.is_empty() {
            if !is_success {
                self.shared.under(id, head.status.as_u16());
            }
            self.shared.hear(body, Some(id));
            if !self.shared.waits_for(id) {
                return Ok(());
            }
        }
        Err(match head.form() {
            _ if !is_success => head.mishap(&self.endpoint, HttpProblem::Status, body),
            Form::Other if !body.trim().is_empty() => {
                head.mishap(&self.endpoint, HttpProblem::ContentType, body)
            }
            _ => head.unanswered(&self.endpoint, body),
        })
    }

    /// Reads events up to the answer, and asks for the rest of a stream that breaks.
    async fn streamed(
        self: &Arc<Self>,
        id: &RequestId,
        head: &Head,
        response: Response,
        seat: &Seat,
        own: &Headers,
    ) -> Result<(), Mishap> {
        let is_legacy = self.shared.revision().is_some_and(|revision| !revision.is_modern());
        let mut ended = self.read(response, Some(id), Ended::default()).await;
        let mut pauses = RESUME;
        let (mut fruitless, mut is_refused) = (0, false);
        let mut until = Instant::now() + RESUMING;
        loop {
            if !self.shared.waits_for(id) {
                return Ok(());
            }
            if let Some(noise) = ended.unread.take() {
                return Err(head.mishap(&self.endpoint, HttpProblem::Malformed(noise), ""));
            }
            if ended.is_older {
                return Err(head.mishap(&self.endpoint, HttpProblem::OlderTransport, ""));
            }
            let last_id = ended.last_id.clone().filter(|_| is_legacy && fruitless < FRUITLESS);
            let Some(last_id) = last_id else {
                if let Some(error) = ended.nobodys.take() {
                    // Nothing else has come: it was meant for this request.
                    self.shared.hear(&error, Some(id));
                    if !self.shared.waits_for(id) {
                        return Ok(());
                    }
                }
                return Err(self.endpoint.ended(ended.source));
            };
            if fruitless == 0 && ended.source.is_some() {
                self.look_after(seat);
            }
            let pause = pauses.next(ended.retry);
            if is_refused && Instant::now() + pause > until {
                return Err(self.endpoint.ended(ended.source));
            }
            sleep(pause).await;
            let asked = self.get(seat, Some(&last_id), own);
            let patient = until.max(Instant::now() + Duration::from_millis(500));
            let resumed = timeout_at(patient, asked).await;
            fruitless += 1;
            match resumed {
                Err(_) => return Err(self.endpoint.ended(Some("nobody answers any more".into()))),
                Ok(Err(
                    Mishap::Unreachable { source, .. } | Mishap::StreamEnded { source: Some(source), .. },
                )) => {
                    ended.source = Some(source);
                }
                Ok(Err(mishap)) => return Err(mishap),
                Ok(Ok(response)) => {
                    let rest = Head::of(&response);
                    let response = match look(&rest, seat, response).await {
                        Look::Lost(_) => return Err(self.expired()),
                        Look::Refused(_) => return Err(self.endpoint.ended(Some(refused(&rest)))),
                        Look::Other(response) => response,
                    };
                    match rest.status {
                        StatusCode::OK if rest.form() == Form::Events => {
                            ended.source = None;
                            is_refused = false;
                            ended = self.read(response, Some(id), ended).await;
                            // The server still knows the stream, whether it has more to say now or not.
                            if ended.last_id.as_deref() != Some(&*last_id) {
                                fruitless = 0;
                                until = Instant::now() + RESUMING;
                            }
                            if ended.has_spoken {
                                pauses.reset();
                            }
                        }
                        status if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                            if rest.retry_after.is_some_and(|after| Instant::now() + after > until) {
                                return Err(self.endpoint.ended(Some(refused(&rest))));
                            }
                            is_refused = true;
                            ended.source = Some(refused(&rest));
                            ended.retry = rest.retry_after.or(ended.retry);
                        }
                        _ => return Err(self.endpoint.ended(Some(refused(&rest)))),
                    }
                }
            }
        }
    }
}

fn refused(head: &Head) -> Box<dyn std::error::Error + Send + Sync> {
    format!("the rest of it was refused with HTTP {}", head.status.as_u16()).into()
}
