//! Conversations with a scripted server over an in-memory stream, with the clock paused.

mod callbacks;
mod caching;
mod calls;
mod framing;
mod listening;
mod lists;
mod opening;
mod output;
mod peer;
mod rounds;
mod supervision;
