//! A new session in the place of one that is lost.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use hermes_types::Method;
use serde::Deserialize;
use tokio::time::{Instant, timeout};

use super::answer::Head;
use super::outline::Outline;
use super::session::Seat;
use super::talk::Talk;
use crate::Warning;
use crate::connection::{Answer, Patience};
use crate::headers::Headers;
use crate::mishap::Mishap;

/// How long a server may take to accept something that needs no answer.
pub(super) const NOTE: Duration = Duration::from_secs(10);

/// How long it may take to begin a new session.
const OPENING: Patience = Patience { timeout: Duration::from_secs(30), extended: None };

const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

/// How long those who come late share the failure of an attempt.
const SHARED: Duration = Duration::from_millis(500);

/// Why there is no new session, for everyone who wants one.
#[derive(Clone, Debug)]
pub(super) enum Unhealed {
    Unauthorized { status: u16, challenge: Option<String>, excerpt: String },
    Unreachable(String),
    Otherwise(String),
}

/// How one attempt failed.
struct Unbegun {
    /// Whether its answer was lost on the way.
    is_lost: bool,
    why: Unhealed,
}

impl Unbegun {
    fn of(mishap: Mishap) -> Self {
        Self { is_lost: matches!(mishap, Mishap::StreamEnded { .. }), why: Unhealed::of(mishap) }
    }

    fn because(reason: &str) -> Self {
        Self { is_lost: false, why: Unhealed::Otherwise(reason.to_owned()) }
    }
}

impl Unhealed {
    fn of(mishap: Mishap) -> Self {
        match mishap {
            Mishap::Unauthorized { status, challenge, excerpt, .. } => {
                Self::Unauthorized { status, challenge, excerpt }
            }
            Mishap::Unreachable { source, .. } => Self::Unreachable(source.to_string()),
            mishap => Self::Otherwise(mishap.into_error(Method::Initialize.as_str().to_owned()).to_string()),
        }
    }

    fn into_mishap(self, talk: &Talk) -> Mishap {
        let url = talk.endpoint.shown();
        match self {
            Self::Unauthorized { status, challenge, excerpt } => {
                Mishap::Unauthorized { url, status, challenge, excerpt }
            }
            Self::Unreachable(source) => Mishap::Unreachable { url, source: source.into() },
            Self::Otherwise(reason) => talk.refused_for_good(Some(reason)),
        }
    }
}

impl Talk {
    /// Replaces a session that the server does not know any more. Whoever finds it lost at the same time waits for
    /// the same attempt, and shares its outcome.
    ///
    /// # Errors
    /// There is no new session.
    ///
    /// Source: `basic/transports#session-management`, 2025-11-25.
    pub(super) async fn heal(self: &Arc<Self>, seat: &Seat) -> Result<(), Mishap> {
        let before = self.healings.load(SeqCst);
        let _healing = self.healing.lock().await;
        if self.session.seat().number != seat.number {
            return Ok(());
        }
        let last = self.unhealed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((failed, unhealed)) = last
            && (self.healings.load(SeqCst) != before || failed.elapsed() < SHARED)
        {
            return Err(unhealed.into_mishap(self));
        }
        self.healings.fetch_add(1, SeqCst);
        let reopened = match self.reopen().await {
            // The connection may be one that the server's last life has left behind. Asking for a session twice does
            // no harm, so nobody is told of that one.
            Err(Unbegun { is_lost: true, .. }) => self.reopen().await,
            reopened => reopened,
        };
        let reopened = reopened.map_err(|unbegun| unbegun.why);
        let mut last = self.unhealed.lock().unwrap_or_else(PoisonError::into_inner);
        *last = reopened.as_ref().err().map(|unhealed| (Instant::now(), unhealed.clone()));
        drop(last);
        reopened.map_err(|unhealed| unhealed.into_mishap(self))?;
        self.shared.warn(&Warning::SessionReplaced);
        // Not awaited: should the new session be lost as well, this would wait for itself.
        let talk = Arc::clone(self);
        tokio::spawn(async move {
            talk.shared.restore().await;
            talk.shared.lasting.gap();
        });
        Ok(())
    }

    async fn reopen(self: &Arc<Self>) -> Result<(), Unbegun> {
        #[derive(Deserialize)]
        struct Opened {
            #[serde(rename = "protocolVersion")]
            revision: String,
        }
        let params = self.session.opening().ok_or_else(|| Unbegun::because("it was never begun here"))?;
        let sent = self.shared.send(Method::Initialize.as_str(), None, |_| Some(params));
        let mut in_flight = sent.map_err(|closed| Unbegun::because(&closed.to_string()))?;
        let answered = match in_flight.answer(OPENING, &mut None).await {
            Ok(Answer::Result(result)) => result.decode::<Opened>().ok().map(|opened| opened.revision),
            Ok(Answer::Failed(mishap)) if !mishap.may_be_the_era() => return Err(Unbegun::of(mishap)),
            Ok(Answer::Error(error)) => {
                self.shared.mark_unfit();
                return Err(Unbegun::because(&format!("a new one is refused: {error}")));
            }
            Ok(Answer::Failed(mishap)) => {
                // A server that is broken says nothing of what it speaks.
                if mishap.refusal().is_some_and(|status| matches!(status, 400 | 405)) {
                    self.shared.mark_unfit();
                }
                return Err(Unbegun::of(mishap));
            }
            Ok(Answer::Broken(violation)) => return Err(Unbegun::because(&violation.to_string())),
            Ok(Answer::Lost(closed)) => return Err(Unbegun::because(&closed.to_string())),
            Err(_) => return Err(Unbegun::because("a new one was not begun in time")),
        };
        // Everything that is under way speaks one revision; another one takes another connection.
        if answered.as_deref() != self.shared.revision().map(|revision| revision.as_str()) {
            self.shared.mark_unfit();
            return Err(Unbegun::because("a new one would speak another revision"));
        }
        self.greet(INITIALIZED).await;
        Ok(())
    }

    /// Says that the session may begin, and opens its standalone stream.
    pub(super) async fn greet(self: &Arc<Self>, text: &str) {
        let seat = self.session.offered();
        self.note(text, &seat).await;
        let seat = self.session.begin();
        self.shared.in_session(seat.id.as_ref().and_then(|id| id.to_str().ok()));
        self.attend(seat).await;
    }

    /// Sends something that needs no answer. That it was not accepted is not the host's business, unless it asks.
    pub(super) async fn note(&self, text: &str, seat: &Seat) {
        let outline = Outline::of(text);
        let reason = match timeout(NOTE, self.post(text, &outline, seat, &Headers::default())).await {
            Ok(Ok(response)) if response.status().is_success() => return,
            Ok(Ok(response)) => format!("HTTP {}", Head::of(&response).status.as_u16()),
            Ok(Err(mishap)) => mishap.into_error(outline.method().to_owned()).to_string(),
            Err(_) => "nobody has accepted it in time".to_owned(),
        };
        self.shared.warn(&Warning::NotDelivered { method: outline.method().to_owned(), reason });
    }
}
