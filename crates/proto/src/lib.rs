//! placeholder

pub mod correlate;
pub mod negotiate;
pub mod outbox;
