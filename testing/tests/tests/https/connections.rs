//! How many connections calls need, and what becomes of calls whose connection ends.

use std::time::Duration;

use hermes::{Client, ClientError, EraChoice};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::authority::{Authority, Valid};
use crate::connect;
use crate::server::{Https, Setup, Spoken};
use crate::works::Works;

/// How many idle connections the client keeps.
const POOL: usize = 128;

const HOUR: Duration = Duration::from_secs(60 * 60);

const SPOKEN: [Spoken; 2] = [Spoken::Http1, Spoken::Http2];
const ERAS: [EraChoice; 2] = [EraChoice::Modern, EraChoice::Legacy];

/// A server, and a client of it that speaks this era.
async fn pair(spoken: Spoken, era: EraChoice) -> (Works, Https, Client) {
    let (authority, works) = (Authority::new(), Works::new());
    let setup = Setup::new(authority.issue(&["localhost"], Valid::Now), spoken);
    let https = Https::start(works.server(), setup).await;
    let builder = Client::builder().era(era).trust_only(authority.pem());
    let client = connect(builder, &https.url("localhost")).await.expect("connected");
    (works, https, client)
}

async fn echo(client: &Client, number: usize) -> Result<(), ClientError> {
    let text = format!("number {number}");
    let answer: String = client.call("echo", json!({ "text": text })).await?.read()?;
    assert_eq!(answer, text);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the figure is what is measured")]
#[tokio::test]
async fn a_thousand_calls_one_after_the_other_share_their_connections() {
    for (spoken, era) in SPOKEN.into_iter().flat_map(|spoken| ERAS.map(|era| (spoken, era))) {
        let (works, https, client) = pair(spoken, era).await;
        for number in 0..1000 {
            echo(&client, number).await.expect("an answer");
        }
        println!("{spoken:?}, {era:?}: {} handshakes for 1,000 calls in a row", https.handshakes());
        assert_eq!(works.begun(), 1000);
        // In the legacy era the stream that the server speaks on by itself has a connection of HTTP/1.1 for itself.
        let most = if spoken == Spoken::Http2 { 1 } else { 4 };
        assert!(https.handshakes() <= most, "{spoken:?}, {era:?}: {}", https.handshakes());
        client.close().await;
    }
}

#[expect(clippy::print_stdout, reason = "the figure is what is measured")]
#[tokio::test]
async fn a_thousand_calls_in_64_tasks_take_no_more_connections_than_are_kept() {
    for (spoken, era) in SPOKEN.into_iter().flat_map(|spoken| ERAS.map(|era| (spoken, era))) {
        let (works, https, client) = pair(spoken, era).await;
        let mut tasks = JoinSet::new();
        for task in 0..64 {
            let client = client.clone();
            tasks.spawn(async move {
                for number in (task..1000).step_by(64) {
                    echo(&client, number).await.expect("an answer");
                }
            });
        }
        while let Some(task) = tasks.join_next().await {
            task.expect("no panic");
        }
        println!("{spoken:?}, {era:?}: {} handshakes for 1,000 calls in 64 tasks", https.handshakes());
        assert_eq!(works.begun(), 1000);
        // In the legacy era the stream that the server speaks on by itself is the exchange too many for one lane.
        let most = if spoken == Spoken::Http2 { 2 } else { POOL };
        assert!(https.handshakes() <= most, "{spoken:?}, {era:?}: {}", https.handshakes());
        client.close().await;
    }
}

#[tokio::test]
async fn nothing_waits_behind_slow_calls_although_a_connection_takes_only_a_hundred() {
    const SLOW: usize = 250;
    for era in ERAS {
        let (works, https, client) = pair(Spoken::Http2, era).await;
        let mut slow = JoinSet::new();
        for _ in 0..SLOW {
            let client = client.clone();
            slow.spawn(async move { client.call("wait", json!({})).await });
        }
        works.waiting(SLOW).await;
        echo(&client, 1).await.expect("an answer beside slow calls");
        client.ping().await.expect("a sign of life beside slow calls");
        let taken_back = client.clone();
        let one = tokio::spawn(async move { taken_back.call("wait", json!({})).await });
        works.waiting(SLOW + 1).await;
        one.abort();
        works.waiting(SLOW).await;
        works.open(SLOW);
        while let Some(call) = slow.join_next().await {
            let answer: String = call.expect("no panic").expect("an answer").read().expect("a text");
            assert_eq!(answer, "done");
        }
        assert!(https.handshakes() <= 5, "{era:?}: {}", https.handshakes());
        client.close().await;
    }
}

#[tokio::test]
async fn calls_that_are_taken_back_cost_no_other_its_connection() {
    for (count, connections) in [(1, 1), (200, 4)] {
        let (works, https, client) = pair(Spoken::Http2, EraChoice::Modern).await;
        let task = || {
            let client = client.clone();
            async move { client.call("wait", json!({})).await }
        };
        let stays = tokio::spawn(task());
        works.waiting(1).await;
        let mut going = JoinSet::new();
        for _ in 0..count {
            going.spawn(task());
        }
        works.waiting(1 + count).await;
        going.abort_all();
        works.waiting(1).await;
        echo(&client, 1).await.expect("an answer");
        works.open(1);
        stays.await.expect("no panic").expect("an answer");
        assert_eq!(https.handshakes(), connections);
    }
}

#[tokio::test]
async fn a_stream_of_events_goes_on_beside_other_calls_on_its_connection() {
    const NOTES: usize = 200;
    for era in ERAS {
        let (works, https, client) = pair(Spoken::Http2, era).await;
        let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
        let noted = client.clone();
        let notes = tokio::spawn(async move {
            let call = noted.call("notes", json!({ "count": NOTES }));
            call.on_progress(|progress| sender.send(progress.progress).expect("the test hears it")).await
        });
        for note in 1..=NOTES {
            works.open(1);
            assert_eq!(heard.recv().await, Some(note as f64));
            echo(&client, note).await.expect("an answer");
        }
        notes.await.expect("no panic").expect("an answer");
        assert_eq!(https.handshakes(), 1, "{era:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn answers_of_many_megabytes_come_whole_over_both_versions() {
    for spoken in SPOKEN {
        let (_works, _https, client) = pair(spoken, EraChoice::Modern).await;
        let mut tasks = JoinSet::new();
        for _ in 0..4 {
            let client = client.clone();
            tasks.spawn(async move { client.call("big", json!({ "bytes": 10_000_000 })).await?.read() });
        }
        while let Some(task) = tasks.join_next().await {
            let text: String = task.expect("no panic").expect("an answer");
            assert_eq!(text.len(), 10_000_000, "{spoken:?}");
        }
    }
}

#[tokio::test]
async fn a_server_that_ends_idle_connections_costs_no_call() {
    const ROUNDS: usize = 25;
    for spoken in SPOKEN {
        let (works, https, client) = pair(spoken, EraChoice::Modern).await;
        for round in 0..ROUNDS {
            echo(&client, round).await.expect("an answer");
            https.finish().await;
        }
        assert_eq!(works.begun(), ROUNDS, "{spoken:?}");
        client.close().await;
    }
}

#[tokio::test]
async fn a_call_goes_on_when_its_connection_is_to_end_and_the_next_takes_another() {
    for spoken in SPOKEN {
        let (works, https, client) = pair(spoken, EraChoice::Modern).await;
        let calling = client.clone();
        let call = tokio::spawn(async move { calling.call("wait", json!({})).await });
        works.waiting(1).await;
        https.begin_to_finish();
        works.open(1);
        call.await.expect("no panic").expect("an answer");
        https.finish().await;
        let before = https.handshakes();
        echo(&client, 1).await.expect("an answer");
        assert_eq!((https.handshakes() - before, works.begun()), (1, 2), "{spoken:?}");
    }
}

#[tokio::test]
async fn a_call_whose_connection_is_cut_is_never_sent_again_by_itself() {
    for (spoken, is_announced) in
        [(Spoken::Http1, false), (Spoken::Http1, true), (Spoken::Http2, false), (Spoken::Http2, true)]
    {
        let (works, https, client) = pair(spoken, EraChoice::Modern).await;
        let calling = client.clone();
        let call = tokio::spawn(async move { calling.call("wait", json!({})).await });
        works.waiting(1).await;
        if is_announced {
            let before = https.handshakes();
            https.begin_to_finish();
            // Once other calls take another connection, the client has heard of it.
            while https.handshakes() == before {
                echo(&client, 0).await.expect("an answer");
            }
        }
        let begun = works.begun();
        https.cut().await;
        let error = call.await.expect("no panic").expect_err("cut");
        assert!(matches!(error, ClientError::StreamEnded { .. }), "{spoken:?}: {error}");
        assert!(error.is_outcome_unknown());
        assert_eq!(works.begun(), begun, "{spoken:?}");
        echo(&client, 1).await.expect("an answer over another connection");
    }
}

#[tokio::test]
async fn a_connection_that_died_without_a_word_is_given_up_long_before_the_time_limit() {
    let (works, https, client) = pair(Spoken::Http2, EraChoice::Modern).await;
    let calling = client.clone();
    let call = tokio::spawn(async move { calling.call("wait", json!({})).timeout(HOUR).await });
    works.waiting(1).await;
    https.freeze();
    tokio::time::pause();
    let began = Instant::now();
    let error = call.await.expect("no panic").expect_err("dead");
    let took = began.elapsed();
    tokio::time::resume();
    assert!(matches!(error, ClientError::StreamEnded { source: Some(_), .. }), "{error:?}");
    assert!(took <= Duration::from_secs(30), "{took:?}");
    echo(&client, 1).await.expect("an answer over another connection");
}
