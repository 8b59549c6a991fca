//! Conversations with a scripted server over an in-memory stream, with the clock paused.

mod caching;
mod callbacks;
mod calls;
mod framing;
mod listening;
mod lists;
mod once_more;
mod opening;
mod output;
mod peer;
mod relistening;
mod rounds;
mod rules;
mod supervision;
