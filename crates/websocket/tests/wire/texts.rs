//! What becomes of messages.

use futures_util::{SinkExt as _, StreamExt as _};
use hermes_websocket::tungstenite::tungstenite::Message;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

use crate::{client, server};

#[tokio::test(start_paused = true)]
async fn a_message_is_a_line_whatever_breaks_are_between_its_tokens() {
    let (lines, _running, far) = server().await;
    let mut client = client(far).await;
    client.send(Message::text("{\n  \"a\":\r\n \"b\\n\"\n}")).await.expect("sent");
    client.send(Message::text("{}")).await.expect("sent");
    let mut lines = BufReader::new(lines);
    let mut read = String::new();
    lines.read_line(&mut read).await.expect("read");
    assert_eq!(read, "{   \"a\":   \"b\\n\" }\n");
    lines.get_mut().write_all(b"[1]\n[2]\n").await.expect("written");
    for expected in ["[1]", "[2]"] {
        assert_eq!(client.next().await.expect("a message").expect("in order"), Message::text(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn a_ping_is_answered_with_what_is_in_it() {
    let (_lines, _running, far) = server().await;
    let mut client = client(far).await;
    client.send(Message::Ping(vec![7].into())).await.expect("sent");
    assert_eq!(client.next().await.expect("a message").expect("in order"), Message::Pong(vec![7].into()));
}
