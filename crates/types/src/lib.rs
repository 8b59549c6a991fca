//! What is on the wire: the messages of the Model Context Protocol in all its revisions.
//!
//! This crate knows types and their JSON, nothing else: no socket, no clock, no runtime and no decision
//! about what happens when (that is `hermes_proto`). Start with [`Message`] for the envelope,
//! [`Revision`] for what is spoken, and [`Fault`] for what goes wrong.
//!
//! Types whose JSON depends on the revision are encoded through [`Wire`].
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::wildcard_enum_match_arm
    )
)]
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

#[macro_use]
mod wire;

pub mod downgrade;
mod expand;
mod fault;
mod fault_kind;
mod id;
mod json_words;
mod method;
mod model;
mod part;
mod raw;
mod revision;
mod rpc;
mod schema_weight;
pub mod tables;
mod walk;

pub use downgrade::{Loss, LossKind};
pub use expand::BadExpansion;
pub use fault::Fault;
pub use fault_kind::{FaultKind, code};
pub use id::{BadId, MAX_ID_BYTES, ProgressToken, RequestId};
pub use json_words::json_words;
pub use method::{Method, Sender};
pub use model::*;
pub use part::JsonPart;
pub use raw::RawJson;
pub use revision::{Era, Revision, UnknownRevision};
pub use rpc::{
    ErrorObject, Malformed, MalformedReason, Message, Notification, OutgoingNotification, OutgoingRequest,
    OutgoingResponse, Request, Response, split_batch, text_of,
};
pub use schema_weight::{TooHeavy, schema_weight};
pub use walk::Walk;
pub use wire::{Encode, Extra, Member, Ordered, Table, Wire};
