//! Handlers that ask and arguments that are checked, as a client sees them on the wire.

mod arguments;
mod both_eras;
mod peer;
mod rounds;
