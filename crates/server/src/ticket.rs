//! The duty to answer a call once.

use std::sync::Arc;

use hermes_proto::channel::{CallId, refusal};
use hermes_telemetry::server::{Ending, Watch};
use hermes_telemetry::timings::Outcome;
use hermes_telemetry::{Span, transport};
use hermes_types::{Fault, FaultKind, RequestId, Revision, Wire};

use crate::link::Link;
use crate::run::Job;
use crate::settings::Settings;
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

    /// Answers with a result, which is put into the words of the revision where it is.
    pub(crate) fn answer<R: Stamp>(mut self, result: &mut R) {
        let outcome = result.outcome();
        match self.begun().and_then(|text| finished(text, self.link.settings(), self.revision, result)) {
            Ok(text) => self.settle(closed(text), None, outcome),
            Err(error) => {
                self.refuse(&Fault::internal_error(format!("the result cannot be written as JSON: {error}")));
            }
        }
    }

    /// Answers with a result that is written already, and with it the end of the response.
    pub(crate) fn answer_written(mut self, rest: Arc<[u8]>) {
        match self.begun() {
            Ok(text) => {
                self.kept = true;
                let size = text.len().saturating_add(rest.len());
                transport::encoded("response", size);
                self.end(&text, size, None, Outcome::Success);
                self.link.settle_shared(self.call, text, rest);
            }
            Err(error) => self.refuse(&Fault::internal_error(error.to_string())),
        }
    }

    /// The response up to its result.
    fn begun(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut text = Vec::with_capacity(ROOM);
        text.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        serde_json::to_writer(&mut text, &self.request_id)?;
        text.extend_from_slice(br#","result":"#);
        Ok(text)
    }

    /// Answers with a protocol error.
    pub(crate) fn refuse(mut self, fault: &Fault) {
        let text = refusal(Some(&self.request_id), self.revision, fault);
        self.settle(text, Some(fault.kind()), Outcome::Error);
    }

    /// Answers with a result or a protocol error.
    pub(crate) fn conclude<R: Stamp>(self, outcome: Result<R, Fault>) {
        match outcome {
            Ok(mut result) => self.answer(&mut result),
            Err(fault) => self.refuse(&fault),
        }
    }

    /// The call is over already: nothing is to be said.
    pub(crate) fn lapse(mut self) {
        self.kept = true;
        self.end(&[], 0, None, Outcome::Cancelled);
    }

    /// The call is answered when its stream ends, by whoever ends it.
    pub(crate) fn defer(mut self) {
        self.kept = true;
    }

    fn settle(&mut self, text: Vec<u8>, fault: Option<FaultKind>, outcome: Outcome) {
        self.kept = true;
        transport::encoded("response", text.len());
        self.end(&text, text.len(), fault, outcome);
        self.link.settle(self.call, text, fault);
    }

    fn end(&self, response: &[u8], size: usize, fault: Option<FaultKind>, outcome: Outcome) {
        let ending = Ending { outcome, fault, response, size };
        self.watch.end(&self.link.settings().timings, &self.request_id, &ending);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if !self.kept {
            let fault = Fault::internal_error("the handler ended without an answer");
            let text = refusal(Some(&self.request_id), self.revision, &fault);
            // Most often it was dropped because nobody waits any more; then the link does not take this.
            self.end(&[], 0, None, Outcome::Cancelled);
            self.link.settle(self.call, text, Some(fault.kind()));
        }
    }
}

/// How much room a response is given before its size is known, in bytes: most fit.
const ROOM: usize = 512;

/// A result as clients of this revision are sent it, and the end of its response; `None` if it cannot be written.
pub(crate) fn result<R: Stamp>(settings: &Settings, revision: Revision, mut result: R) -> Option<Vec<u8>> {
    finished(Vec::new(), settings, revision, &mut result).ok().map(closed)
}

/// A text with a result at its end. Of what the result does not say of itself, the server's name is known and written
/// already.
fn finished<R: Stamp>(
    mut text: Vec<u8>,
    settings: &Settings,
    revision: Revision,
    result: &mut R,
) -> Result<Vec<u8>, serde_json::Error> {
    let is_modern = revision.is_modern();
    let has_meta = result.meta().is_some();
    if !is_modern {
        result.downgrade(revision);
    } else if has_meta {
        result.stamp(&settings.info);
    }
    serde_json::to_writer(&mut text, &Wire(&*result, revision))?;
    if is_modern && !has_meta {
        // Every result is an object.
        text.pop();
        text.extend_from_slice(if text.ends_with(b"{") { br#""_meta":"# } else { br#","_meta":"# });
        text.extend_from_slice(settings.stamp().as_bytes());
        text.push(b'}');
    }
    Ok(text)
}

/// A response with its end.
fn closed(mut text: Vec<u8>) -> Vec<u8> {
    text.push(b'}');
    text
}
