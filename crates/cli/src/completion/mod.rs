//! What may stand at the cursor of a shell: verbs, flags, targets, and what a target offers.
//!
//! The scripts for the shells know nothing; each asks the program with the words that are typed so far. What a target
//! offers is asked for by a second process, for which nobody waits longer than [`ask::LIMIT`]; it leaves the answer in
//! a cache, where the next key finds it.

mod answer;
mod ask;
mod candidates;
mod files;
mod flags;
mod line;
mod script;

pub(crate) use ask::fill;
pub(crate) use candidates::complete;
pub(crate) use script::script;
