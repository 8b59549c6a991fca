//! What a WebSocket makes of the other side, with the clock paused.

use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use hermes_websocket::tungstenite::WebSocketStream;
use hermes_websocket::tungstenite::tungstenite::Message;
use hermes_websocket::tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use hermes_websocket::tungstenite::tungstenite::protocol::{CloseFrame, Role};
use hermes_websocket::{Ended, Lines, Manners, lines};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;
use tokio::time::Instant;

type Raw = WebSocketStream<DuplexStream>;

/// A server's lines, and a client that is driven raw.
async fn pair(manners: Manners) -> (Lines, JoinHandle<Ended>, Raw) {
    let (near, far) = tokio::io::duplex(1024);
    let server = WebSocketStream::from_raw_socket(near, Role::Server, Some(manners.config())).await;
    let (lines, running) = lines(server, manners);
    (lines, tokio::spawn(running), WebSocketStream::from_raw_socket(far, Role::Client, None).await)
}

/// The code that the server closes with.
async fn close_code(raw: &mut Raw) -> u16 {
    loop {
        match raw.next().await.expect("a message").expect("in order") {
            Message::Close(frame) => return frame.expect("a frame").code.into(),
            _ => continue,
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_is_a_line_whatever_breaks_are_between_its_tokens() {
    let (server, running, mut raw) = pair(Manners::new(1024)).await;
    raw.send(Message::text("{\n  \"a\":\r\n \"b\\n\"\n}")).await.expect("sent");
    raw.send(Message::text("{}")).await.expect("sent");
    let mut server = BufReader::new(server);
    let mut read = String::new();
    server.read_line(&mut read).await.expect("read");
    assert_eq!(read, "{   \"a\":   \"b\\n\" }\n");
    server.get_mut().write_all(b"[1]\n[2]\n").await.expect("written");
    for expected in ["[1]", "[2]"] {
        assert_eq!(raw.next().await.expect("a message").expect("in order"), Message::text(expected));
    }
    drop(server);
    assert_eq!(close_code(&mut raw).await, 1000);
    assert!(raw.next().await.is_none());
    assert!(matches!(running.await.expect("no panic"), Ended::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_has_said_all_goes_away() {
    let (mut server, running, mut raw) = pair(Manners::new(1024).of_server()).await;
    server.write_all(b"[1]\n").await.expect("written");
    drop(server);
    assert_eq!(raw.next().await.expect("a message").expect("in order"), Message::text("[1]"));
    assert_eq!(close_code(&mut raw).await, 1001);
    assert!(raw.next().await.is_none());
    assert!(matches!(running.await.expect("no panic"), Ended::Closed));
}

#[tokio::test(start_paused = true)]
async fn what_is_not_accepted_is_closed_with_its_code_and_told_to_the_reader() {
    let too_long = Message::text("x".repeat(1025));
    let no_text = Message::Binary(vec![1, 2, 3].into());
    for (message, code, words) in
        [(too_long, 1009, "a message that is too long"), (no_text, 1003, "a binary message")]
    {
        let (mut server, running, mut raw) = pair(Manners::new(1024)).await;
        let told = async {
            let mut read = String::new();
            let error = server.read_to_string(&mut read).await.expect_err("no regular end");
            assert_eq!(read, "");
            error.to_string()
        };
        let refused = async {
            // It may be refused before all of it was sent.
            let _ = raw.send(message).await;
            close_code(&mut raw).await
        };
        let (told, refused) = tokio::join!(told, refused);
        assert_eq!(refused, code);
        assert!(told.contains(words) && told.contains(&code.to_string()), "{told}");
        drop((server, raw));
        assert!(
            matches!(running.await.expect("no panic"), Ended::Unacceptable { code: is, .. } if is == code)
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_with_a_code_of_its_own_is_told_and_a_regular_one_is_the_end() {
    for (code, reason, told) in [
        (1000, "", None),
        (1001, "bye", None),
        (1013, "too busy", Some("the other side closed the WebSocket with 1013: too busy")),
        (4001, "", Some("the other side closed the WebSocket with 4001")),
    ] {
        let (mut server, running, mut raw) = pair(Manners::new(1024)).await;
        let frame = CloseFrame { code: CloseCode::from(code), reason: reason.into() };
        raw.send(Message::Close(Some(frame))).await.expect("sent");
        let mut read = String::new();
        let end = server.read_to_string(&mut read).await;
        assert_eq!(end.err().map(|error| error.to_string()).as_deref(), told, "{code}");
        while raw.next().await.is_some() {}
        drop(server);
        let ended = running.await.expect("no panic");
        assert_eq!(matches!(ended, Ended::Closed), told.is_none(), "{ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_and_silence_is_pinged_and_then_closed() {
    let manners = Manners::new(1024).ping(Duration::from_secs(30), Duration::from_secs(10));
    let (server, running, mut raw) = pair(manners).await;
    raw.send(Message::Ping(vec![7].into())).await.expect("sent");
    assert_eq!(raw.next().await.expect("a message").expect("in order"), Message::Pong(vec![7].into()));

    // Whoever answers its pings is left in peace.
    let began = Instant::now();
    for _ in 0..3 {
        let ping = raw.next().await.expect("a message").expect("in order");
        assert!(matches!(ping, Message::Ping(_)), "{ping:?}");
        raw.flush().await.expect("answered");
    }
    assert_eq!(began.elapsed(), Duration::from_secs(90));

    // Whoever does not even read is closed.
    let ended = running.await.expect("no panic");
    assert!(matches!(ended, Ended::Silent), "{ended:?}");
    assert!(began.elapsed() <= Duration::from_secs(90 + 30 + 10 + 10 + 1), "{:?}", began.elapsed());
    drop(server);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_breaks_is_told_to_the_reader() {
    let (mut server, running, raw) = pair(Manners::new(1024)).await;
    drop(raw);
    let mut read = String::new();
    let error = server.read_to_string(&mut read).await.expect_err("it broke");
    assert!(error.to_string().contains("cut off without a word"), "{error}");
    drop(server);
    assert!(matches!(running.await.expect("no panic"), Ended::Broken(_)));
}

#[tokio::test]
async fn whoever_does_not_read_is_not_read_from() {
    let (server, running, mut raw) = pair(Manners::new(1 << 20)).await;
    let flood = tokio::spawn(async move {
        for number in 0..1000 {
            raw.send(Message::text(format!("{{\"n\":{number},\"x\":\"{}\"}}", "y".repeat(1000))))
                .await
                .expect("sent");
        }
        raw
    });
    // Nobody reads: what fits between the two ends is all that can be sent.
    for _ in 0..1000 {
        tokio::task::yield_now().await;
    }
    assert!(!flood.is_finished());
    let mut server = BufReader::new(server).lines();
    for number in 0..1000 {
        let line = server.next_line().await.expect("read").expect("a line");
        assert!(line.starts_with(&format!("{{\"n\":{number},")), "{line}");
    }
    let raw = flood.await.expect("all was sent");
    drop((server, raw));
    running.await.expect("no panic");
}
