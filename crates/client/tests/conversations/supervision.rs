//! A server that goes and comes back.

use std::io;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{
    Client, ClientBuilder, ClientError, CloseReason, EraChoice, Event, Events, KnownServers, News, Restart,
    Status, Target,
};
use hermes_types::LoggingLevel;
use serde_json::{Value, json};
use tokio::io::split;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::peer::{Peer, discovered, text};

const LEGACY: &str = "2025-11-25";

/// A place where servers can be opened, one after the other.
pub(crate) struct Place {
    opened: mpsc::UnboundedReceiver<Peer>,
    is_open: Arc<AtomicBool>,
    /// What opens it panics.
    is_broken: Arc<AtomicBool>,
    dialled: Arc<Mutex<Vec<Instant>>>,
}

impl Place {
    pub(crate) fn new() -> (Self, Target) {
        let (sender, opened) = mpsc::unbounded_channel();
        let is_open = Arc::new(AtomicBool::new(true));
        let dialled = Arc::<Mutex<Vec<Instant>>>::default();
        let is_broken = Arc::new(AtomicBool::new(false));
        let place = Self {
            opened,
            is_open: Arc::clone(&is_open),
            is_broken: Arc::clone(&is_broken),
            dialled: Arc::clone(&dialled),
        };
        let target = Target::streams("the place", move || {
            dialled.lock().expect("not poisoned").push(Instant::now());
            let (peer, stream) = Peer::pair();
            let (is_open, is_broken) = (is_open.load(SeqCst), is_broken.load(SeqCst));
            if is_open && !is_broken {
                // A place that nobody looks at any more still opens.
                let _ = sender.send(peer);
            }
            async move {
                assert!(!is_broken, "the function of the host is broken");
                if is_open {
                    Ok(split(stream.0))
                } else {
                    Err(io::Error::from(io::ErrorKind::ConnectionRefused))
                }
            }
        });
        (place, target)
    }

    pub(crate) fn set_open(&self, is_open: bool) {
        self.is_open.store(is_open, SeqCst);
    }

    pub(crate) async fn next(&mut self) -> Peer {
        self.opened.recv().await.expect("opened")
    }

    /// A server that agrees to a session.
    pub(crate) async fn legacy(&mut self) -> Peer {
        let mut peer = self.next().await;
        let request = peer.expect("initialize").await;
        peer.result(&request, initialized()).await;
        peer.expect("notifications/initialized").await;
        peer
    }

    pub(crate) async fn modern(&mut self) -> Peer {
        let mut peer = self.next().await;
        let request = peer.expect("server/discover").await;
        peer.result(&request, discovered(&json!({ "tools": {}, "logging": {} }))).await;
        peer
    }

    /// The pauses between the attempts so far.
    fn pauses(&self) -> Vec<Duration> {
        let dialled = self.dialled.lock().expect("not poisoned");
        dialled.windows(2).map(|pair| pair[1] - pair[0]).collect()
    }
}

pub(crate) fn initialized() -> Value {
    json!({
        "protocolVersion": LEGACY,
        "capabilities": { "tools": {}, "logging": {}, "resources": { "subscribe": true } },
        "serverInfo": { "name": "fake", "version": "1" },
    })
}

fn legacy() -> ClientBuilder {
    Client::builder().era(EraChoice::Legacy)
}

