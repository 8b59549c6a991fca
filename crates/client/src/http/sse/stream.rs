//! What comes from the server: first where messages are sent, then messages.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use hermes_proto::framing::sse::{EventReader, Incoming};
use hermes_proto::limits::Limits;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Method, Response};
use tokio::time::{Instant, timeout_at};

use crate::Noise;
use crate::connection::Shared;
use crate::error::HttpProblem;
use crate::http::answer::{Form, Head, refusal};
use crate::http::endpoint::{Endpoint, root_cause};
use crate::mishap::Mishap;

/// The event that names where messages are sent.
pub(in crate::http) const ENDPOINT: &str = "endpoint";

/// The events that carry messages: on a stream of this transport none comes first.
const MESSAGE: &str = "message";

/// The stream of a connection.
#[derive(Debug)]
pub(super) struct Stream {
    response: Response,
    reader: EventReader,
    /// What was received and not read yet.
    chunk: Bytes,
}

impl Stream {
    /// Opens the stream at this address. Gives it with the endpoint for messages.
    ///
    /// # Errors
    /// It is not there in time, or does not begin by naming an endpoint of the same origin.
    pub(super) async fn open(
        endpoint: &Endpoint,
        limits: Limits,
        within: Duration,
    ) -> Result<(Self, Endpoint), Mishap> {
        let until = Instant::now() + within;
        let silent = |_| Mishap::Silent { after: within };
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let response =
            timeout_at(until, endpoint.ask(Method::GET, headers, None)).await.map_err(silent)??;
        let head = Head::of(&response);
        if !head.status.is_success() {
            return Err(head.mishap(endpoint, HttpProblem::Status, &refusal(response).await));
        }
        if head.form() != Form::Events {
            return Err(head.mishap(endpoint, HttpProblem::ContentType, &refusal(response).await));
        }
        let base = response.url().clone();
        let mut stream = Self { response, reader: EventReader::new(limits.line_bytes), chunk: Bytes::new() };
        let nameless = || head.mishap(endpoint, HttpProblem::NoEndpoint, "");
        let named = match timeout_at(until, stream.named(endpoint)).await {
            Ok(named) => named?.ok_or_else(nameless)?,
            Err(_) => return Err(nameless()),
        };
        match endpoint.beside(&base, &named) {
            Ok(messages) => Ok((stream, messages)),
            Err(origin) => Err(head.mishap(endpoint, HttpProblem::ForeignEndpoint { origin }, "")),
        }
    }

    /// What the first event names; `None` when it is one that carries a message, and the stream another one.
    async fn named(&mut self, endpoint: &Endpoint) -> Result<Option<String>, Mishap> {
        loop {
            match self.next().await {
                Ok(Some(Incoming::Event(event))) if event.name == ENDPOINT => return Ok(Some(event.data)),
                Ok(Some(Incoming::Event(event))) if event.name == MESSAGE => return Ok(None),
                Ok(Some(_)) => {}
                Ok(None) => return Err(endpoint.ended(None)),
                Err(source) => return Err(endpoint.ended(Some(source))),
            }
        }
    }

    /// Takes messages in until the stream ends; gives what broke, if it did not end by itself.
    pub(super) async fn read(mut self, shared: &Arc<Shared>) -> Option<Box<dyn Error + Send + Sync>> {
        loop {
            // A server that asks and does not take the answers is not read either. The semaphore is never closed.
            drop(shared.room.acquire().await);
            match self.next().await {
                Ok(Some(Incoming::Event(event))) if event.is_message() => shared.hear(&event.data, None),
                Ok(Some(Incoming::Event(event))) => tracing::debug!(event.name, "ignored an event"),
                Ok(Some(Incoming::NotUtf8 { head })) => shared.unreadable(&head, Noise::NotUtf8),
                Ok(Some(Incoming::TooLong { head, bytes })) => {
                    shared.unreadable(&head, Noise::TooLong { bytes: bytes as u64 });
                }
                Ok(None) => return None,
                Err(source) => return Some(source),
            }
        }
    }

    /// The next event; `None` at the end.
    ///
    /// # Cancel safety
    /// Nothing is lost: what was received is kept.
    async fn next(&mut self) -> Result<Option<Incoming>, Box<dyn Error + Send + Sync>> {
        loop {
            let mut unread = &*self.chunk;
            let incoming = self.reader.read(&mut unread);
            let taken = self.chunk.len() - unread.len();
            self.chunk.advance(taken);
            if incoming.is_some() {
                return Ok(incoming);
            }
            match self.response.chunk().await {
                Ok(Some(chunk)) => self.chunk = chunk,
                Ok(None) => return Ok(None),
                Err(error) => return Err(root_cause(&error)),
            }
        }
    }
}
