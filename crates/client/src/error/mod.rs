//! What can go wrong for a client, and whose fault it is.

mod client;
mod closed;
mod reasons;
mod refusal;
mod word;

pub use client::ClientError;
pub use closed::{CloseReason, Closed};
pub use reasons::{OutputProblem, Unsupported, Violation};
pub use refusal::{HandlerError, Refusal};

pub use crate::http_answer::{HttpAnswer, HttpProblem};
