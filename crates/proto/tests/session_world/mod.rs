//! One session, its client and the network between them: what may happen, what has to come of it.
//!
//! The world keeps books of its own, of plain numbers and flags: what each call, question and connection has come to.
//! Every answer of the session is held against them. `settle_down` lets nothing go wrong any more and
//! asks whether everybody gets what is due.

mod checks;
mod world;

pub use world::{Model, Step, Variant, World};
