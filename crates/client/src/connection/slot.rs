//! Where the answer to one request is left for whoever waits for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hermes_telemetry::client::Failure;
use hermes_types::{ErrorObject, RawJson};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::error::{ClientError, Closed, Violation};
use crate::mishap::Mishap;
use crate::notice::{Inbox, Progress};

/// How much progress waits for a caller that does not look; the oldest is dropped beyond.
const CAPACITY: usize = 256;

/// What became of a request.
#[derive(Debug)]
pub(crate) enum Answer {
    Result(RawJson),
    Error(ErrorObject),
    /// An answer came that is none.
    Broken(Violation),
    /// The connection ended first.
    Lost(Arc<Closed>),
    /// The exchange ended without an answer.
    Failed(Mishap),
}

impl Answer {
    /// How the request failed, for traces; `None` if it did not.
    pub(crate) fn failure(&self) -> Option<Failure<'static>> {
        let word = |word| Some(Failure { word, code: None });
        match self {
            Self::Result(_) => None,
            Self::Error(error) => Some(Failure { word: "rpc", code: Some(error.code) }),
            Self::Broken(_) => word("protocol"),
            Self::Lost(closed) => word(closed.word()),
            Self::Failed(mishap) => word(mishap.word()),
        }
    }

    /// What it means for whoever has asked.
    pub(crate) fn into_result(self, method: &str) -> Result<RawJson, ClientError> {
        let method = || method.to_owned();
        match self {
            Self::Result(result) => Ok(result),
            Self::Error(error) => Err(ClientError::Rpc { method: method(), error }),
            Self::Broken(violation) => Err(ClientError::Protocol { method: method(), violation }),
            Self::Lost(closed) => Err(ClientError::Closed(closed)),
            Self::Failed(mishap) => Err(mishap.into_error(method())),
        }
    }
}

/// What a caller hears of its request.
#[derive(Debug)]
pub(crate) enum Heard {
    Progress(Progress),
    Answer(Answer),
}

#[derive(Debug, Default)]
pub(crate) struct Slot {
    state: Mutex<State>,
    wake: Notify,
    /// The notifications of a listen stream.
    pub(super) inbox: Option<Arc<Inbox>>,
}

#[derive(Debug, Default)]
struct State {
    progress: VecDeque<Progress>,
    answer: Option<Answer>,
    /// The status of HTTP under which an error comes.
    status: Option<u16>,
    /// When whoever waits gives up, as far as that is known.
    until: Option<Instant>,
}

impl Slot {
    pub(super) fn listening(inbox: Arc<Inbox>) -> Self {
        Self { inbox: Some(inbox), ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes when whoever waits gives up.
    pub(super) fn waits_until(&self, until: Instant) {
        self.lock().until = Some(until);
    }

    pub(super) fn until(&self) -> Option<Instant> {
        self.lock().until
    }

    pub(super) fn progress(&self, progress: Progress) {
        let mut state = self.lock();
        if state.progress.len() >= CAPACITY {
            state.progress.pop_front();
        }
        state.progress.push_back(progress);
        drop(state);
        self.wake.notify_one();
    }

    /// The answer comes under this status of HTTP, which is no success.
    pub(super) fn under(&self, status: u16) {
        self.lock().status = Some(status);
    }

    /// The status of HTTP under which the answer has come, if it is no success.
    pub(super) fn status(&self) -> Option<u16> {
        self.lock().status
    }

    /// The request is settled; the correlation sees to it that this happens once.
    pub(super) fn settle(&self, answer: Answer) {
        if let Some(inbox) = &self.inbox {
            inbox.close();
        }
        self.lock().answer = Some(answer);
        self.wake.notify_one();
    }

    /// The next thing there is to hear: all progress first, then the answer.
    ///
    /// # Cancel safety
    /// What is heard is taken only when it is returned.
    pub(super) async fn heard(&self) -> Heard {
        loop {
            {
                let mut state = self.lock();
                if let Some(progress) = state.progress.pop_front() {
                    return Heard::Progress(progress);
                }
                if let Some(answer) = state.answer.take() {
                    return Heard::Answer(answer);
                }
            }
            self.wake.notified().await;
        }
    }
}
