//! The service in process, under a clock of the test's own: what it answers, when, and what becomes of answers that
//! nobody reads.
//!
//! Every message it sends is held against the official schema of its revision.

mod accounts;
mod answers;
mod blocking;
mod client;
mod cuts;
mod doors;
mod ends;
mod facts;
mod handles;
mod modes;
mod principals;
mod restarts;
mod served;
mod sessions;
mod stage;
mod waits;
