//! JSON Schemas: made from Rust types, and checked against.
//!
//! The seam to the rest of the crate:
//!
//! * `input_schema::<T>()` and `output_schema::<T>()` make a schema once, at registration: draft 2020-12,
//!   subschemas inlined, the root of an input always `type: object`. A `T` that is no object (a string, a
//!   list) is an error of the author's, to be told at registration.
//! * `inlined(&schema)` writes references of a schema of other origin out, as far as that is possible.
//! * `Validator::new(&schema)` compiles once and never fails: a schema that cannot be compiled (an
//!   unresolved or remote `$ref`, an unknown dialect, too deep) makes a validator whose every check is
//!   refused with the reason, so that one bad tool does not spoil the others. `Validator::flaw` tells it at
//!   registration, for a warning.
//! * Schemas of everyday keywords are checked here; the others by the `engine`, the crate `jsonschema`, which is there with the
//!   feature `json-schema`. Without it they have a flaw, so that nothing is ever taken unchecked.
//! * `validator.decode::<T>(text)` checks, brings integral floats (`30.0`, `3e1`, `-0`) into the form
//!   that integer fields can read, and decodes. For handlers that take raw JSON there is
//!   `validator.check(text)`, which gives another text where it had to be changed.
//! * `read::<T>(text)` reads without a schema, and tells what does not fit likewise.
//! * [`Invalid`] says what is wrong, with the path of each problem, in words for whoever sent the value.

#[cfg(feature = "json-schema")]
mod engine;
#[cfg(not(feature = "json-schema"))]
#[path = "no_engine.rs"]
mod engine;
mod everyday;
mod generate;
mod inline;
mod integers;
mod invalid;
mod kinds;
mod marks;
mod plain;
mod read;
mod subschemas;
pub(crate) mod tokens;
mod validator;

#[cfg(test)]
mod tests;

pub(crate) use engine::IS_COMPLETE;
pub(crate) use generate::{clean, input_schema, output_schema};
pub(crate) use inline::inlined;
pub use invalid::{Invalid, Problem};
pub(crate) use marks::unmarked;
pub(crate) use read::read;
pub(crate) use validator::Validator;
