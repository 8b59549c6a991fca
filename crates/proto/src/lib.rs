//! placeholder

pub mod outbox;
