//! How the servers of a set stand, and what becomes of them.

use std::sync::Arc;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::RecvError;

use super::error::EntryError;
use crate::error::ClientError;
use crate::event::{Event, Status};

/// Why a server of a set has no client.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// What the file says of it cannot be used.
    #[error(transparent)]
    Entry(EntryError),
    /// It cannot be connected to, or was given up.
    #[error("the server {name:?} has no client")]
    Connect {
        /// The server.
        name: Arc<str>,
        /// Why.
        source: Arc<ClientError>,
    },
    /// The file says that it is left out.
    #[error("the server {name:?} is disabled")]
    Disabled {
        /// The server.
        name: Arc<str>,
    },
    /// There is no such server, or none any more.
    #[error("there is no server {name:?}")]
    Unknown {
        /// What was asked for.
        name: Arc<str>,
    },
}

/// How a server of a set stands.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerStatus {
    /// It is left out.
    Disabled,
    /// It is being connected to for the first time.
    Starting,
    /// It was not connected to. [`Servers::start`](super::Servers::start) tries again.
    Failed(StartError),
    /// There is a client, which says how it stands.
    Client(Status),
}

/// Something that became of a server of a set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ServerEvent {
    /// It is being connected to, for the first time or anew.
    Starting,
    /// It was connected to for the first time: there is a client.
    Ready,
    /// It was not connected to.
    Failed(StartError),
    /// What its client tells.
    Client(Event),
    /// It does not belong to the set any more.
    Removed,
}

/// The events of all servers of a set, for one reader.
#[derive(Debug)]
pub struct ServerEvents {
    pub(super) receiver: broadcast::Receiver<(Arc<str>, ServerEvent)>,
    pub(super) missed: u64,
}

impl ServerEvents {
    /// The next event, with the name of the server; `None` when the set is gone and all were read.
    ///
    /// # Cancel safety
    /// An event is taken only when it is returned.
    pub async fn next(&mut self) -> Option<(Arc<str>, ServerEvent)> {
        loop {
            match self.receiver.recv().await {
                Ok(event) => return Some(event),
                Err(RecvError::Lagged(missed)) => self.missed += missed,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// How many events were not read in time, and are gone. [`Servers::status`](super::Servers::status) says how things
    /// stand.
    #[must_use]
    pub const fn missed(&self) -> u64 {
        self.missed
    }
}
