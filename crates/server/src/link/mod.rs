//! The ways to a client, as a call sees them, and the one that is a byte stream. Those over HTTP are in `endpoint`.

mod carrying;
mod stream;
mod way;

use carrying::carrying;
pub(crate) use stream::{StreamLink, Taken, too_many};
pub(crate) use way::{Answer, Link, request};
