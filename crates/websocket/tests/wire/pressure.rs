//! Whoever is not read from is held up, and nothing piles up between.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::{SinkExt as _, StreamExt as _};
use hermes_websocket::tungstenite::tungstenite::Message;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::{Duration, sleep};

use crate::{client, server};

/// How much may lie between the two ends at most: one message, and the rooms of the pipes and buffers.
const MOST: usize = 512 * 1024;

/// Many messages, of 64 KiB each.
const MESSAGES: usize = 200;
const LENGTH: usize = 64 * 1024;

#[tokio::test(start_paused = true)]
async fn a_program_that_does_not_read_holds_up_the_other_side() {
    let (lines, _running, far) = server().await;
    let mut client = client(far).await;
    let sent = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&sent);
    let saying = tokio::spawn(async move {
        for _ in 0..MESSAGES {
            client.send(Message::text("x".repeat(LENGTH))).await.expect("it is taken in the end");
            count.fetch_add(LENGTH, Ordering::Relaxed);
        }
        client
    });
    sleep(Duration::from_secs(600)).await;
    let held = sent.load(Ordering::Relaxed);
    assert!(held <= MOST, "{held} bytes were taken that nobody has read");
    let mut read = BufReader::new(lines).lines();
    for _ in 0..MESSAGES {
        assert_eq!(read.next_line().await.expect("a line").map(|line| line.len()), Some(LENGTH));
    }
    saying.await.expect("it says all");
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_holds_up_the_program_and_misses_nothing() {
    let (mut lines, _running, far) = server().await;
    let mut client = client(far).await;
    let written = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&written);
    let writing = tokio::spawn(async move {
        let line = [&[b'x'; LENGTH][..], b"\n"].concat();
        for _ in 0..MESSAGES {
            lines.write_all(&line).await.expect("it is taken in the end");
            count.fetch_add(LENGTH, Ordering::Relaxed);
        }
        lines
    });
    sleep(Duration::from_secs(40)).await;
    let held = written.load(Ordering::Relaxed);
    assert!(held <= MOST, "{held} bytes were taken that nobody has read");
    let mut heard = 0;
    while heard < MESSAGES {
        match client.next().await {
            Some(Ok(Message::Text(text))) => {
                assert_eq!(text.len(), LENGTH);
                heard += 1;
            }
            Some(Ok(Message::Ping(_))) => {}
            other => panic!("{other:?}"),
        }
    }
    writing.await.expect("it writes all");
}
