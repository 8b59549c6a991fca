//! What a server is and how it behaves, apart from what it offers.

use std::num::NonZeroUsize;
use std::time::Duration;

use hermes_proto::limits::Limits;
use hermes_types::{CacheScope, Implementation};

/// The settings of a server.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) info: Implementation,
    pub(crate) instructions: Option<String>,
    /// Whether log messages of handlers go to clients.
    pub(crate) logging: bool,
    /// How many entries a page of a list has; all of them without.
    pub(crate) page_size: Option<NonZeroUsize>,
    /// How long clients may keep lists and resources, and who may be given a kept copy (modern era).
    pub(crate) cache: (Duration, CacheScope),
    pub(crate) limits: Limits,
    /// How many calls may be in flight on one connection.
    pub(crate) in_flight: usize,
    /// How long one call may take.
    pub(crate) deadline: Duration,
    /// How long handlers may go on when the client has closed the connection.
    pub(crate) shutdown_grace: Duration,
    /// How many progress and log messages wait for a client that does not read.
    pub(crate) notes: usize,
    /// With more bytes than this waiting to be written, nothing more is read.
    pub(crate) unwritten: usize,
}

impl Settings {
    pub(crate) const fn new(info: Implementation) -> Self {
        Self {
            info,
            instructions: None,
            logging: true,
            page_size: None,
            cache: (Duration::ZERO, CacheScope::Private),
            limits: Limits::SERVER,
            in_flight: 1024,
            deadline: Duration::from_secs(60 * 60),
            shutdown_grace: Duration::from_secs(5),
            notes: 1024,
            unwritten: 64 * 1024 * 1024,
        }
    }
}
