//! What goes to the server: a POST for each message.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::{Message, Method, RequestId, Revision};
use reqwest::header::HeaderValue;
use reqwest::{Response, StatusCode};
use tokio::pin;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;

use crate::Warning;
use crate::connection::Shared;
use crate::connection::shared::{Kind, Unwritten};
use crate::error::HttpProblem;
use crate::headers::Headers;
use crate::http::answer::{Form, Head, content, refusal};
use crate::http::endpoint::Endpoint;
use crate::http::heal::NOTE;
use crate::http::outline::{Outline, REVISION};
use crate::mishap::Mishap;

/// How long a POST may go on behind the answer that it led to. At its end, its connection can be used again.
const LINGER: Duration = Duration::from_secs(1);

/// Carries messages to where the stream has said that they are to be sent.
#[derive(Debug)]
pub(super) struct Courier {
    pub(super) shared: Arc<Shared>,
    endpoint: Endpoint,
    /// Told when there is nothing any more where messages are sent.
    pub(super) gone: Notify,
}

impl Courier {
    pub(super) const fn new(shared: Arc<Shared>, endpoint: Endpoint) -> Self {
        Self { shared, endpoint, gone: Notify::const_new() }
    }

    /// Delivers what there is to send, until nothing more will be sent.
    pub(super) async fn deliver_all(self: &Arc<Self>) {
        let (sender, mut notes) = mpsc::unbounded_channel::<String>();
        // One after the other, so that they arrive in their order; beside everything else, as nobody waits for them.
        let in_order = async {
            while let Some(text) = notes.recv().await {
                self.note(&text).await;
            }
        };
        let dispatch = async {
            while let Some(unwritten) = self.shared.next_unwritten().await {
                self.dispatch(unwritten, &sender).await;
            }
            drop(sender);
        };
        tokio::join!(dispatch, in_order);
    }

    async fn dispatch(self: &Arc<Self>, unwritten: Unwritten, notes: &mpsc::UnboundedSender<String>) {
        let Unwritten { mut line, kind, room } = unwritten;
        line.truncate(line.trim_end().len());
        let courier = Arc::clone(self);
        match kind {
            Kind::Request { id, headers } => {
                let carrying = courier.carry(id.clone(), line, headers);
                self.shared.begin(&id, || tokio::spawn(carrying).abort_handle());
            }
            Kind::Response => {
                tokio::spawn(async move {
                    courier.note(&line).await;
                    // The server's request counts until its answer is there.
                    drop(room);
                });
            }
            // Nothing may be asked before the server has heard this.
            Kind::Notification if Outline::of(&line).is(Method::Initialized) => self.note(&line).await,
            Kind::Notification => {
                // The receiver lives as long as this task.
                let _ = notes.send(line);
            }
        }
    }

    /// Delivers a request. Once it is accepted, its answer comes by the stream.
    async fn carry(self: Arc<Self>, id: RequestId, text: String, headers: Headers) {
        let asking = self.ask(&id, &text, &headers);
        pin!(asking);
        let refused = loop {
            match timeout(LINGER, &mut asking).await {
                Ok(outcome) => break outcome.err(),
                // The answer was faster: what is left of the exchange is a courtesy to the connection.
                Err(_) if !self.shared.waits_for(&id) => break None,
                Err(_) => {}
            }
        };
        let forgotten = refused.as_ref().is_some_and(Mishap::is_gone);
        self.shared.end(&id, refused);
        if forgotten {
            self.gone.notify_one();
        }
    }

    /// # Errors
    /// The request was not accepted.
    async fn ask(&self, id: &RequestId, text: &str, headers: &Headers) -> Result<(), Mishap> {
        let response = self.post(text, headers).await?;
        let head = Head::of(&response);
        if !head.status.is_success() {
            let body = refusal(response).await;
            return self.refused(id, &head, &body);
        }
        match content(&self.endpoint, &head, response, self.shared.limits.line_bytes).await {
            Ok(body) if Message::decode(&body).is_ok() => self.shared.hear(&body, Some(id)),
            // The server says in its own words that it has accepted the request.
            Ok(_) => {}
            // Nothing else than the answer was likely to be in it.
            Err(mishap) if head.form() == Form::Json => return Err(mishap),
            Err(_) => tracing::debug!("what came with the acceptance of a request cannot be read"),
        }
        Ok(())
    }

    /// Takes a refusal for what it is: the answer to this request, or what came instead.
    fn refused(&self, id: &RequestId, head: &Head, body: &str) -> Result<(), Mishap> {
        let is_locked = matches!(head.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN);
        if !is_locked && let Ok(Message::Response(response)) = Message::decode(body) {
            self.shared.hear(body, Some(id));
            // An error that names no request is not about what was asked, but about where.
            if response.id.is_none() && is_gone(head.status) {
                self.gone.notify_one();
            }
            if !self.shared.waits_for(id) {
                return Ok(());
            }
        }
        Err(head.mishap(&self.endpoint, HttpProblem::Status, body))
    }

    /// Delivers something that needs no answer. That it was not accepted is not the host's business, unless it asks.
    async fn note(&self, text: &str) {
        let reason = match timeout(NOTE, self.post(text, &Headers::default())).await {
            Ok(Ok(response)) if response.status().is_success() => return,
            Ok(Ok(response)) => {
                let status = response.status();
                if is_gone(status) {
                    self.gone.notify_one();
                }
                format!("HTTP {}", status.as_u16())
            }
            Ok(Err(mishap)) => mishap.into_error(Outline::of(text).method().to_owned()).to_string(),
            Err(_) => "nobody has accepted it in time".to_owned(),
        };
        let method = Outline::of(text).method().to_owned();
        self.shared.warn(&Warning::NotDelivered { method, reason });
    }

    async fn post(&self, text: &str, own: &Headers) -> Result<Response, Mishap> {
        let mut headers = own.map.clone();
        Outline::of(text).write_headers(&self.shared.mirrors, &mut headers);
        // Servers of revisions without this header may not know what to make of it.
        if let Some(revision) = self.shared.revision().filter(|revision| *revision >= Revision::V2025_06_18) {
            headers.insert(REVISION, HeaderValue::from_static(revision.as_str()));
        }
        self.endpoint.ask(reqwest::Method::POST, headers, Some(text)).await
    }
}

/// Whether there is nothing any more where messages are sent.
const fn is_gone(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::GONE)
}
