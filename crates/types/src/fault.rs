//! A protocol error in words: what it is, one sentence about it, and perhaps data.

use std::borrow::Cow;
use std::fmt;

use crate::wire::{Encode, Extra};
use crate::{
    ClientCapabilities, ElicitRequestUrlParams, ErrorObject, FaultKind, MissingRequiredClientCapabilityData,
    RawJson, ResourceNotFoundData, Revision, UnsupportedProtocolVersionData, UrlElicitationRequiredData,
    Wire,
};

/// A semantic protocol error: what it is, one sentence about it, and perhaps data.
///
/// A fault has no id of its own. Whoever answers with it adds the id of the very request it answers, or
/// none when that could not be read.
///
/// ```
/// use hermes_types::{Fault, Revision};
///
/// let fault = Fault::resource_not_found("demo://nothing");
/// assert_eq!(fault.to_error(Revision::V2025_11_25).code, -32002);
/// assert_eq!(fault.to_error(Revision::V2026_07_28).code, -32602);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    message: Cow<'static, str>,
    data: Option<RawJson>,
}

impl Fault {
    /// A fault of this kind with one sentence for its reader.
    #[must_use]
    pub fn new(kind: FaultKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into(), data: None }
    }

    /// Adds the `data` member. Values that are no JSON leave it out.
    #[must_use]
    pub fn with_data<T: serde::Serialize + ?Sized>(mut self, data: &T) -> Self {
        self.data = RawJson::encode(data).ok();
        self
    }

    /// Adds data as the revision spells it that the fault belongs to.
    fn with_wire_data<T: Encode>(self, data: &T, revision: Revision) -> Self {
        self.with_data(&Wire(data, revision))
    }

    /// Not JSON.
    #[must_use]
    pub fn parse_error(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::ParseError, detail)
    }

    /// JSON, but no request.
    #[must_use]
    pub fn invalid_request(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InvalidRequest, detail)
    }

    /// No such method.
    #[must_use]
    pub fn method_not_found(method: &str) -> Self {
        Self::new(FaultKind::MethodNotFound, format!("method not found: {method}"))
    }

    /// The parameters do not fit the method.
    #[must_use]
    pub fn invalid_params(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InvalidParams, detail)
    }

    /// The receiver failed.
    #[must_use]
    pub fn internal_error(detail: impl Into<Cow<'static, str>>) -> Self {
        Self::new(FaultKind::InternalError, detail)
    }

    /// No such resource; the data names it.
    #[must_use]
    pub fn resource_not_found(uri: &str) -> Self {
        let data = ResourceNotFoundData { uri: uri.to_owned(), extra: Extra::new() };
        Self::new(FaultKind::ResourceNotFound, format!("resource not found: {uri}"))
            .with_wire_data(&data, Revision::LATEST)
    }

    /// The revision is not served; the data names those that are.
    #[must_use]
    pub fn unsupported_revision(requested: &str, supported: &[Revision]) -> Self {
        let message = format!("protocol version {requested} is not served here");
        let data = UnsupportedProtocolVersionData {
            requested: requested.to_owned(),
            supported: supported.iter().map(|revision| revision.as_str().to_owned()).collect(),
            extra: Extra::new(),
        };
        Self::new(FaultKind::UnsupportedRevision, message).with_wire_data(&data, Revision::LATEST)
    }

    /// The request needs capabilities that the client did not declare; the data holds just these.
    #[must_use]
    pub fn missing_client_capability(
        detail: impl Into<Cow<'static, str>>,
        required: ClientCapabilities,
    ) -> Self {
        let data = MissingRequiredClientCapabilityData::new(required);
        Self::new(FaultKind::MissingClientCapability, detail).with_wire_data(&data, Revision::LATEST)
    }

    /// The user has to open these pages first (2025-11-25); the data lists them.
    #[must_use]
    pub fn url_elicitation_required(
        detail: impl Into<Cow<'static, str>>,
        elicitations: Vec<ElicitRequestUrlParams>,
    ) -> Self {
        let data = UrlElicitationRequiredData::new(elicitations);
        Self::new(FaultKind::UrlElicitationRequired, detail).with_wire_data(&data, Revision::LATEST_LEGACY)
    }

    /// What kind of fault it is.
    #[must_use]
    pub const fn kind(&self) -> FaultKind {
        self.kind
    }

    /// The sentence for its reader.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The `data` member.
    #[must_use]
    pub const fn data(&self) -> Option<&RawJson> {
        self.data.as_ref()
    }

    /// The `error` member of a response under a revision. Its message is one line of at most 500 characters, whatever
    /// the fault repeats of what a peer sent: line ends become blanks, and what is longer ends with `…`.
    ///
    /// Source: `schema#error`, all revisions.
    #[must_use]
    pub fn to_error(&self, revision: Revision) -> ErrorObject {
        ErrorObject { code: self.kind.code(revision), message: brief(&self.message), data: self.data.clone() }
    }
}

