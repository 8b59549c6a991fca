//! Conversations with a server, line by line, over a pair of byte streams and a clock that stands still.

mod bad_input;
mod blocking;
mod calls;
mod client;
mod crossing;
mod directories;
mod extract;
mod kinds;
mod layers;
mod lifecycle;
mod lists;
mod questions;
mod sessions;
mod shutdown;
mod subscriptions;
