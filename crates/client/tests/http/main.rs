//! Conversations over HTTP with a scripted server, on a socket of this machine.

mod endings;
mod fake;
mod field_framing;
mod field_streams;
mod leaving;
mod limits;
mod modern;
mod once_more;
mod opening;
mod own_headers;
mod redirects;
mod relistening;
mod renewal;
mod restarts;
mod rules;
mod sessions;
mod sse;
mod streams;