/// The longest message of an error, in characters.
const LONGEST_MESSAGE: usize = 500;

/// One line, cut where it is too long.
fn brief(message: &str) -> String {
    let mut line: String = message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if let Some((end, _)) = line.char_indices().nth(LONGEST_MESSAGE - 1)
        && line.chars().nth(LONGEST_MESSAGE).is_some()
    {
        line.truncate(end);
        line.push('…');
    }
    line
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl From<&crate::MalformedReason> for Fault {
    fn from(reason: &crate::MalformedReason) -> Self {
        match reason {
            crate::MalformedReason::Syntax(_) => Self::parse_error(reason.to_string()),
            crate::MalformedReason::Params => Self::invalid_params(reason.to_string()),
            crate::MalformedReason::Batch
            | crate::MalformedReason::Id(_)
            | crate::MalformedReason::JsonRpc
            | crate::MalformedReason::Method
            | crate::MalformedReason::NoMessage
            | crate::MalformedReason::Response
            | crate::MalformedReason::Twice(_) => Self::invalid_request(reason.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R085
    #[test]
    fn an_unsupported_revision_names_both_sides() {
        let fault = Fault::unsupported_revision("2030-01-01", &Revision::MODERN);
        let data = fault.data().expect("data").get();
        assert_eq!(data, r#"{"requested":"2030-01-01","supported":["2026-07-28"]}"#);
    }

    // spec: R041
    #[test]
    fn a_missing_capability_is_named_as_an_object() {
        let required = ClientCapabilities {
            elicitation: Some(crate::ElicitationCapability {
                url: Some(crate::JsonObject::new()),
                ..Default::default()
            }),
            ..ClientCapabilities::default()
        };
        let fault = Fault::missing_client_capability("the user has to open a page", required);
        let error = fault.to_error(Revision::V2026_07_28);
        assert_eq!(error.code, -32021);
        assert_eq!(
            error.data.as_ref().map(RawJson::get),
            Some(r#"{"requiredCapabilities":{"elicitation":{"url":{}}}}"#)
        );
    }

    // spec: R389
    #[test]
    fn pages_to_open_first_are_listed_with_their_ids() {
        let page = ElicitRequestUrlParams::new("sign in", "https://a.example/", "e1");
        let error =
            Fault::url_elicitation_required("sign in first", vec![page]).to_error(Revision::V2025_11_25);
        assert_eq!(error.code, -32042);
        assert_eq!(
            error.data.as_ref().map(RawJson::get),
            Some(
                r#"{"elicitations":[{"mode":"url","message":"sign in","url":"https://a.example/","elicitationId":"e1"}]}"#
            )
        );
    }

    // spec: R300
    #[test]
    fn a_missing_resource_is_named_in_the_data() {
        let fault = Fault::resource_not_found("a://b");
        assert_eq!(fault.data().map(RawJson::get), Some(r#"{"uri":"a://b"}"#));
    }

    // spec: R011
    #[test]
    fn the_message_of_an_error_is_one_line_of_bounded_length() {
        let message = |detail: String| Fault::invalid_params(detail).to_error(Revision::LATEST).message;
        assert_eq!(message("two\r\nlines\u{7f}".to_owned()), "two  lines ");
        assert_eq!(message("é".repeat(500)), "é".repeat(500));
        assert_eq!(message("é".repeat(501)), format!("{}…", "é".repeat(499)));
        let error = Fault::method_not_found(&"x".repeat(100_000)).to_error(Revision::LATEST);
        assert_eq!(error.message.chars().count(), 500);
    }
}
