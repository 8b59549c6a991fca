//! Questions to the client from inside a handler, in both eras.
//!
//! **In the modern era a handler that asks is entered again from its beginning when the answer comes**:
//! everything before the question runs twice, unless it stands in [`Context::once`](crate::Context::once).
//!
//! The seam to the rest of the crate:
//!
//! * The dispatcher makes the book of every call with `Asked::enter(revision, &origin, &seal, now)`; a
//!   fault it gives is the answer, and the handler does not run. The book lives in the call's state and is
//!   reached by `Context::asked`.
//! * Whatever the era and the method, it awaits `drive(handler, ctx.asked())` instead of the handler:
//!   - `Outcome::Finished(output)` is the handler's own output. When that is a failure and the era is
//!     modern, `Asked::clients_fault` comes first: a fault it gives is the answer instead (−32021 for a
//!     capability that was missing, −32602 for an answer that did not fit).
//!   - `Outcome::InputRequired(round)`: the answer is `round.into_result(&seal, &origin, now)`, with
//!     `_meta` added. An error there is the answer too.
//!   - `Outcome::Refused(fault)` is the answer.
//! * `Seal` is made once for each server. `Origin` is the request as it came: method, parameters, principal.
//! * In the legacy era questions travel through `Context::request_from_client`.

mod answer;
mod asking;
mod book;
mod canon;
mod drive;
mod error;
mod form;
mod kept;
mod once;
mod question;
mod round;
mod sampling;
mod seal;

#[cfg(test)]
mod tests;

pub use answer::Elicited;
pub use asking::Ask;
pub(crate) use book::Asked;
pub(crate) use drive::{Outcome, drive};
pub use error::{AskError, Capability, OnceError, QuestionError};
pub(crate) use seal::{Origin, Seal};

pub use crate::schema::{Invalid, Problem};
