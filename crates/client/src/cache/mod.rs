//! Results that the server says may be kept, so that they are not asked for twice.
//!
//! ```text
//!   a request --- find ---> fresh -------------------------------> the kept result
//!                   |
//!                   +--> somebody asks the same ------> wait ----> that result, if it may be kept
//!                   |                                    |  |
//!                   |        it was dropped: from the start +--> it may not, or there is none: ask too
//!                   |                                                         |
//!                   +--> nobody does ----------------------------------------+--> a Trip --> the server
//! ```
//!
//! Only the modern era has such results. One client is one principal: a `private` result is never shown to a request
//! with headers of its own. What a change overtakes on its way is for those who were waiting, and is not kept.
//!
//! Source: `server/utilities/caching`, 2026-07-28.

mod caching;
mod key;
mod store;
mod trip;

pub use caching::Caching;
pub(crate) use key::{Change, Key};
pub(crate) use store::Asker;
pub(crate) use trip::{Cache, Turn, Wish};
