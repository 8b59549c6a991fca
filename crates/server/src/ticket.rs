//! The duty to answer a call once.

use std::sync::Arc;

use hermes_proto::channel::{CallId, refusal};
use hermes_telemetry::server::{Ending, Watch};
use hermes_telemetry::timings::Outcome;
use hermes_telemetry::{Span, transport};
use hermes_types::{Fault, FaultKind, OutgoingResponse, RequestId, Revision, Wire};

use crate::link::Link;
use crate::run::Job;
use crate::stamp::Stamp;

/// The duty to answer a call: whoever holds it answers, and dropping it unanswered answers with an error.
pub(crate) struct Ticket {
    link: Arc<dyn Link>,
    call: CallId,
    request_id: RequestId,
    revision: Revision,
    kept: bool,
    watch: Watch,
}

impl Ticket {
    pub(crate) fn new(
        link: Arc<dyn Link>,
        call: CallId,
        request_id: RequestId,
        revision: Revision,
        watch: Watch,
    ) -> Self {
        Self { link, call, request_id, revision, kept: false, watch }
    }

    /// What the call is about was found.
    pub(crate) fn about(&mut self, job: &Job) {
        if let Some(subject) = job.subject() {
            let arguments = job.arguments().map(|arguments| arguments.get());
            self.watch.about(&self.link.settings().timings, subject, arguments);
        }
    }

    /// The span that the call is served in.
    pub(crate) const fn span(&self) -> &Span {
        self.watch.span()
    }

    /// Answers with a result.
    pub(crate) fn answer<R: Stamp>(mut self, mut result: R) {
        if self.revision.is_modern() {
            result.stamp(&self.link.settings().info);
        } else {
            result = result.downgraded(self.revision);
        }
        let outcome = result.outcome();
        let response =
            OutgoingResponse { id: Some(&self.request_id), outcome: Ok(Wire(&result, self.revision)) };
        match serde_json::to_vec(&response) {
            Ok(text) => self.settle(text, None, outcome),
            Err(error) => {
                self.refuse(&Fault::internal_error(format!("the result cannot be written as JSON: {error}")));
            }
        }
    }

    /// Answers with a protocol error.
    pub(crate) fn refuse(mut self, fault: &Fault) {
        let text = refusal(Some(&self.request_id), self.revision, fault);
        self.settle(text, Some(fault.kind()), Outcome::Error);
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
        self.end(&[], None, Outcome::Cancelled);
    }

    /// The call is answered when its stream ends, by whoever ends it.
    pub(crate) fn defer(mut self) {
        self.kept = true;
    }

    fn settle(&mut self, text: Vec<u8>, fault: Option<FaultKind>, outcome: Outcome) {
        self.kept = true;
        transport::encoded("response", text.len());
        self.end(&text, fault, outcome);
        self.link.settle(self.call, text, fault);
    }

    fn end(&self, response: &[u8], fault: Option<FaultKind>, outcome: Outcome) {
        let ending = Ending { outcome, fault, response };
        self.watch.end(&self.link.settings().timings, &self.request_id, &ending);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.kept {
            let fault = Fault::internal_error("the handler ended without an answer");
            let text = refusal(Some(&self.request_id), self.revision, &fault);
            // Most often it was dropped because nobody waits any more; then the link does not take this.
            self.end(&[], None, Outcome::Cancelled);
            self.link.settle(self.call, text, Some(fault.kind()));
        }
    }
}
