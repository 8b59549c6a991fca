//! Nobody is stormed: what a client does by itself while a server is away, busy or odd is counted, and its pauses are
//! held against the clock.

use std::sync::Arc;
use std::time::Duration;

use hermes::types::SubscriptionFilter;
use hermes::{Client, ClientError, EraChoice};
use hermes_testkit::relay::{Fate, Relay, Strike};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::server::{Life, World};
use crate::{number, say};

/// Says how many seconds each is watched.
const WATCHED: &str = "HERMES_TORTURE_WATCHED";

/// The first pause before the standalone stream is opened again, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What a timer may be early by.
const EARLY: Duration = Duration::from_millis(5);

/// A client that nothing is asked of, behind a relay.
struct Watched {
    world: Arc<World>,
    relay: Relay,
    life: Life,
    client: Client,
}

impl Watched {
    /// A client of the legacy era whose standalone stream is there.
    async fn begin() -> Self {
        let watched = Self::of(EraChoice::Legacy).await;
        while watched.life.streams() == 0 {
            tokio::task::yield_now().await;
        }
        watched
    }

    async fn of(era: EraChoice) -> Self {
        let world = Arc::new(World::default());
        let life = Life::begin(&world).await.expect("a server");
        let relay = Relay::start(life.address).await.expect("a relay");
        let url = format!("http://{}/mcp", relay.address());
        let client = Client::builder().era(era).connect(&url).await.expect("connected");
        client.call("look", order("first")).await.expect("a server that works");
        Self { world, relay, life, client }
    }

    /// Cuts all connections and watches for a while; the attempts that the client makes by itself, in order: requests
    /// for its stream when they come through, or else connections.
    async fn watch(&self, what: &str) -> Vec<Duration> {
        let (before, began) = (self.relay.arrivals().len(), Instant::now());
        let watched = Duration::from_secs(number(WATCHED).unwrap_or(5));
        self.relay.clear();
        pass(watched).await;
        let mut attempts = self.world.asked_for_streams(began);
        if attempts.is_empty() {
            attempts =
                self.relay.arrivals().split_off(before).iter().map(|at| at.duration_since(began)).collect();
        }
        let a_minute = attempts.len() as f64 * 60.0 / watched.as_secs_f64();
        say(&format!("{what}: {} attempts in {watched:?}, {a_minute:.0} a minute", attempts.len()));
        attempts
    }
}

#[expect(clippy::disallowed_methods, reason = "what does not happen in a while has to be waited for")]
async fn pass(time: Duration) {
    tokio::time::sleep(time).await;
}

fn order(key: &str) -> serde_json::Value {
    json!({ "key": key, "ms": 0, "notes": 0, "bytes": 0, "asks": false })
}

/// Each pause is as long as it should be at least: twice the one before, up to the longest.
#[track_caller]
fn pauses_grow(arrivals: &[Duration]) {
    assert!(arrivals.len() > 1, "the client does not come back: {arrivals:?}");
    let mut least = FIRST_PAUSE;
    let mut before = Duration::ZERO;
    for arrival in arrivals {
        let pause = *arrival - before;
        assert!(pause + EARLY >= least, "{pause:?} is less than {least:?}: {arrivals:?}");
        (before, least) = (*arrival, (2 * least).min(LONGEST_PAUSE));
    }
}

#[tokio::test]
async fn a_server_that_is_away_is_looked_for_with_growing_pauses_and_found_again() {
    let watched = Watched::begin().await;
    watched.relay.usually(Fate::pass().strike_request(0, Strike::Reset));
    pauses_grow(&watched.watch("a server that resets").await);
    watched.relay.usually(Fate::pass());
    watched.client.call("look", order("again")).await.expect("it is back");
}

#[tokio::test]
async fn a_server_that_ends_every_stream_at_once_is_asked_with_growing_pauses() {
    let watched = Watched::begin().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    watched.relay.lead_to(listener.local_addr().expect("an address"));
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap_or(b'\n'));
            }
            let answer =
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n: hello\n\n";
            // A client that has gone has nothing to hear.
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    pauses_grow(&watched.watch("a stream that ends at once").await);
}

#[tokio::test]
async fn a_listen_stream_that_cannot_be_had_is_asked_for_with_growing_pauses() {
    let watched = Watched::of(EraChoice::Modern).await;
    let wanted = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
    let mut listening = watched.client.listen(wanted).await.expect("a stream");
    let reader = tokio::spawn(async move { while let Ok(Some(_)) = listening.next().await {} });
    watched.relay.usually(Fate::pass().strike_request(0, Strike::Reset));
    pauses_grow(&watched.watch("a listen stream that is cut").await);
    reader.abort();
}

#[tokio::test]
async fn a_server_that_is_busy_for_long_is_asked_a_bounded_number_of_times() {
    for retry_after in [None, Some(0)] {
        let watched = Watched::begin().await;
        watched.world.be_busy(u32::MAX, retry_after);
        let before = watched.world.requests();
        for at in 0..10 {
            let error = watched.client.call("look", order(&at.to_string())).await.expect_err("it is busy");
            assert!(matches!(&error, ClientError::Http(answer) if answer.status == 503), "{error}");
        }
        let requests = watched.world.requests() - before;
        // A call is sent again when the server says when to come back, and only then.
        assert_eq!(requests, if retry_after.is_some() { 40 } else { 10 });
        pauses_grow(&watched.watch("a server that is busy").await);
    }
}

#[tokio::test]
async fn calls_to_a_server_that_is_away_cost_one_attempt_each() {
    let watched = Watched::begin().await;
    watched.relay.usually(Fate::pass().strike_request(0, Strike::Reset));
    watched.relay.clear();
    let before = watched.relay.arrivals().len();
    let began = Instant::now();
    for at in 0..50 {
        let error = watched.client.call("work", order(&at.to_string())).await.expect_err("nobody is there");
        assert!(error.is_transport(), "{error}");
    }
    // The standalone stream is looked for meanwhile.
    let by_itself = 1 + began.elapsed().as_millis() / FIRST_PAUSE.as_millis();
    let attempts = watched.relay.arrivals().len() - before;
    assert!(attempts <= 50 + usize::try_from(by_itself).expect("few"), "{attempts} attempts for 50 calls");
}
