//! From bytes to messages' texts and back, for both kinds of framing the protocol has.
//!
//! * One message per line ([`LineReader`]), on byte streams such as stdio.
//! * Server-sent events ([`sse`]), in HTTP responses.
//!
//! Both readers are fed with whatever the transport read, cut anywhere, and give the same answers for
//! every cut. Both bound what they hold: what is too long is skipped to its end without being kept.

mod id_scan;
mod lines;
pub mod sse;

pub use id_scan::{Head, IdScan};
pub use lines::{Line, LineReader};
