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

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::{Client, ClientBuilder};

/// How many exchanges share a lane. Well below what servers allow.
const PLACES: usize = 64;

/// How many idle connections a lane keeps. With as many as it has places, a burst that comes again finds all of them.
const IDLE: usize = PLACES;

/// How many bytes may be under way to an exchange that does not read, and on a whole connection. Were the second not the
/// sum of the first, some that do not read would stop all others.
const WINDOW: u32 = 1024 * 1024;
const WINDOWS: u32 = WINDOW * PLACES as u32;

/// How long a connection of HTTP/2 may be silent while something is expected on it before a sign of life is asked for,
/// and how long that may take. A connection that died unnoticed would swallow call after call.
const SILENT: Duration = Duration::from_secs(15);
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Lanes to one server, as many as its exchanges need.
pub(super) struct Lanes {
    setup: Box<dyn Fn() -> ClientBuilder + Send + Sync>,
    open: Mutex<Vec<Lane>>,
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
    /// `setup` says all but what a lane has to be.
    ///
    /// # Errors
    /// Such a client cannot be made.
    pub(super) fn new(setup: impl Fn() -> ClientBuilder + Send + Sync + 'static) -> reqwest::Result<Self> {
        let first = Lane::open(setup())?;
        Ok(Self { setup: Box::new(setup), open: Mutex::new(vec![first]) })
    }

    /// The first lane with a place left.
    pub(super) fn place(&self) -> reqwest::Result<(Client, Place)> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = open.iter().find(|lane| Arc::strong_count(&lane.places) <= PLACES) {
            return Ok(lane.take());
        }
        let lane = Lane::open((self.setup)())?;
        let taken = lane.take();
        open.push(lane);
        Ok(taken)
    }
}

impl fmt::Debug for Lanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lanes").field("open", &self.open).finish_non_exhaustive()
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

    fn lanes() -> Lanes {
        let setup = || {
            Client::builder()
                .tls_backend_preconfigured(super::super::tls::Trust::default().config(false).expect("TLS"))
        };
        Lanes::new(setup).expect("a client")
    }

    fn count(lanes: &Lanes) -> usize {
        lanes.open.lock().expect("lanes").len()
    }

    #[test]
    fn a_full_lane_opens_the_next_and_is_used_again_once_there_is_room() {
        let lanes = lanes();
        let mut taken: Vec<Place> = (0..PLACES).map(|_| lanes.place().expect("a place").1).collect();
        assert_eq!(count(&lanes), 1);
        taken.push(lanes.place().expect("a place").1);
        assert_eq!(count(&lanes), 2);
        taken.remove(0);
        let _again = lanes.place().expect("a place");
        let free = |lane: &Lane| PLACES + 1 - Arc::strong_count(&lane.places);
        let open = lanes.open.lock().expect("lanes");
        assert_eq!(open.iter().map(free).collect::<Vec<_>>(), [0, PLACES - 1]);
    }
}
