//! A new session in the place of one that is lost.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use hermes_types::{JsonObject, Method, RawJson};
use serde::Deserialize;
use tokio::time::timeout;

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
        if self.healings.load(SeqCst) != before {
            return Err(self.expired());
        }
        self.healings.fetch_add(1, SeqCst);
        if !self.reopen().await {
            return Err(self.expired());
        }
        self.shared.warn(&Warning::SessionReplaced);
        // Not awaited: should the new session be lost as well, this would wait for itself.
        let talk = Arc::clone(self);
        tokio::spawn(async move { talk.tell_again().await });
        Ok(())
    }

    async fn reopen(self: &Arc<Self>) -> bool {
        #[derive(Deserialize)]
        struct Opened {
            #[serde(rename = "protocolVersion")]
            revision: String,
        }
        let Some(params) = self.session.opening() else { return false };
        let Ok(mut in_flight) = self.shared.send(Method::Initialize.as_str(), None, |_| Some(params)) else {
            return false;
        };
        let Ok(Answer::Result(result)) = in_flight.answer(OPENING, &mut None).await else { return false };
        // The host knows the server by one revision.
        let revision = self.shared.revision().map(|revision| revision.as_str());
        if result.decode::<Opened>().ok().map(|opened| opened.revision).as_deref() != revision {
            return false;
        }
        self.greet(INITIALIZED).await;
        true
    }

    /// Says that the session may begin, and opens its standalone stream.
    pub(super) async fn greet(self: &Arc<Self>, text: &str) {
        let seat = self.session.offered();
        self.note(text, &seat).await;
        let seat = self.session.begin();
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

    fn kept(&self) -> MutexGuard<'_, BTreeMap<String, (Method, RawJson)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of what a session has been told, and does not outlive it.
    pub(super) fn keep(&self, outline: &Outline<'_>) {
        let only = |member: &str| {
            let params: JsonObject = RawJson::from(outline.params()?).decode().ok()?;
            let value = params.get(member)?.clone();
            let only = JsonObject::from_iter([(member.to_owned(), value.clone())]);
            Some((value.get().to_owned(), RawJson::encode(&only).ok()?))
        };
        if outline.is(Method::LoggingSetLevel)
            && let Some((_, level)) = only("level")
        {
            self.kept().insert(String::new(), (Method::LoggingSetLevel, level));
        } else if outline.is(Method::ResourcesSubscribe)
            && let Some((uri, params)) = only("uri")
        {
            self.kept().insert(uri, (Method::ResourcesSubscribe, params));
        } else if outline.is(Method::ResourcesUnsubscribe)
            && let Some((uri, _)) = only("uri")
        {
            self.kept().remove(&uri);
        }
    }

    async fn tell_again(&self) {
        let kept: Vec<_> = self.kept().values().cloned().collect();
        for (method, params) in kept {
            let Ok(mut in_flight) = self.shared.send(method.as_str(), None, |_| Some(params)) else { return };
            let reason = match in_flight.answer(OPENING, &mut None).await {
                Ok(answer) => answer.into_result(method.as_str()).err().map(|error| error.to_string()),
                Err(_) => Some("it was not answered in time".to_owned()),
            };
            if let Some(reason) = reason {
                self.shared.warn(&Warning::NotDelivered { method: method.as_str().to_owned(), reason });
            }
        }
    }
}
