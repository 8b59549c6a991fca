//! One connection to a server whose revision is agreed.

use std::sync::Arc;

use hermes_telemetry::Instrument as _;
use hermes_telemetry::carried::Carried;
use hermes_telemetry::client;
use hermes_types::{JsonObject, Meta, RawJson, RequestId};

use crate::connection::{Connection, Shared};
use crate::error::Refusal;
use crate::open::{Config, Peer};

/// A connection, and what is known of the server at its other end.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) connection: Connection,
    pub(crate) peer: Peer,
    pub(crate) config: Arc<Config>,
}

impl Line {
    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.connection.shared
    }

    /// Has the host answer a question of the server, which came within an operation.
    pub(crate) async fn answer(&self, method: &str, params: Option<RawJson>) -> Result<RawJson, Refusal> {
        let revision = self.peer.revision;
        let span = client::answer(method, None, revision, Carried::default);
        self.shared().handlers.answer(method, params, revision).instrument(span).await
    }

    /// The `_meta` of a request: what the era requires, and what the host adds.
    pub(crate) fn meta(&self, added: &JsonObject, progress: Option<&RequestId>) -> Meta {
        /// The members that are never the host's to choose.
        const RESERVED: [&str; 5] = [
            "progressToken",
            "io.modelcontextprotocol/protocolVersion",
            "io.modelcontextprotocol/clientCapabilities",
            "io.modelcontextprotocol/clientInfo",
            "io.modelcontextprotocol/logLevel",
        ];
        let mut meta = Meta { progress_token: progress.cloned(), ..Meta::default() };
        meta.extra = added.clone();
        for name in RESERVED {
            meta.extra.remove(name);
        }
        if self.peer.revision.is_modern() {
            meta.protocol_version = Some(self.peer.revision.as_str().to_owned());
            meta.client_capabilities = Some(Box::new(self.config.handlers.capabilities()));
            meta.client_info = Some(Box::new(self.config.name.clone()));
            meta.log_level = self.shared().lasting.log_level();
        }
        meta
    }
}
