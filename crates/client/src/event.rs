//! What becomes of a client's connections.

use std::sync::Arc;
use std::time::Duration;

use hermes_telemetry::client::connection;
use hermes_types::Revision;
use tokio::sync::broadcast;

use crate::error::{ClientError, Closed};

/// How many events wait for whoever reads them.
pub(crate) const CAPACITY: usize = 256;

/// Something that became of a client's connection.
///
/// No call depends on anybody reading these: calls settle by themselves.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Event {
    /// The client is at its end: it was closed, or its server has gone and is not brought back.
    Ended(Arc<Closed>),
    /// The server was not brought back, as often as it was tried. The client is at its end.
    GaveUp(Arc<ClientError>),
    /// The connection is lost, with every call that was under way. What follows says whether it is brought back.
    Lost(Arc<Closed>),
    /// So many events were not read in time, and are gone.
    Missed(u64),
    /// The server's own messages do not arrive any more; calls do.
    PushStreamLost(String),
    /// The server is there again, and has been told what it has to know.
    Reopened(Revision),
    /// The next attempt to bring the server back.
    Retrying {
        /// Which attempt it will be, from 1.
        attempt: u32,
        /// How long it is put off.
        after: Duration,
        /// Why it is not there.
        reason: Arc<ClientError>,
    },
    /// The server had lost the session; a new one was begun and has been told what it has to know.
    SessionReplaced,
}

impl Event {
    /// Tells of it, without the words of a server or of the system.
    pub(crate) fn told(&self) {
        match self {
            Self::Lost(closed) => connection("lost", None, Some(closed.word())),
            Self::Retrying { attempt, reason, .. } => {
                connection("retrying", Some(*attempt), Some(reason.failure().word));
            }
            Self::Reopened(_) => connection("reopened", None, None),
            Self::SessionReplaced => connection("session_replaced", None, None),
            Self::PushStreamLost(_) => connection("push_stream_lost", None, None),
            // Their end is told where it happens; what was missed was told already.
            Self::Ended(_) | Self::GaveUp(_) | Self::Missed(_) => {}
        }
    }
}

/// The events of one client, in their order, for one reader.
#[derive(Debug)]
pub struct Events {
    pub(crate) receiver: broadcast::Receiver<Event>,
    pub(crate) is_over: bool,
}

impl Events {
    /// The next event; `None` when the client is at its end and all were read.
    ///
    /// # Cancel safety
    /// An event is taken only when it is returned.
    pub async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        match self.receiver.recv().await {
            Ok(event) => {
                self.is_over = matches!(event, Event::Ended(_) | Event::GaveUp(_));
                Some(event)
            }
            Err(broadcast::error::RecvError::Lagged(missed)) => Some(Event::Missed(missed)),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// How a client stands with its server.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Status {
    /// The client is at its end.
    Ended(Arc<Closed>),
    /// The server was not brought back, and is not tried any more; why not.
    GaveUp(Arc<ClientError>),
    /// Calls are sent at once.
    Ready,
    /// The server is being brought back, and calls wait for it.
    Reopening {
        /// Which attempt this is, from 1.
        attempt: u32,
        /// Why it is not there.
        reason: Arc<ClientError>,
    },
}
