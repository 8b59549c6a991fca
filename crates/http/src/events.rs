//! A stream of server-sent events, with signs of life.

use std::fmt::Write as _;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hermes_proto::framing::sse::{OutgoingEvent, write_comment};
use hermes_proto::outbox::EventId;
use hermes_server::endpoint::{Event, EventStream};
use hermes_telemetry::transport::{self, kind};
use tokio::time::{Instant, Sleep};

/// Bytes that are gathered into one chunk when more than one event is due.
const ENOUGH: usize = 16 * 1024;

/// How much room a chunk is given at its first event, in bytes: most need no more.
const USUAL: usize = 512;

/// Events as bytes. While nothing is due a comment goes out from time to time, so that whatever stands between
/// knows that the connection is alive, and a connection that is dead is found out.
#[derive(Debug)]
pub(crate) struct Events {
    stream: EventStream,
    keep_alive: Duration,
    /// When the next sign of life is due, once something had to be waited for.
    silence: Option<Pin<Box<Sleep>>>,
    /// Something was written since the silence began.
    spoken: bool,
    over: bool,
    /// Nothing was written yet.
    fresh: bool,
}

impl Events {
    pub(crate) fn new(stream: EventStream, keep_alive: Duration) -> Self {
        Self { stream, keep_alive, silence: None, spoken: false, over: false, fresh: true }
    }

    /// Whether everything was written: whoever knows it ends the body with its last chunk, and asks for no more.
    pub(crate) const fn is_over(&self) -> bool {
        self.over
    }

    /// What is to be written next; `None` at the end.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.over {
            return Poll::Ready(None);
        }
        // Nothing is allocated as long as nothing is due.
        let (mut out, mut place) = (String::new(), String::new());
        while !self.over && out.len() < ENOUGH {
            match self.stream.poll_next(cx) {
                Poll::Ready(Some(event)) => {
                    if out.is_empty() {
                        out.reserve(USUAL);
                    }
                    write(&mut out, &mut place, &event);
                }
                Poll::Ready(None) => self.over = true,
                Poll::Pending => break,
            }
        }
        if out.is_empty() && self.fresh && !self.over {
            // A body that begins makes proxies and clients pass the head on.
            write_comment(&mut out, "");
        }
        self.fresh = false;
        if !out.is_empty() {
            transport::sent(kind::HTTP, out.len());
            self.spoken = true;
            return Poll::Ready(Some(Bytes::from(out)));
        }
        if self.over {
            return Poll::Ready(None);
        }
        // It is counted from when waiting begins: many streams are over before they have to wait.
        let silence = self.silence.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.keep_alive)));
        if std::mem::take(&mut self.spoken) {
            silence.as_mut().reset(Instant::now() + self.keep_alive);
        }
        if silence.as_mut().poll(cx).is_pending() {
            return Poll::Pending;
        }
        silence.as_mut().reset(Instant::now() + self.keep_alive);
        // Polled once more, so that the timer is armed again.
        let _ = silence.as_mut().poll(cx);
        write_comment(&mut out, "keep-alive");
        Poll::Ready(Some(Bytes::from(out)))
    }
}

/// Appends an event. `place` has room for the text of its id.
fn write(out: &mut String, place: &mut String, event: &Event) {
    let written = match event {
        Event::Message { id, text } => {
            let id = id.map(|id| spell(place, id));
            // Messages are JSON texts, and those are UTF-8.
            let data = std::str::from_utf8(text.as_ref()).unwrap_or_default();
            OutgoingEvent { id, ..OutgoingEvent::new(data) }.write(out)
        }
        Event::Priming(id) => {
            OutgoingEvent { id: Some(spell(place, *id)), ..OutgoingEvent::default() }.write(out)
        }
        Event::Gap(count) => {
            write_comment(out, &format!("{count} progress and log messages gave way here"));
            Ok(())
        }
        Event::Retry(wait) => OutgoingEvent { retry: Some(*wait), ..OutgoingEvent::default() }.write(out),
        _ => Ok(()),
    };
    // Our ids hold no line breaks.
    debug_assert!(written.is_ok(), "{event:?}");
}

/// Spells an id.
fn spell(place: &mut String, id: EventId) -> &str {
    place.clear();
    // Writing to a string does not fail.
    let _ = write!(place, "{id}");
    place
}
