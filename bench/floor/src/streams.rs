//! Streams that stay open, and what is written to all of them.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::Response;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http_body::Frame;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::Form;

/// What says that a stream is open.
const OPEN: &[u8] = b"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"1000000\"},\"notifications\":{\"resourceSubscriptions\":[\"bench://counter\"]}}}\n\n";

/// What all of them are told.
const UPDATED: &[u8] = b"event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"1000000\"},\"uri\":\"bench://counter\"}}\n\n";

/// The writing ends of all streams that were opened.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams(Arc<Mutex<Vec<UnboundedSender<Bytes>>>>);

impl Streams {
    /// A stream that begins with its acknowledgement.
    pub(crate) fn listen(&self) -> Response<Body> {
        let (sender, receiver) = unbounded_channel();
        // Its other end is here.
        let _ = sender.send(Bytes::from_static(OPEN));
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(sender);
        let mut response = Response::new(Body::new(Open(receiver)));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        response
    }

    /// The same bytes to everybody who is still there.
    pub(crate) fn tell(&self) {
        let mut streams = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        streams.retain(|stream| stream.send(Bytes::from_static(UPDATED)).is_ok());
    }
}

/// A stream of a session.
pub(crate) async fn open(State((_, streams)): State<(Form, Streams)>) -> Response<Body> {
    streams.listen()
}

/// What is still to be sent, and is never known to be the last.
struct Open(UnboundedReceiver<Bytes>);

impl http_body::Body for Open {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}
