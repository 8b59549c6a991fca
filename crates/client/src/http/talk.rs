//! What all tasks of one connection over HTTP share, and how they ask.

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_types::Method;
use reqwest::Response;
use reqwest::header::{ACCEPT, HeaderMap, HeaderName, HeaderValue};
use tokio::task::AbortHandle;
use tokio::time::Instant;

use super::endpoint::Endpoint;
use super::heal::Unhealed;
use super::outline::{Outline, REVISION};
use super::session::{SESSION, Seat, Session};
use crate::connection::Shared;
use crate::headers::Headers;
use crate::mishap::Mishap;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

#[derive(Debug)]
pub(super) struct Talk {
    pub(super) shared: Arc<Shared>,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) session: Session,
    /// Held while a lost session is replaced.
    pub(super) healing: tokio::sync::Mutex<()>,
    /// How often that was tried.
    pub(super) healings: AtomicU64,
    /// Why the last attempt has failed, and when.
    pub(super) unhealed: Mutex<Option<(Instant, Unhealed)>>,
    /// Whether somebody looks after the session.
    pub(super) looking: AtomicBool,
    /// The task of the standalone stream.
    standalone: Mutex<Option<AbortHandle>>,
}

impl Talk {
    pub(super) fn new(shared: Arc<Shared>, endpoint: Arc<Endpoint>) -> Self {
        Self {
            shared,
            endpoint,
            session: Session::new(),
            healing: tokio::sync::Mutex::default(),
            healings: AtomicU64::new(0),
            unhealed: Mutex::default(),
            looking: AtomicBool::new(false),
            standalone: Mutex::default(),
        }
    }

    /// Sends a message, with what the host wants sent beside it; gives the head of the answer.
    pub(super) async fn post(
        &self,
        text: &str,
        outline: &Outline<'_>,
        seat: &Seat,
        own: &Headers,
    ) -> Result<Response, Mishap> {
        let mut headers = own.map.clone();
        outline.write_headers(&self.shared.mirrors, &mut headers);
        if !outline.is_modern() && !outline.is(Method::Initialize) {
            self.sit(&mut headers, seat);
        }
        self.endpoint.ask(reqwest::Method::POST, headers, Some(text)).await
    }

    /// Asks for a stream: the standalone one, or the rest of the one that this event belongs to.
    pub(super) async fn get(
        &self,
        seat: &Seat,
        last_event_id: Option<&str>,
        own: &Headers,
    ) -> Result<Response, Mishap> {
        let mut headers = own.map.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        self.sit(&mut headers, seat);
        // An id that no header can carry cannot be named: the server then begins anew.
        if let Some(id) = last_event_id.and_then(|id| HeaderValue::from_bytes(id.as_bytes()).ok()) {
            headers.insert(LAST_EVENT_ID, id);
        }
        self.endpoint.ask(reqwest::Method::GET, headers, None).await
    }

    /// Takes leave of a session.
    pub(super) async fn delete(&self, id: HeaderValue) -> Result<Response, Mishap> {
        let mut headers = HeaderMap::new();
        self.sit(&mut headers, &Seat { id: Some(id), number: 0 });
        self.endpoint.ask(reqwest::Method::DELETE, headers, None).await
    }

    /// The headers of everything that comes after `initialize`.
    ///
    /// Source: `basic/transports#protocol-version-header`, 2025-11-25.
    fn sit(&self, headers: &mut HeaderMap, seat: &Seat) {
        if let Some(id) = &seat.id {
            headers.insert(SESSION, id.clone());
        }
        if let Some(revision) = self.shared.revision() {
            headers.insert(REVISION, HeaderValue::from_static(revision.as_str()));
        }
    }

    /// Puts this task in the place of the last one that held the standalone stream.
    pub(super) fn stand(&self, task: Option<AbortHandle>) {
        let mut standalone = self.standalone.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = std::mem::replace(&mut *standalone, task) {
            last.abort();
        }
    }

    pub(super) fn expired(&self) -> Mishap {
        Mishap::SessionExpired { url: self.endpoint.shown(), reason: None, is_refused: false }
    }

    /// The session is lost, and the request was refused because of that.
    pub(super) fn refused_for_good(&self, reason: Option<String>) -> Mishap {
        Mishap::SessionExpired { url: self.endpoint.shown(), reason, is_refused: true }
    }
}
