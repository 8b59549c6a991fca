//! The body of an answer.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hermes_server::endpoint::Endpoint;
use http_body::{Frame, SizeHint};

use crate::events::Events;
use crate::http_sse::OlderEvents;

/// The body of an answer: nothing, a text in one part or two, or a stream of events.
///
/// A stream asks for its next event when the connection can take one. Dropping it tells the endpoint that the
/// connection is gone.
#[derive(Debug)]
pub struct Body(Content);

#[derive(Debug)]
enum Content {
    Events(Events),
    Older(OlderEvents),
    Text(Option<Bytes>),
    Response(Unsent),
}

/// A response that the connection has not asked for yet. If it never does, nobody has the response, and the accounts
/// say so.
#[derive(Debug)]
struct Unsent {
    parts: [Option<Bytes>; 2],
    endpoint: Endpoint,
}

impl Unsent {
    fn take(&mut self) -> Option<Bytes> {
        self.parts.iter_mut().find_map(Option::take)
    }

    fn size(&self) -> usize {
        self.parts.iter().flatten().map(Bytes::len).sum()
    }

    fn is_sent(&self) -> bool {
        self.parts.iter().all(Option::is_none)
    }
}

impl Drop for Unsent {
    fn drop(&mut self) {
        if !self.is_sent() {
            self.endpoint.count_undelivered();
        }
    }
}

impl Body {
    pub(crate) const fn empty() -> Self {
        Self(Content::Text(None))
    }

    pub(crate) fn text(text: impl Into<Bytes>) -> Self {
        let text = text.into();
        Self(Content::Text(Some(text).filter(|text| !text.is_empty())))
    }

    /// The response to a request that was accepted.
    pub(crate) const fn response(parts: [Option<Bytes>; 2], endpoint: Endpoint) -> Self {
        Self(Content::Response(Unsent { parts, endpoint }))
    }

    /// How many bytes are known to come.
    pub(crate) fn size(&self) -> usize {
        match &self.0 {
            Content::Text(text) => text.as_ref().map_or(0, Bytes::len),
            Content::Response(unsent) => unsent.size(),
            Content::Events(_) | Content::Older(_) => 0,
        }
    }

    pub(crate) const fn events(events: Events) -> Self {
        Self(Content::Events(events))
    }

    pub(crate) const fn older(events: OlderEvents) -> Self {
        Self(Content::Older(events))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut self.0 {
            Content::Text(text) => Poll::Ready(text.take().map(|text| Ok(Frame::data(text)))),
            Content::Response(unsent) => Poll::Ready(unsent.take().map(|part| Ok(Frame::data(part)))),
            Content::Events(events) => events.poll_chunk(cx).map(|chunk| chunk.map(|it| Ok(Frame::data(it)))),
            Content::Older(events) => events.poll_chunk(cx).map(|chunk| chunk.map(|it| Ok(Frame::data(it)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.0 {
            Content::Text(text) => text.is_none(),
            Content::Response(unsent) => unsent.is_sent(),
            Content::Events(events) => events.is_over(),
            Content::Older(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.0 {
            Content::Text(_) | Content::Response(_) => SizeHint::with_exact(self.size() as u64),
            Content::Events(_) | Content::Older(_) => SizeHint::default(),
        }
    }
}
