//! Whether the other side is alive.

use futures_util::{SinkExt as _, StreamExt as _};
use hermes_websocket::Ended;
use hermes_websocket::tungstenite::tungstenite::{Bytes, Message};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::time::{Duration, Instant, sleep};

use crate::{CLOSE, PATIENCE, PING, PING_FRAME, ROOM, TEXT, client, frame, masked, server};

#[tokio::test(start_paused = true)]
async fn whoever_gives_no_sign_of_life_is_pinged_and_then_told_that_it_is_over() {
    let (mut lines, running, mut far) = server().await;
    let began = Instant::now();
    assert_eq!(frame(&mut far).await, (PING_FRAME, Vec::new()));
    assert_eq!(began.elapsed(), PING);
    let (kind, words) = frame(&mut far).await;
    assert_eq!((kind, &words[..2]), (CLOSE, &1001_u16.to_be_bytes()[..]), "{words:?}");
    assert_eq!(began.elapsed(), PING + PATIENCE);
    assert!(matches!(running.await, Ok(Ended::Silent)));
    // Nobody waits for the dead to say good-bye.
    assert_eq!(began.elapsed(), PING + PATIENCE);
    let error = lines.read_u8().await.expect_err("the reader is told");
    assert_eq!(error.to_string(), "the other side of the WebSocket gave no sign of life");
}

#[tokio::test(start_paused = true)]
async fn whoever_answers_pings_may_say_nothing_for_a_day() {
    let (lines, running, far) = server().await;
    let mut client = client(far).await;
    let day = sleep(Duration::from_secs(86_400));
    tokio::pin!(day);
    let mut pings = 0;
    loop {
        tokio::select! {
            () = &mut day => break,
            message = client.next() => match message {
                Some(Ok(Message::Ping(_))) => pings += 1,
                other => panic!("{other:?}"),
            },
        }
    }
    assert_eq!(pings, 86_400 / PING.as_secs() - 1, "one after each pause");
    assert!(!running.is_finished());
    drop(lines);
    while !matches!(client.next().await, Some(Ok(Message::Close(_)))) {}
}

#[tokio::test(start_paused = true)]
async fn whoever_talks_is_not_pinged() {
    let (lines, running, far) = server().await;
    let mut client = client(far).await;
    let mut read = BufReader::new(lines).lines();
    for number in 0..100 {
        sleep(PING - Duration::from_secs(1)).await;
        client.send(Message::text(number.to_string())).await.expect("it is read");
        assert_eq!(read.next_line().await.expect("a line"), Some(number.to_string()));
    }
    drop(read);
    // The first thing that the client hears is the end.
    assert!(matches!(client.next().await, Some(Ok(Message::Close(_)))));
    drop(client);
    assert!(matches!(running.await, Ok(Ended::Closed)));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_comes_byte_by_byte_is_a_sign_of_life_all_the_time() {
    let (lines, running, mut far) = server().await;
    let mut read = BufReader::new(lines).lines();
    let slow = async {
        for byte in masked(TEXT, b"{\"slow\":true}") {
            sleep(PING - Duration::from_secs(1)).await;
            far.write_all(&[byte]).await.expect("it is read");
        }
    };
    let (line, ()) = tokio::join!(read.next_line(), slow);
    assert_eq!(line.expect("a line").as_deref(), Some("{\"slow\":true}"));
    assert!(!running.is_finished());
}

#[tokio::test(start_paused = true)]
async fn whoever_never_reads_is_cut_and_the_writer_is_not_kept() {
    let (mut lines, running, far) = server().await;
    let mut client = client(far).await;
    let began = Instant::now();
    let talking = async {
        // It is alive, and says so all the time; but it does not read.
        loop {
            sleep(Duration::from_secs(5)).await;
            let said = client.send(Message::Pong(Bytes::new())).await;
            if said.is_err() {
                return;
            }
        }
    };
    let writing = async { lines.write_all(&b"{}\n".repeat(1 << 20)).await };
    let (written, ended, ()) = tokio::join!(writing, running, talking);
    assert!(written.is_err(), "the writer is told");
    assert!(matches!(ended, Ok(Ended::Unread)), "{ended:?}");
    // At once when the time is over: the client's next word shows that the connection is gone.
    assert!(began.elapsed() <= PING + PATIENCE + Duration::from_secs(5), "{:?}", began.elapsed());
    let error = lines.read_u8().await.expect_err("the reader is told");
    assert_eq!(error.to_string(), "the other side of the WebSocket does not read");
}

#[tokio::test(start_paused = true)]
async fn whoever_reads_slowly_gets_everything_however_long_it_takes() {
    let (mut lines, running, mut far) = server().await;
    let began = Instant::now();
    let saying = tokio::spawn(async move {
        lines.write_all(&[&[b'x'; 200_000][..], b"\n"].concat()).await.expect("it is taken in the end");
        lines
    });
    let mut heard = Vec::new();
    let mut piece = [0; ROOM];
    while heard.len() < 200_010 {
        sleep(PATIENCE - Duration::from_secs(1)).await;
        let read = far.read(&mut piece).await.expect("more of it");
        heard.extend_from_slice(&piece[..read]);
    }
    assert_eq!(heard[..10], [0x81, 127, 0, 0, 0, 0, 0, 3, 0x0d, 0x40], "200,000 bytes of text");
    assert!(heard[10..200_010].iter().all(|byte| *byte == b'x'));
    assert!(began.elapsed() > 50 * (PING + PATIENCE), "{:?}", began.elapsed());
    assert!(!running.is_finished());
    saying.await.expect("it says all");
}

#[tokio::test(start_paused = true)]
async fn a_program_that_does_not_read_for_an_hour_blames_nobody_else() {
    let (lines, running, far) = server().await;
    let mut client = client(far).await;
    let long = "x".repeat(100_000);
    let saying = tokio::spawn(async move {
        client.send(Message::text(long)).await.expect("there is time");
        client
    });
    sleep(Duration::from_secs(3600)).await;
    assert!(!running.is_finished(), "the client could not be heard");
    let mut read = BufReader::new(lines).lines();
    assert_eq!(read.next_line().await.expect("a line").map(|line| line.len()), Some(100_000));
    let mut client = saying.await.expect("it says all");
    drop(read);
    while !matches!(client.next().await, Some(Ok(Message::Close(_)))) {}
    drop(client);
    assert!(matches!(running.await, Ok(Ended::Closed)));
}
