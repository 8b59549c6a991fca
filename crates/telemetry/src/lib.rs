//! What Hermes tells of itself: spans, events and measurements, by which names, and how they leave the process.
//!
//! Servers, clients and transports call the functions of this crate; the names stand in one table, [`names::ALL`], which
//! `docs/telemetry.md` shows. Without a subscriber of `tracing` an event costs one comparison. Nothing here ever shows what
//! is in a message, unless [`contents::show`] says so.
//!
//! With the feature `otel`, `otel::Exporting` exports traces and metrics over OTLP.

pub mod carried;
pub mod client;
pub mod contents;
pub mod export;
pub mod histogram;
pub mod names;
pub mod operation;
#[cfg(feature = "otel")]
pub mod otel;
pub mod server;
mod tell;
pub mod timings;
pub mod transport;

#[doc(no_inline)]
pub use tracing::{Instrument, Span};
