//! A new session in the place of one that is lost.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use hermes_types::Method;
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
        tokio::spawn(async move {
            talk.shared.restore().await;
            talk.shared.lasting.gap();
        });
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
        let answered = match in_flight.answer(OPENING, &mut None).await {
            Ok(Answer::Result(result)) => result.decode::<Opened>().ok().map(|opened| opened.revision),
            Ok(Answer::Failed(mishap)) if !mishap.may_be_the_era() => return false,
            Ok(Answer::Error(_) | Answer::Failed(_)) => None,
            Ok(Answer::Broken(_) | Answer::Lost(_)) | Err(_) => return false,
        };
        // Everything that is under way speaks one revision; another one takes another connection.
        if answered.as_deref() != self.shared.revision().map(|revision| revision.as_str()) {
            self.shared.mark_unfit();
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
}
