//! Who the client of a session is and what it was told, as a record.

use std::sync::Arc;

use hermes_proto::opening::Handshake;
use hermes_types::{ClientCapabilities, Encode, Implementation, Revision, ServerCapabilities, Wire};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::session::Session;

/// What does not change from the handshake on.
#[derive(Serialize, Deserialize)]
struct Client {
    revision: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    principal: Option<String>,
    capabilities: Box<RawValue>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    info: Option<Box<RawValue>>,
    /// What the server said it can do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    declared: Option<Box<RawValue>>,
}

/// What was read of a client.
pub(super) struct Known {
    pub(super) principal: Option<Arc<str>>,
    pub(super) handshake: Handshake,
    pub(super) declared: Option<ServerCapabilities>,
}

/// The record; `None` if something of it is no JSON.
pub(super) fn client(facts: &Session, principal: Option<&str>) -> Option<Vec<u8>> {
    fn raw<T: Encode>(value: &T, revision: Revision) -> serde_json::Result<Box<RawValue>> {
        serde_json::value::to_raw_value(&Wire(value, revision))
    }
    let revision = facts.handle.revision();
    let written = || {
        serde_json::to_vec(&Client {
            revision: revision.as_str().to_owned(),
            principal: principal.map(str::to_owned),
            capabilities: raw(facts.handle.client_capabilities(), revision)?,
            info: facts.handle.client_info().map(|info| raw(info, revision)).transpose()?,
            declared: facts.declared().map(|declared| raw(declared, revision)).transpose()?,
        })
    };
    written().inspect_err(|error| tracing::error!(%error, "a client cannot be written as JSON")).ok()
}

/// Reads the record.
///
/// # Errors
/// It is none.
pub(super) fn read(record: &[u8]) -> serde_json::Result<Known> {
    let client: Client = serde_json::from_slice(record)?;
    let decode = |raw: &RawValue| serde_json::from_str::<Implementation>(raw.get());
    Ok(Known {
        handshake: Handshake {
            revision: client.revision.parse().map_err(serde::de::Error::custom)?,
            client_capabilities: serde_json::from_str::<ClientCapabilities>(client.capabilities.get())?,
            client_info: client.info.as_deref().map(decode).transpose()?,
            meta: None,
        },
        declared: client.declared.as_deref().map(|raw| serde_json::from_str(raw.get())).transpose()?,
        principal: client.principal.map(Arc::from),
    })
}
