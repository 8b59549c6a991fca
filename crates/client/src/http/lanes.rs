//! The connections to one server.
//!
//! Over HTTP/1.1 each exchange has a connection to itself, and idle ones are kept for the next. Over HTTP/2 exchanges share
//! one; but a server takes only so many of them at a time on one (100 is usual), and those beyond wait. A `ping` or a
//! cancellation must never wait behind slow calls, so no lane takes more than [`PLACES`]: the next exchange opens
//! another lane, with connections of its own.
//!
//! ```text
//!   exchange 1…64 ---> lane 1 ---> one connection of HTTP/2, or as many of HTTP/1.1 as there are exchanges
//!   exchange 65… ----> lane 2 ---> …
//! ```
//!
//! Where it is not known yet which version a server speaks, exchanges that begin at the same time each ask for a
//! connection, and all but one of those would turn out to be of no use. So what the first lane finds out is taken for
//! granted by the others.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::{Client, ClientBuilder, Version};

/// How many exchanges share a lane. Well below what servers allow.
const PLACES: usize = 64;

/// How many idle connections a lane keeps: that of each exchange, and those that were asked for while another one got
/// free.
const IDLE: usize = 2 * PLACES;

/// How many bytes may be under way to an exchange that does not read, and on a whole connection. Were the second not the
/// sum of the first, some that do not read would stop all others.
const WINDOW: u32 = 1024 * 1024;
const WINDOWS: u32 = WINDOW * PLACES as u32;

/// How long a connection of HTTP/2 may be silent while something is expected on it before a sign of life is asked for,
/// and how long that may take. A connection that died unnoticed would swallow call after call.
const SILENT: Duration = Duration::from_secs(15);
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Which versions a lane may speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Versions {
    /// Whichever is agreed on.
    Any,
    /// The server is known to speak HTTP/2.
    Http2,
}

/// Lanes to one server, as many as its exchanges need.
pub(super) struct Lanes {
    setup: Box<dyn Fn(Versions) -> ClientBuilder + Send + Sync>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    /// What further lanes speak.
    known: Versions,
    open: Vec<Lane>,
}

#[derive(Debug)]
struct Lane {
    client: Client,
    /// One reference is the lane's own, every other an exchange's.
    places: Arc<()>,
}

/// A place in a lane, taken until the last clone is dropped.
#[derive(Clone, Debug)]
pub(super) struct Place(#[expect(dead_code, reason = "it is counted, not read")] Arc<()>);

impl Lanes {
    /// `setup` says all but what makes a lane of a client.
    ///
    /// # Errors
    /// Such a client cannot be made.
    pub(super) fn new(
        setup: impl Fn(Versions) -> ClientBuilder + Send + Sync + 'static,
    ) -> reqwest::Result<Self> {
        let first = Lane::open(setup(Versions::Any))?;
        let state = State { known: Versions::Any, open: vec![first] };
        Ok(Self { setup: Box::new(setup), state: Mutex::new(state) })
    }

    /// The first lane with a place left.
    pub(super) fn place(&self) -> reqwest::Result<(Client, Place)> {
        let mut state = self.lock();
        if let Some(lane) = state.open.iter().find(|lane| Arc::strong_count(&lane.places) <= PLACES) {
            return Ok(lane.take());
        }
        let lane = Lane::open((self.setup)(state.known))?;
        let taken = lane.take();
        state.open.push(lane);
        Ok(taken)
    }

    /// An answer came in this version. If that is news, what is under way goes on, and new exchanges begin anew.
    pub(super) fn heard(&self, version: Version) {
        let known = if version == Version::HTTP_2 { Versions::Http2 } else { Versions::Any };
        let mut state = self.lock();
        if state.known != known {
            state.known = known;
            state.open.truncate(1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").field("state", &self.state).finish_non_exhaustive()
    }
}

impl Lane {
    fn open(setup: ClientBuilder) -> reqwest::Result<Self> {
        let client = setup
            .pool_max_idle_per_host(IDLE)
            .http2_initial_stream_window_size(WINDOW)
            .http2_initial_connection_window_size(WINDOWS)
            .http2_keep_alive_interval(SILENT)
            .http2_keep_alive_timeout(SIGN_OF_LIFE)
            .build()?;
        Ok(Self { client, places: Arc::new(()) })
    }

    fn take(&self) -> (Client, Place) {
        (self.client.clone(), Place(Arc::clone(&self.places)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::tls::Trust;

    fn lanes() -> Lanes {
        let tls = Trust::default().config(false).expect("nobody to trust");
        Lanes::new(move |_| Client::builder().tls_backend_preconfigured(tls.clone())).expect("a client")
    }

    /// How many places are left in each lane.
    fn left(lanes: &Lanes) -> Vec<usize> {
        let left = |lane: &Lane| PLACES + 1 - Arc::strong_count(&lane.places);
        lanes.lock().open.iter().map(left).collect()
    }

    #[test]
    fn a_full_lane_opens_the_next_and_is_used_again_once_there_is_room() {
        let lanes = lanes();
        let mut taken: Vec<Place> = (0..PLACES).map(|_| lanes.place().expect("a place").1).collect();
        assert_eq!(left(&lanes), [0]);
        taken.push(lanes.place().expect("a place").1);
        assert_eq!(left(&lanes), [0, PLACES - 1]);
        taken.remove(0);
        let _again = lanes.place().expect("a place");
        assert_eq!(left(&lanes), [0, PLACES - 1]);
    }

    #[test]
    fn what_a_server_speaks_is_news_once() {
        let lanes = lanes();
        let _taken: Vec<Place> = (0..=PLACES).map(|_| lanes.place().expect("a place").1).collect();
        lanes.heard(Version::HTTP_11);
        assert_eq!(left(&lanes).len(), 2);
        lanes.heard(Version::HTTP_2);
        assert_eq!((left(&lanes).len(), lanes.lock().known), (1, Versions::Http2));
        let _another = lanes.place().expect("a place");
        lanes.heard(Version::HTTP_2);
        assert_eq!(left(&lanes).len(), 2);
        lanes.heard(Version::HTTP_11);
        assert_eq!((left(&lanes).len(), lanes.lock().known), (1, Versions::Any));
    }
}
