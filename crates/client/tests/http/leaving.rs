//! Connecting that comes to nothing, and parting: each is over in good time, and leaves no session behind.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use hermes_client::{Client, ClientError, EraChoice};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::fake::Fake;

/// What a busy machine may add to a limit.
const SLACK: Duration = Duration::from_millis(1500);

#[tokio::test]
async fn a_session_that_nobody_waits_for_any_more_is_ended_when_the_server_says_which_it_is() {
    for is_dropped in [true, false] {
        let mut fake = Fake::start().await;
        let url = fake.url.clone();
        let mut builder = Client::builder().era(EraChoice::Legacy);
        if !is_dropped {
            builder = builder.timeout(Duration::from_millis(300));
        }
        let asked = {
            let mut connecting = pin!(builder.connect(&url));
            let asked = tokio::select! {
                biased;
                asked = fake.expect("initialize") => asked,
                outcome = &mut connecting => panic!("{outcome:?}"),
            };
            if !is_dropped {
                let error = connecting.await.expect_err("nobody answers");
                assert!(error.is_timeout(), "{error}");
            }
            asked
        };
        asked.initialized("2025-11-25", Some("s9")).await;
        let farewell = fake.expect_verb("DELETE").await;
        assert_eq!(farewell.header("mcp-session-id"), Some("s9"), "dropped: {is_dropped}");
        farewell.status(204).await;
        assert!(fake.is_idle());
    }
}

#[tokio::test]
async fn connecting_that_is_dropped_where_it_stands_asks_for_nothing() {
    let mut fake = Fake::start().await;
    let url = fake.url.clone();
    {
        let mut connecting = pin!(Client::builder().era(EraChoice::Legacy).connect(&url));
        let is_ready = poll_fn(|cx| Poll::Ready(connecting.as_mut().poll(cx).is_ready())).await;
        assert!(!is_ready);
    }
    // The next client's request is the first that comes.
    let script = async { fake.expect("server/discover").await.result(crate::fake::discovered()).await };
    let (client, ()) = tokio::join!(Client::connect(&url), script);
    client.expect("connected");
}

#[tokio::test]
async fn connecting_to_a_server_that_says_nothing_takes_no_longer_than_its_limit() {
    for era in [EraChoice::Auto, EraChoice::Legacy, EraChoice::Modern] {
        // Connections are made, as the system has room for some, and nobody takes them.
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let limit = Duration::from_secs(1);
        let began = Instant::now();
        let error =
            Client::builder().era(era).timeout(limit).connect(&url).await.expect_err("nobody answers");
        let took = began.elapsed();
        assert!(error.is_timeout(), "{era:?}: {error:?}");
        assert!(took >= limit && took < limit + SLACK, "{era:?}: {took:?}");
    }
}

#[tokio::test]
async fn closing_is_over_in_good_time_when_the_server_does_not_answer() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let began = Instant::now();
    let (_, farewell) = tokio::join!(client.close(), fake.expect_verb("DELETE"));
    assert!(began.elapsed() < Duration::from_secs(1) + SLACK, "{:?}", began.elapsed());
    drop(farewell);
    let error = client.call("t", ()).await.expect_err("it is closed");
    assert!(matches!(error, ClientError::Closed(_)), "{error:?}");
}

#[tokio::test]
async fn calls_that_wait_fail_at_once_when_the_client_is_closed() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let began = Instant::now();
    let closing = async {
        let calls = [fake.expect("tools/call").await, fake.expect("tools/call").await];
        let (_, ()) = tokio::join!(client.close(), async {
            // The farewell waits for nothing that the calls do.
            fake.expect_verb("DELETE").await.status(200).await;
        });
        drop(calls);
    };
    let (first, second, ()) =
        tokio::join!(client.call("a", ()).into_future(), client.call("b", ()).into_future(), closing);
    for outcome in [first, second] {
        assert!(matches!(outcome, Err(ClientError::Closed(_))), "{outcome:?}");
    }
    assert!(began.elapsed() < SLACK, "{:?}", began.elapsed());
    assert_eq!(client.pending(), 0);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_server_that_goes_before_it_has_taken_the_connection_settles_connecting_at_once() {
    for era in [EraChoice::Auto, EraChoice::Legacy, EraChoice::Modern] {
        // The system accepts the connection and what is sent over it; the program never does.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let began = Instant::now();
        let connecting = Client::builder().era(era).connect(format!("http://{address}/mcp"));
        let going = async {
            while !has_connection(address) {
                tokio::task::yield_now().await;
            }
            drop(listener);
        };
        let (outcome, ()) = tokio::join!(connecting, going);
        let error = outcome.expect_err("nobody is there");
        assert!(error.is_transport(), "{era:?}: {error:?}");
        assert!(began.elapsed() < SLACK, "{era:?}: {:?}", began.elapsed());
    }
}

/// Whether a connection to this address is established, on this machine.
#[cfg(target_os = "linux")]
fn has_connection(address: std::net::SocketAddr) -> bool {
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("Linux");
    let port = format!(":{:04X}", address.port());
    table.lines().skip(1).any(|line| {
        let mut columns = line.split_whitespace().skip(2);
        let (remote, state) = (columns.next().unwrap_or_default(), columns.next().unwrap_or_default());
        remote.ends_with(&port) && state == "01"
    })
}
