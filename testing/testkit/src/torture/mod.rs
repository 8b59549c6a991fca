//! Many calls at once while connections are cut at random: nothing may be lost, doubled or crossed.
//!
//! A [`Plan`] says what is called and what is cut; a seed makes it, so a seed repeats it. [`torture`] carries plans
//! out against a server over HTTP, round by round, and counts. The server needs the tools `sleep`, `progress`,
//! `echo`, `big`, `touch`, `toggle` and `counters` and the resource `demo://counter` of the demo server.
//!
//! | era | what a cut means | what has to hold |
//! |---|---|---|
//! | legacy | nothing to the call; the client resumes by `Last-Event-ID` | each call runs once; its events and its answer arrive once, on its own stream |
//! | modern | the call is cancelled | each call runs once and ends as done or as cancelled; who was not cut is answered once |
//!
//! A client that was cut before it saw an event id has nothing to resume by. Such calls are counted as blind: they
//! run once like all others.

mod call;
mod figures;
mod listener;
mod plan;
mod round;

pub use call::{Ended, follow};
pub use figures::{Count, Figures};
pub use plan::{CallPlan, Cut, Kill, Plan, Work};
pub use round::{Torture, torture};
