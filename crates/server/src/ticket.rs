//! The duty to answer a call once.

use std::sync::Arc;

use hermes_proto::channel::{CallId, refusal};
use hermes_types::{Fault, FaultKind, OutgoingResponse, RequestId, Revision, Wire};

use crate::link::Link;
use crate::stamp::Stamp;

/// The duty to answer a call: whoever holds it answers, and dropping it unanswered answers with an error.
pub(crate) struct Ticket {
    link: Arc<dyn Link>,
    call: CallId,
    request_id: RequestId,
    revision: Revision,
    kept: bool,
}

impl Ticket {
    pub(crate) fn new(link: Arc<dyn Link>, call: CallId, request_id: RequestId, revision: Revision) -> Self {
        Self { link, call, request_id, revision, kept: false }
    }

    /// Answers with a result.
    pub(crate) fn answer<R: Stamp>(mut self, mut result: R) {
        if self.revision.is_modern() {
            result.stamp(&self.link.settings().info);
        } else {
            result = result.downgraded(self.revision);
        }
        let response =
            OutgoingResponse { id: Some(&self.request_id), outcome: Ok(Wire(&result, self.revision)) };
        match serde_json::to_vec(&response) {
            Ok(text) => self.settle(text, None),
            Err(error) => {
                self.refuse(&Fault::internal_error(format!("the result cannot be written as JSON: {error}")));
            }
        }
    }

    /// Answers with a protocol error.
    pub(crate) fn refuse(mut self, fault: &Fault) {
        let text = refusal(Some(&self.request_id), self.revision, fault);
        self.settle(text, Some(fault.kind()));
    }

    /// Answers with a result or a protocol error.
    pub(crate) fn conclude<R: Stamp>(self, outcome: Result<R, Fault>) {
        match outcome {
            Ok(result) => self.answer(result),
            Err(fault) => self.refuse(&fault),
        }
    }

    /// The call is over already: nothing is to be said.
    pub(crate) fn lapse(mut self) {
        self.kept = true;
    }

    fn settle(&mut self, text: Vec<u8>, fault: Option<FaultKind>) {
        self.kept = true;
        self.link.settle(self.call, text, fault);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.kept {
            let fault = Fault::internal_error("the handler ended without an answer");
            let text = refusal(Some(&self.request_id), self.revision, &fault);
            self.settle(text, Some(fault.kind()));
        }
    }
}
