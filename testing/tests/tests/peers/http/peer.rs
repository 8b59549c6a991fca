//! What is to be expected of a server on somebody else's SDK.

use std::path::PathBuf;

use hermes::EraChoice;
use hermes::types::Revision;

use super::conversation::Conversation;
use super::server::Server;
use crate::grid::{Cell, Role};
use crate::process::Result;

/// One server in one way of speaking to it. All offer the same, as far as their SDK can.
#[derive(Clone, Copy)]
pub(super) struct Peer {
    /// How the grid calls it.
    pub(super) name: &'static str,
    /// The command that starts it; the port is added.
    pub(super) command: fn() -> Vec<PathBuf>,
    pub(super) era: EraChoice,
    /// The revision that is agreed on.
    pub(super) revision: Revision,
    pub(super) sessions: Sessions,
    /// Whether the rest of an answer can be asked for when the answer breaks.
    pub(super) resumes: bool,
    /// Whether a tool can ask the user.
    pub(super) asks: bool,
    /// Whether progress arrives.
    pub(super) streams: bool,
    /// Whether a tool hears that it is cancelled.
    pub(super) hears_cancellation: bool,
    pub(super) watch: Watch,
}

/// What of a server can be listened to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Watch {
    /// Its counter; the tool `touch` changes it.
    Counter,
    /// Its list of tools; the tool `announce` tells of a change.
    Tools,
    /// Nothing, and the client is told so.
    Nothing,
    /// Nothing, although it says that its list of tools can be.
    Silent,
}

/// Whether a server has sessions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sessions {
    /// It has none.
    None,
    /// It has, and only it knows how many.
    Uncounted,
    /// It has, and its tool `sessions` counts them.
    Counted,
}

impl Peer {
    /// Starts the server.
    pub(super) async fn start(&self) -> Result<Server> {
        Server::start(&format!("http-{}", self.name.replace([' ', ','], "-")), (self.command)()).await
    }

    /// Holds the whole conversation, lets the server stand still, kills it in the middle of everything, and takes leave of
    /// the one after it.
    pub(super) async fn meet(self) -> Result {
        let mut server = self.start().await?;
        let conversation = Conversation::open(self, &server).await?;
        conversation.hold().await?;
        conversation.outlast(&server).await?;
        conversation.survive(&mut server).await?;
        conversation.close(&server).await
    }

    pub(super) fn cell(&self, what: &str) -> Cell {
        Cell::begin(Role::Server, self.name, what)
    }
}
