//! The `data` of the errors that have any.

use crate::wire::Extra;
use crate::{ClientCapabilities, ElicitRequestUrlParams};

wire! {
    /// The data of error −32022: which revision was asked for and which are served.
    ///
    /// Source: `schema#unsupportedprotocolversionerror`, 2026-07-28.
    pub struct UnsupportedProtocolVersionData since V2026_07_28 {
        /// The revision that was asked for.
        requested: String = "requested";
        /// The revisions that are served.
        supported: Vec<String> = "supported";
    }
}

wire! {
    /// The data of error −32021: the capabilities that the request needs.
    ///
    /// Source: `schema#missingrequiredclientcapabilityerror`, 2026-07-28.
    pub struct MissingRequiredClientCapabilityData since V2026_07_28 {
        /// Just these; an object of capabilities, not a list of names.
        required_capabilities: ClientCapabilities = "requiredCapabilities";
    }
}

impl MissingRequiredClientCapabilityData {
    /// The request needs these.
    #[must_use]
    pub const fn new(required_capabilities: ClientCapabilities) -> Self {
        Self { required_capabilities, extra: Extra::new() }
    }
}

wire! {
    /// The data of error −32042: the pages that the user has to open first.
    ///
    /// Source: `client/elicitation#url-elicitation-required-error`, 2025-11-25.
    pub struct UrlElicitationRequiredData since V2025_11_25 until V2025_11_25 {
        /// The pages.
        elicitations: Vec<ElicitRequestUrlParams> = "elicitations";
    }
}

impl UrlElicitationRequiredData {
    /// The user has to open these first.
    #[must_use]
    pub const fn new(elicitations: Vec<ElicitRequestUrlParams>) -> Self {
        Self { elicitations, extra: Extra::new() }
    }
}

wire! {
    /// The data of the error about a resource that is not there.
    ///
    /// Source: `server/resources#error-handling`, 2026-07-28.
    pub struct ResourceNotFoundData {
        /// The URI that was asked for.
        uri: String = "uri";
    }
}
