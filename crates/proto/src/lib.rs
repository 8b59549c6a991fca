//! placeholder

pub mod channel;
pub mod correlate;
pub mod framing;
pub mod limits;
pub mod negotiate;
pub mod opening;
pub mod outbox;
