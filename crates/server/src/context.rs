//! What a handler knows about the call it serves, and how it speaks to the client meanwhile.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes_types::{ProgressToken, RawJson, RequestId, Revision};

use crate::ask::{AskError, Asked};
use crate::link::Port;

/// The call that a handler serves: who asks, under which revision, and a way to speak to them.
///
/// A cheap clone; it may be handed to spawned tasks. Once the call has its outcome, or was cancelled, what
/// is sent through it goes nowhere.
#[derive(Clone)]
pub struct Context(Arc<CallState>);

/// Everything about one running call.
pub(crate) struct CallState {
    pub(crate) request_id: RequestId,
    pub(crate) revision: Revision,
    /// `params._meta` as it came.
    pub(crate) meta: Option<RawJson>,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The client's capabilities: of the session in the legacy era, of this request in the modern one.
    pub(crate) client_capabilities: RawJson,
    /// What this call has asked and been answered; the `ask` module owns it.
    pub(crate) asked: Asked,
    /// The way out: notifications and, in the legacy era, requests to the client.
    pub(crate) port: Port,
}

impl Context {
    pub(crate) fn new(state: CallState) -> Self {
        Self(Arc::new(state))
    }

    /// The revision this call is served under.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The id of the request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.0.request_id
    }

    /// The request's `_meta` object as it came, trace context included.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.0.meta.as_ref()
    }

    /// Whether the client wants to hear of progress.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.0.progress_token.is_some()
    }

    /// The client's capabilities.
    pub(crate) fn client_capabilities(&self) -> &RawJson {
        &self.0.client_capabilities
    }

    /// What this call has asked so far.
    pub(crate) fn asked(&self) -> &Asked {
        &self.0.asked
    }

    /// Sends a request to the client and waits for its answer (legacy era only).
    ///
    /// The caller has checked the capability. The request belongs to this call: when the call ends first,
    /// the client is told that it is cancelled.
    ///
    /// # Errors
    /// The client refused, went away, or did not answer in time.
    pub(crate) async fn request_from_client(
        &self,
        method: &'static str,
        params: RawJson,
        patience: Option<Duration>,
    ) -> Result<RawJson, AskError> {
        self.0.port.request(method, params, patience).await
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.0.request_id)
            .field("revision", &self.0.revision)
            .finish_non_exhaustive()
    }
}
