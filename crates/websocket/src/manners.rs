//! What is accepted of the other side, and how it is kept awake.

use std::time::Duration;

use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Limits and signs of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Manners {
    pub(crate) longest: usize,
    pub(crate) ping: Duration,
    pub(crate) patience: Duration,
    pub(crate) farewell: Farewell,
}

/// What our side says when it has said all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Farewell {
    /// 1000: the conversation is over.
    Done,
    /// 1001: this server goes away, and another one may be there.
    GoingAway,
}

impl Manners {
    /// Messages of at most this many bytes; a ping after 30 s in which nothing came, and 30 s more for an answer. What is
    /// sent may be taken as slowly as the other side likes, if something of it is within the same minute.
    pub const fn new(longest: usize) -> Self {
        Self {
            longest,
            ping: Duration::from_secs(30),
            patience: Duration::from_secs(30),
            farewell: Farewell::Done,
        }
    }

    /// Sets after how long without a sign of life the other side is pinged, and how long it may take to answer.
    pub const fn ping(mut self, after: Duration, patience: Duration) -> Self {
        self.ping = after;
        self.patience = patience;
        self
    }

    /// Those of a server: it ends only when it goes away, and closes with 1001 then, not with 1000.
    pub const fn of_server(mut self) -> Self {
        self.farewell = Farewell::GoingAway;
        self
    }

    /// The same, for whoever opens the WebSocket.
    #[must_use]
    pub fn config(&self) -> WebSocketConfig {
        WebSocketConfig::default().max_message_size(Some(self.longest)).max_frame_size(Some(self.longest))
    }
}
