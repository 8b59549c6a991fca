//! How a WebSocket ends, and what each side is told.

use futures_util::{SinkExt as _, StreamExt as _};
use hermes_websocket::tungstenite::tungstenite::Message;
use hermes_websocket::tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use hermes_websocket::tungstenite::tungstenite::protocol::{CloseFrame, Role};
use hermes_websocket::{Ended, Manners};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::Instant;

use crate::{CLOSE, LONGEST, PATIENCE, TEXT, client, frame, masked, server, side};

#[tokio::test(start_paused = true)]
async fn what_is_not_accepted_is_closed_with_the_code_that_says_so() {
    let too_long = [&[0x81, 0xff][..], &(LONGEST as u64 + 1).to_be_bytes(), &[0; 4]].concat();
    for (what, bytes, code) in [
        ("binary", masked(2, b"{}"), 1003),
        ("too long", too_long, 1009),
        ("no UTF-8", masked(TEXT, &[0xff, 0xfe]), 1007),
        ("no kind of frame", masked(3, b"{}"), 1002),
        ("not masked", b"\x81\x02{}".to_vec(), 1002),
        ("a reserved bit", [&[0xc1, 0x80][..], &[0; 4]].concat(), 1002),
        ("a continuation of nothing", masked(0, b"{}"), 1002),
    ] {
        let (mut lines, running, mut far) = server().await;
        far.write_all(&bytes).await.expect(what);
        let (kind, words) = frame(&mut far).await;
        assert_eq!((kind, u16::from_be_bytes([words[0], words[1]])), (CLOSE, code), "{what}");
        drop(far);
        match running.await {
            Ok(Ended::Unacceptable { code: told, .. }) => assert_eq!(told, code, "{what}"),
            other => panic!("{what}: {other:?}"),
        }
        assert!(lines.read_u8().await.is_err(), "{what}: the reader is told");
    }
}

#[tokio::test(start_paused = true)]
async fn a_message_of_just_the_length_that_may_be_is_read() {
    let (lines, _running, far) = server().await;
    let mut client = client(far).await;
    let saying = tokio::spawn(async move { client.send(Message::text("x".repeat(LONGEST))).await });
    let mut line = vec![0; LONGEST + 1];
    let mut lines = lines;
    lines.read_exact(&mut line).await.expect("a line");
    assert_eq!(line.last(), Some(&b'\n'));
    assert!(saying.await.is_ok_and(|said| said.is_ok()));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_has_said_all_closes_with_1000_and_a_server_with_1001() {
    for (role, manners, code) in [
        (Role::Client, Manners::new(LONGEST), CloseCode::Normal),
        (Role::Server, Manners::new(LONGEST).of_server(), CloseCode::Away),
    ] {
        let (near, far) = tokio::io::duplex(1024);
        let (lines, running) = side(near, role, manners).await;
        let other = if role == Role::Client { Role::Server } else { Role::Client };
        let (mut heard, other_runs) = side(far, other, Manners::new(LONGEST)).await;
        let began = Instant::now();
        drop(lines);
        assert_eq!(heard.read(&mut [0; 8]).await.expect("the end is no error"), 0, "{code}");
        assert!(matches!(running.await, Ok(Ended::Closed)));
        assert!(matches!(other_runs.await, Ok(Ended::Closed)));
        assert_eq!(began.elapsed().as_secs(), 0, "both are told at once");
    }
}

#[tokio::test(start_paused = true)]
async fn the_code_of_whoever_closes_is_told_to_the_reader_unless_it_is_the_regular_one() {
    for (code, is_error) in [
        (CloseCode::Normal, false),
        (CloseCode::Away, false),
        (CloseCode::Again, true),
        (CloseCode::Policy, true),
        (CloseCode::Library(4000), true),
    ] {
        let (mut lines, running, far) = server().await;
        let mut client = client(far).await;
        client.close(Some(CloseFrame { code, reason: "so it is".into() })).await.expect("it is told");
        let read = lines.read(&mut [0; 8]).await;
        assert_eq!(read.is_err(), is_error, "{code}: {read:?}");
        if let Err(error) = read {
            let words = format!("the other side closed the WebSocket with {code}: so it is");
            assert_eq!(error.to_string(), words);
        }
        // The close frame is answered with the same code.
        let answer = client.next().await;
        assert!(matches!(&answer, Some(Ok(Message::Close(Some(frame)))) if frame.code == code), "{answer:?}");
        drop(client);
        let ended = running.await.expect("it ends");
        assert_eq!(matches!(ended, Ended::Refused { .. }), is_error, "{ended:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_that_is_not_answered_is_not_waited_for() {
    let (lines, running, mut far) = server().await;
    let began = Instant::now();
    drop(lines);
    assert_eq!(frame(&mut far).await.0, CLOSE);
    assert!(matches!(running.await, Ok(Ended::Closed)));
    assert_eq!(began.elapsed(), PATIENCE);
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_cut_is_told_to_the_reader() {
    let (mut lines, running, far) = server().await;
    drop(far);
    let error = lines.read_u8().await.expect_err("the reader is told");
    assert_eq!(error.to_string(), "the WebSocket broke: it was cut off without a word");
    assert!(matches!(running.await, Ok(Ended::Broken(_))));
}

#[tokio::test(start_paused = true)]
async fn what_was_written_before_the_end_is_sent_before_the_close() {
    let (mut lines, running, mut far) = server().await;
    lines.write_all(b"one\ntwo\nthree").await.expect("there is room");
    drop(lines);
    for word in ["one", "two", "three"] {
        assert_eq!(frame(&mut far).await, (TEXT, word.as_bytes().to_vec()));
    }
    assert_eq!(frame(&mut far).await.0, CLOSE);
    drop(far);
    assert!(matches!(running.await, Ok(Ended::Closed)));
}
