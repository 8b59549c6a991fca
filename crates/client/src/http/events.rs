//! A stream of events, read until it ends.

use std::error::Error;
use std::time::Duration;

use hermes_proto::framing::sse::{EventReader, Incoming};
use hermes_types::{Message, RequestId};
use reqwest::Response;
use tokio::time::timeout;

use super::endpoint::root_cause;
use super::sse;
use super::talk::Talk;
use crate::Noise;

/// How long a stream may go on behind its result. Read to its end, its connection can be used again.
const LINGER: Duration = Duration::from_secs(1);

/// How a stream of events has ended.
#[derive(Debug, Default)]
pub(super) struct Ended {
    /// The id of the last event, also of one of an earlier part of the stream.
    pub(super) last_id: Option<String>,
    /// How long to wait before asking for the rest.
    pub(super) retry: Option<Duration>,
    /// What broke, if it did not end by itself.
    pub(super) source: Option<Box<dyn Error + Send + Sync>>,
    /// Whether there was any message.
    pub(super) has_spoken: bool,
    /// Something that is not read, and may have been the answer.
    pub(super) unread: Option<Noise>,
    /// Whether it is a stream of the older transport.
    pub(super) is_older: bool,
    /// An error that does not say what it answers. It counts if nothing else comes.
    pub(super) nobodys: Option<String>,
}

impl Talk {
    /// Reads events until the stream ends. `exchange` is the request that the stream is to answer, and `before` what is
    /// known from the parts before.
    pub(super) async fn read(
        &self,
        mut response: Response,
        exchange: Option<&RequestId>,
        before: Ended,
    ) -> Ended {
        let mut reader = EventReader::new(self.shared.limits.line_bytes);
        let mut unfinished = 0;
        let mut ended = Ended {
            last_id: before.last_id,
            retry: before.retry,
            nobodys: before.nobodys,
            ..Ended::default()
        };
        loop {
            // A server that asks and does not take the answers is not read either. The semaphore is never closed.
            drop(self.shared.room.acquire().await);
            let is_settled = exchange.is_some_and(|id| !self.shared.waits_for(id));
            let chunk = if is_settled {
                // What was waited for has come: the rest is a courtesy to the connection.
                timeout(LINGER, response.chunk()).await.unwrap_or(Ok(None))
            } else {
                response.chunk().await
            };
            match chunk {
                Ok(Some(chunk)) => {
                    let is_whole = self.events(&mut reader, &chunk, exchange, &mut ended);
                    unfinished = if is_whole { 0 } else { unfinished + chunk.len() };
                    if exchange.is_some() && unfinished > self.shared.limits.line_bytes {
                        // It is too long already, and may never end.
                        let noise = Noise::TooLong { bytes: unfinished as u64 };
                        ended.unread = Some(noise.clone());
                        self.shared.put_up_with(noise);
                    }
                    // Likely the answer, or one that is none: nothing is left to wait for.
                    if exchange.is_some() && (ended.unread.is_some() || ended.is_older) {
                        break;
                    }
                }
                Ok(None) => break,
                Err(error) => {
                    ended.source = Some(root_cause(&error));
                    break;
                }
            }
        }
        ended
    }

    /// Takes what a chunk makes whole. Whether that is anything.
    fn events(
        &self,
        reader: &mut EventReader,
        chunk: &[u8],
        exchange: Option<&RequestId>,
        ended: &mut Ended,
    ) -> bool {
        let mut unread = chunk;
        let mut is_whole = false;
        while let Some(incoming) = reader.read(&mut unread) {
            is_whole = true;
            let noise = match incoming {
                Incoming::Event(event) => {
                    if event.is_message() {
                        ended.has_spoken = true;
                        if exchange.is_some() && is_nobodys(&event.data) {
                            ended.nobodys.get_or_insert(event.data);
                        } else {
                            self.shared.hear(&event.data, exchange);
                        }
                    }
                    ended.is_older |= event.name == sse::ENDPOINT;
                    continue;
                }
                Incoming::NotUtf8 { .. } => Noise::NotUtf8,
                Incoming::TooLong { bytes, .. } => Noise::TooLong { bytes: bytes as u64 },
            };
            ended.unread = Some(noise.clone());
            self.shared.put_up_with(noise);
        }
        if let Some(id) = reader.last_event_id() {
            ended.last_id = Some(id.to_owned());
        }
        ended.retry = reader.retry().or(ended.retry);
        is_whole
    }
}

/// Whether it is an error that names no request.
fn is_nobodys(text: &str) -> bool {
    matches!(Message::decode(text), Ok(Message::Response(response)) if response.id.is_none())
}
