//! One operation, from its parameters to its decoded result.
//!
//! ```text
//!   Operation --- run ---> the cache, where the result may be kept
//!                            |
//!                            v
//!                          ask ------------------> rounds ----- an exchange -----> the server
//!                            ^                       |  ^
//!                            | lost, and harmless:   |  | asked back: the host's answers, a new id
//!                            +-- once more, new id --+  +-----------------------------------------
//! ```

mod ask;
mod operation;
mod rounds;

pub(crate) use operation::Done;
pub use operation::Operation;
pub(crate) use rounds::traced;
