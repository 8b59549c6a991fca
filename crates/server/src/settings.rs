//! What a server is and how it behaves, apart from what it offers.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::limits::Limits;
use hermes_telemetry::timings::Timings;
use hermes_types::{CacheScope, Implementation, Meta, Revision, Wire};

use crate::ask::Seal;
use crate::flaws::Findings;
use crate::hooks::Hooks;
use crate::kept_data::KeptTypes;
use crate::layer::Next;
use crate::shared::Shared;
use crate::written::Written;

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
    pub(crate) keys: StateKeys,
    /// What handlers share.
    pub(crate) shared: Shared,
    /// What is told of sessions.
    pub(crate) hooks: Hooks,
    /// Which data of sessions are kept in a store.
    pub(crate) kept: KeptTypes,
    /// What is wrong with what is offered.
    pub(crate) findings: Findings,
    /// What stands around every handler.
    pub(crate) layers: Option<Next>,
    /// How long requests took; all clones of a server count together.
    pub(crate) timings: Arc<Timings>,
    /// What follows from these settings.
    pub(crate) written: Written,
}

/// What seals the state that clients carry between two entries of a handler.
#[derive(Clone)]
pub(crate) struct StateKeys {
    pub(crate) current: [u8; 32],
    /// Whether the author chose it.
    pub(crate) is_chosen: bool,
    pub(crate) previous: Vec<[u8; 32]>,
    pub(crate) life: Duration,
}

impl StateKeys {
    /// A random key, good for an hour.
    ///
    /// # Panics
    /// The operating system has no randomness.
    fn random() -> Self {
        let mut current = [0; 32];
        #[expect(clippy::expect_used, reason = "without randomness nothing is safe; no peer can cause it")]
        getrandom::fill(&mut current).expect("the operating system gives random bytes");
        Self { current, is_chosen: false, previous: Vec::new(), life: Duration::from_secs(60 * 60) }
    }

    pub(crate) fn seal(&self) -> Seal {
        let seal = Seal::new(self.current).with_life(self.life);
        self.previous.iter().fold(seal, |seal, key| seal.with_previous(*key))
    }
}

impl Settings {
    pub(crate) fn new(info: Implementation) -> Self {
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
            keys: StateKeys::random(),
            shared: Shared::default(),
            hooks: Hooks::default(),
            kept: KeptTypes::default(),
            findings: Findings::default(),
            layers: None,
            timings: Arc::default(),
            written: Written::default(),
        }
    }

    /// The `_meta` of a result that says nothing of itself: who the server is. It is written once.
    pub(crate) fn stamp(&self) -> &str {
        self.written.stamp(|| {
            let meta = Meta { server_info: Some(Box::new(self.info.clone())), ..Meta::default() };
            // Strings always encode; a server that cannot say who it is says nothing.
            serde_json::to_string(&Wire(&meta, Revision::LATEST)).unwrap_or_else(|_| "{}".to_owned())
        })
    }

    /// The settings are about to change, and what was written of them is not true any more.
    pub(crate) fn changing(&mut self) -> &mut Self {
        self.written = Written::default();
        self
    }
}
