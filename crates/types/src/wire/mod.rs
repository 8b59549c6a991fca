//! Encoding under a revision: one table per type says which members a revision has.
//!
//! A type of the model never implements `Serialize`, because its JSON depends on who reads it.
//! [`Wire`] pairs a value with a [`Revision`](crate::Revision) and does. The macro `wire!` writes the struct, its lenient
//! decoder and its encoder from one table, so a member cannot exist without saying since when:
//!
//! ```text
//! wire! {
//!     /// A tool that a client may call.
//!     pub struct Tool {
//!         /// The name to call it by.
//!         name: String = "name";
//!         /// The name to show.
//!         title: Option<String> = "title", since V2025_06_18;
//!     }
//! }
//! ```
//!
//! * `since` and `until` bound the revisions that have the member; outside, it is left out. After the
//!   type's name they bound the type.
//! * `then "name" since V…`, after `until`, is the member's later name.
//! * `or` gives the value of a member that is missing (or `null`) on receipt.
//! * `by` names a function that makes a value of whatever JSON is there, where a bad value must not spoil
//!   the message.
//! * `tagged "type" = "text"` after the name writes a constant member first.
//! * Members that the table does not name are kept in `extra` and written back at the end. A member of the
//!   table that stands twice is an error: two readers might take different ones.
//!
//! `union!` declares the types that are told apart by a word in one member, and `words!` the sets of words.

#[macro_use]
mod table;
#[macro_use]
mod union;
#[macro_use]
mod words;

mod encode;
mod number;
mod ordered;
mod peek;

pub use encode::{Encode, Extra, Wire};
pub(crate) use number::millis;
pub use ordered::Ordered;
pub(crate) use peek::{Text, members_of, word_of};
pub(crate) use table::MemberSeed;
pub use table::{Member, Table};
