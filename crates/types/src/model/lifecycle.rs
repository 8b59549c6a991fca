//! How the two sides meet: the handshake of the legacy era and the discovery of the modern one.

use crate::wire::Extra;
use crate::{CacheScope, ClientCapabilities, Implementation, Meta, ResultType, Revision, ServerCapabilities};

wire! {
    /// The parameters of `initialize`.
    ///
    /// Source: `basic/lifecycle#initialization`, 2025-11-25.
    pub struct InitializeRequestParams until V2025_11_25 {
        /// The revision that the client would like.
        protocol_version: String = "protocolVersion";
        /// What the client can do.
        capabilities: ClientCapabilities = "capabilities";
        /// Who the client says it is.
        client_info: Implementation = "clientInfo";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl InitializeRequestParams {
    /// Opens a session.
    #[must_use]
    pub fn new(revision: Revision, capabilities: ClientCapabilities, client_info: Implementation) -> Self {
        Self {
            protocol_version: revision.as_str().to_owned(),
            capabilities,
            client_info,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The result of `initialize`.
    ///
    /// Source: `basic/lifecycle#initialization`, 2025-11-25.
    pub struct InitializeResult until V2025_11_25 {
        /// The revision that will be spoken.
        protocol_version: String = "protocolVersion";
        /// What the server can do.
        capabilities: ServerCapabilities = "capabilities";
        /// Who the server says it is.
        server_info: Implementation = "serverInfo";
        /// How to use the server, for the model.
        instructions: Option<String> = "instructions";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl InitializeResult {
    /// Agrees to a session.
    #[must_use]
    pub fn new(revision: Revision, capabilities: ServerCapabilities, server_info: Implementation) -> Self {
        Self {
            protocol_version: revision.as_str().to_owned(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { InitializeResult {
    /// Says how to use the server.
    with_instructions => instructions: String;
} }

wire! {
    /// The result of `server/discover`. Who the server is stands in `_meta`.
    ///
    /// Source: `server/discover`, 2026-07-28.
    pub struct DiscoverResult since V2026_07_28 {
        /// Always `complete`.
        result_type: ResultType = "resultType", or ResultType::Complete;
        /// The revisions that the server speaks statelessly.
        supported_versions: Vec<String> = "supportedVersions";
        /// What the server can do.
        capabilities: ServerCapabilities = "capabilities";
        /// How to use the server, for the model.
        instructions: Option<String> = "instructions";
        /// How long this may be kept, in milliseconds.
        ttl_ms: u64 = "ttlMs", by crate::wire::millis, or 0;
        /// Who may be given a kept copy.
        cache_scope: CacheScope = "cacheScope", or CacheScope::Private;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl DiscoverResult {
    /// What the server speaks and can do, stale at once.
    #[must_use]
    pub fn new(supported: &[Revision], capabilities: ServerCapabilities) -> Self {
        Self {
            result_type: ResultType::Complete,
            supported_versions: supported.iter().map(|revision| revision.as_str().to_owned()).collect(),
            capabilities,
            instructions: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { DiscoverResult {
    /// Says how to use the server.
    with_instructions => instructions: String;
    /// Sets what the message says about itself.
    with_meta => meta: Meta;
} }
