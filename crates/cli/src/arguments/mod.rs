//! Arguments on the command line: their grammar, the types that a schema gives them, and the checks before sending.

mod check;
mod coerce;
mod object;
mod readable;
mod source;
mod word;

pub(crate) use check::{Shape, problems, summary};
pub(crate) use coerce::coerce;
pub(crate) use object::{Object, plain};
pub(crate) use source::Sources;
pub(crate) use word::{Given, Word};
