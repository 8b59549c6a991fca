//! An explorer: every interleaving of a small world, breadth first, so that the first failing trace is a shortest one.
//!
//! A world is one session: a server behind a [`Policy`](policy::Policy), connections that lose what is in flight
//! when they die, and a client of one of three kinds. The policy under test is [`Real`](real::Real), the crate's own
//! outbox. The others are negative controls: they do what other implementations do, and the same search
//! has to find what they are known to get wrong.

pub mod policy;
pub mod real;
pub mod registered;
pub mod search;
pub mod shadowed;
pub mod table;
pub mod world;