/// The next event, as one word.
async fn word(events: &mut Events) -> &'static str {
    match events.next().await {
        Some(Event::Lost(_)) => "lost",
        Some(Event::Retrying { .. }) => "retrying",
        Some(Event::Reopened(_)) => "reopened",
        Some(Event::GaveUp(_)) => "gave up",
        Some(Event::Ended(_)) => "ended",
        Some(_) => "another",
        None => "over",
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_server_fails_what_is_under_way_and_serves_what_comes_next() {
    let (mut place, target) = Place::new();
    let (client, mut first) = tokio::join!(legacy().connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();

    let call = client.call("slow", json!({}));
    let (lost, ()) = tokio::join!(async { call.await }, async {
        first.expect("tools/call").await;
        drop(first);
    });
    assert!(matches!(lost, Err(ClientError::Closed(closed)) if matches!(closed.reason, CloseReason::Remote)));

    // The next call waits until there is a server again.
    let (result, mut second) = tokio::join!(async { client.call("add", json!({})).await }, async {
        let mut second = place.legacy().await;
        second.answer("tools/call", text("5")).await;
        second
    });
    assert_eq!(result.expect("a result").raw.get(), text("5").to_string());
    assert!(matches!(client.status(), Status::Ready));
    for expected in ["lost", "retrying", "reopened"] {
        assert_eq!(word(&mut events).await, expected);
    }

    assert_eq!(client.close().await, None);
    assert_eq!(second.line().await, None);
    assert_eq!((word(&mut events).await, word(&mut events).await), ("ended", "over"));
    assert_eq!(place.pauses().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_new_server_is_told_what_the_last_one_knew() {
    let (mut place, target) = Place::new();
    let (client, mut first) = tokio::join!(legacy().connect(target), place.legacy());
    let client = client.expect("connected");
    let mut notices = client.notifications();
    let ask = async {
        client.subscribe("demo://kept").await.expect("subscribed");
        client.subscribe("demo://left").await.expect("subscribed");
        client.unsubscribe("demo://left").await.expect("unsubscribed");
        client.set_log_level(LoggingLevel::Warning).await.expect("set");
    };
    let answer = async {
        for method in ["subscribe", "subscribe", "unsubscribe"] {
            first.answer(&format!("resources/{method}"), json!({})).await;
        }
        first.answer("logging/setLevel", json!({})).await;
        drop(first);
    };
    tokio::join!(ask, answer);

    let mut second = place.legacy().await;
    let level = second.answer("logging/setLevel", json!({})).await;
    assert_eq!(level["params"], json!({ "level": "warning" }));
    let kept = second.answer("resources/subscribe", json!({})).await;
    assert_eq!(kept["params"], json!({ "uri": "demo://kept" }));
    client.await_ready().await.expect("ready");

    // Whoever listens to the client hears the new server.
    second.notify("notifications/resources/updated", json!({ "uri": "demo://kept" })).await;
    let notice = notices.next().await.expect("a notice");
    assert!(matches!(notice.news(), News::ResourceUpdated(updated) if updated.uri == "demo://kept"));
}

#[tokio::test(start_paused = true)]
async fn b050_attempts_follow_with_growing_pauses_and_end() {
    let (mut place, target) = Place::new();
    let restart = Restart::default().attempts(6).longest_pause(Duration::from_secs(1));
    let (client, first) = tokio::join!(legacy().restart(restart).connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    place.set_open(false);
    drop(first);
    assert_eq!(word(&mut events).await, "lost");

    let error = client.call("add", json!({})).await.expect_err("nobody is there");
    let ClientError::Unavailable { after: None, reason } = &error else { panic!("{error:?}") };
    assert!(matches!(**reason, ClientError::Unreachable { .. }), "{reason:?}");
    assert!(
        error.to_string().starts_with("the server is not there any more: cannot reach the place"),
        "{error}"
    );
    let pauses: Vec<u128> = place.pauses().iter().map(Duration::as_millis).collect();
    for (pause, least) in pauses.iter().zip([100, 200, 400, 800, 1000, 1000]) {
        assert!((least..=least + least / 8 + 2).contains(pause), "{pauses:?}");
    }
    assert_eq!(pauses.len(), 6);
    for _ in 0..6 {
        assert_eq!(word(&mut events).await, "retrying");
    }
    assert_eq!((word(&mut events).await, word(&mut events).await), ("gave up", "over"));
    assert!(matches!(client.status(), Status::GaveUp(_)));
    let again = client.await_ready().await.expect_err("it stays so");
    assert!(matches!(again, ClientError::Unavailable { after: None, .. }));
}

#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_server_no_longer_than_it_may() {
    let (mut place, target) = Place::new();
    let (client, first) = tokio::join!(legacy().connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    place.set_open(false);
    drop(first);
    assert_eq!(word(&mut events).await, "lost");

    let began = Instant::now();
    let limit = Duration::from_millis(700);
    let error = client.call("add", json!({})).timeout(limit).await.expect_err("nobody is there");
    assert_eq!(began.elapsed(), limit);
    assert!(
        matches!(&error, ClientError::Unavailable { after: Some(after), .. } if *after == limit),
        "{error:?}"
    );
    assert!(matches!(client.status(), Status::Reopening { .. }));

    // And what it has waited is not waited once more for the answer.
    place.set_open(true);
    let began = Instant::now();
    let limit = Duration::from_secs(5);
    let script = async {
        let mut peer = place.legacy().await;
        peer.expect("tools/call").await;
        peer
    };
    let call = client.call("add", json!({})).timeout(limit);
    let (error, _peer) = tokio::join!(async { call.await.expect_err("no answer") }, script);
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(began.elapsed(), limit);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_always_ends_at_once_is_not_started_for_ever() {
    let (mut place, target) = Place::new();
    let restart = Restart::default().attempts(5);
    let (client, first) = tokio::join!(legacy().restart(restart).connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    drop(first);
    for _ in 0..5 {
        // It agrees, and is gone.
        drop(place.legacy().await);
    }
    while word(&mut events).await != "gave up" {}
    let error = client.await_ready().await;
    assert!(matches!(error, Err(ClientError::Unavailable { after: None, .. })), "{error:?}");
    assert_eq!(place.pauses().len(), 5);
}

#[tokio::test(start_paused = true)]
async fn how_long_a_server_has_to_stay_is_for_the_host_to_say() {
    let (mut place, target) = Place::new();
    let restart = Restart::default().attempts(3).steady(Duration::from_secs(3));
    let (client, mut server) = tokio::join!(legacy().restart(restart).connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    let mut attempts = Vec::new();
    for stays in [Duration::ZERO, Duration::from_secs(3), Duration::ZERO] {
        tokio::time::advance(stays).await;
        drop(server);
        server = place.legacy().await;
        loop {
            match events.next().await.expect("an event") {
                Event::Retrying { attempt, .. } => attempts.push(attempt),
                Event::Reopened(_) => break,
                _ => {}
            }
        }
    }
    assert_eq!(attempts, [1, 1, 2]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stayed_for_a_while_is_brought_back_at_once() {
    let (mut place, target) = Place::new();
    let (client, mut peer) = tokio::join!(legacy().connect(target), place.legacy());
    let _client = client.expect("connected");
    for _ in 0..20 {
        tokio::time::advance(Duration::from_secs(11)).await;
        drop(peer);
        peer = place.legacy().await;
    }
    let pauses = place.pauses();
    assert!(pauses.iter().all(|pause| *pause < Duration::from_millis(11_200)), "{pauses:?}");
    assert_eq!(pauses.len(), 20);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_is_closed_or_dropped_meanwhile_opens_nothing_more() {
    for is_closed in [true, false] {
        let (mut place, target) = Place::new();
        let (client, first) = tokio::join!(legacy().connect(target), place.legacy());
        let client = client.expect("connected");
        let mut events = client.events();
        drop(first);
        assert_eq!((word(&mut events).await, word(&mut events).await), ("lost", "retrying"));
        if is_closed {
            client.close().await;
            let error = client.call("add", json!({})).await.expect_err("closed");
            let is_local = |closed: &hermes_client::Closed| matches!(closed.reason, CloseReason::Local);
            assert!(matches!(&error, ClientError::Closed(closed) if is_local(closed)), "{error:?}");
        } else {
            drop(client);
        }
        assert_eq!((word(&mut events).await, word(&mut events).await), ("ended", "over"));
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert!(place.opened.try_recv().is_err());
        assert_eq!(place.pauses().len(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_in_the_other_era_is_spoken_to_in_it() {
    let (mut place, target) = Place::new();
    let builder = Client::builder().known_servers(KnownServers::new());
    let (client, first) = tokio::join!(builder.connect(target), place.modern());
    let client = client.expect("connected");
    assert!(client.revision().is_modern());
    client.set_log_level(LoggingLevel::Error).await.expect("set");
    drop(first);

    let mut second = place.next().await;
    let probe = second.expect("server/discover").await;
    second.error(&probe, json!({ "code": -32601, "message": "what?" })).await;
    let request = second.expect("initialize").await;
    second.result(&request, initialized()).await;
    second.expect("notifications/initialized").await;
    client.await_ready().await.expect("ready");
    assert_eq!(client.revision().as_str(), LEGACY);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_not_to_be_brought_back_stays_gone() {
    let (mut place, target) = Place::new();
    let (client, first) = tokio::join!(legacy().restart(Restart::never()).connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    drop(first);
    assert_eq!((word(&mut events).await, word(&mut events).await), ("ended", "over"));
    let error = client.call("add", json!({})).await.expect_err("gone");
    assert!(matches!(&error, ClientError::Closed(closed) if matches!(closed.reason, CloseReason::Remote)));
    assert!(matches!(client.status(), Status::Ended(_)));
    assert_eq!(place.pauses().len(), 0);
}

#[tokio::test(start_paused = true)]
async fn opening_takes_no_longer_than_one_operation_may() {
    let (mut place, target) = Place::new();
    let began = Instant::now();
    let limit = Duration::from_secs(2);
    let connecting = Client::builder().timeout(limit).connect(target);
    let silent = async {
        let mut peer = place.next().await;
        peer.expect("server/discover").await;
        peer.expect("initialize").await;
        peer
    };
    let (error, _peer) = tokio::join!(connecting, silent);
    let error = error.expect_err("nobody answers");
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(began.elapsed(), limit);
}

#[tokio::test(start_paused = true)]
async fn a_function_of_the_host_that_panics_while_it_opens_a_stream_is_a_failed_attempt() {
    let (mut place, target) = Place::new();
    let has_panicked = Arc::clone(&place.is_broken);
    let restart = Restart::default().attempts(2);
    let (client, first) = tokio::join!(legacy().restart(restart).connect(target), place.legacy());
    let client = client.expect("connected");
    let mut events = client.events();
    has_panicked.store(true, SeqCst);
    drop(first);
    for expected in ["lost", "retrying", "retrying", "gave up"] {
        assert_eq!(word(&mut events).await, expected);
    }
    let error = client.call("add", json!({})).await.expect_err("nobody is there");
    assert!(error.to_string().contains("cannot reach the place"), "{error}");
}

/// A stream of the host that panics as soon as something is read from, or written to, it.
struct Panicking;

impl tokio::io::AsyncRead for Panicking {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        panic!("it cannot be read");
    }
}

impl tokio::io::AsyncWrite for Panicking {
    fn poll_write(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &[u8],
    ) -> std::task::Poll<io::Result<usize>> {
        panic!("it cannot be written to");
    }

    fn poll_flush(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }

    fn poll_shutdown(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<io::Result<()>> {
        std::task::Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_the_host_that_panics_is_one_that_breaks() {
    let began = Instant::now();
    let (silent, _far) = tokio::io::duplex(1024);
    for opened in [
        legacy().over(Panicking, tokio::io::sink()).await,
        legacy().over(silent, Panicking).await,
        legacy()
            .connect(Target::streams("the place", || async { Ok((tokio::io::empty(), Panicking)) }))
            .await,
    ] {
        let error = opened.expect_err("it breaks");
        assert!(matches!(&error, ClientError::Closed(_)), "{error:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
}
