//! One connection as its handlers see it: a place to put messages, and waiters for answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_types::{ErrorObject, OutgoingRequest, RawJson, RequestId};
use tokio::sync::oneshot;

use crate::ask::AskError;

type Answer = Result<RawJson, ErrorObject>;

#[derive(Default)]
struct State {
    next: i64,
    waiting: BTreeMap<RequestId, oneshot::Sender<Answer>>,
    queue: Vec<Vec<u8>>,
}

/// A call's way out to the client.
#[derive(Clone, Default)]
pub(crate) struct Port(Arc<Mutex<State>>);

impl Port {
    /// Sends a request and waits for its answer.
    pub(crate) async fn request(
        &self,
        method: &'static str,
        params: RawJson,
        patience: Option<Duration>,
    ) -> Result<RawJson, AskError> {
        let (sender, answer) = oneshot::channel();
        {
            let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            state.next += 1;
            let id = RequestId::from(state.next);
            let message = OutgoingRequest { id: &id, method, params: Some(&params) };
            let Ok(line) = serde_json::to_vec(&message) else { return Err(AskError::Closed) };
            state.queue.push(line);
            state.waiting.insert(id, sender);
        }
        let answer = match patience {
            Some(patience) => tokio::time::timeout(patience, answer).await.map_err(|_| AskError::Timeout)?,
            None => answer.await,
        };
        match answer {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(AskError::Refused(error)),
            Err(_) => Err(AskError::Closed),
        }
    }
}
