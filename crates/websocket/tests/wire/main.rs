//! WebSockets whose other side is a byte stream in memory, on a clock that stands still until everybody waits.

mod closing;
mod pressure;
mod signs;
mod texts;

use std::time::Duration;

use hermes_websocket::tungstenite::WebSocketStream;
use hermes_websocket::tungstenite::tungstenite::protocol::Role;
use hermes_websocket::{Ended, Lines, Manners, Watched, lines};
use tokio::io::{AsyncReadExt as _, DuplexStream};
use tokio::task::JoinHandle;

/// After how long without a sign of life the other side is pinged, and how long it may take to answer.
const PING: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(20);

/// How long messages may be, in bytes.
const LONGEST: usize = 1 << 20;

/// How much waits between the two sides, in bytes each way.
const ROOM: usize = 1024;

/// A server's side as lines, how it ends, and the bytes of its client.
async fn server() -> (Lines, JoinHandle<Ended>, DuplexStream) {
    let (near, far) = tokio::io::duplex(ROOM);
    let manners = Manners::new(LONGEST).ping(PING, PATIENCE).of_server();
    let (lines, running) = side(near, Role::Server, manners).await;
    (lines, running, far)
}

/// One side as lines.
async fn side(stream: DuplexStream, role: Role, manners: Manners) -> (Lines, JoinHandle<Ended>) {
    let socket = WebSocketStream::from_raw_socket(Watched::new(stream), role, Some(manners.config())).await;
    let (lines, running) = lines(socket, manners);
    (lines, tokio::spawn(running))
}

/// A client that answers pings and close frames as it should.
async fn client(far: DuplexStream) -> WebSocketStream<DuplexStream> {
    WebSocketStream::from_raw_socket(far, Role::Client, None).await
}

/// The next frame of a server, which never masks: the kind and what is in it.
async fn frame(client: &mut DuplexStream) -> (u8, Vec<u8>) {
    let head = client.read_u16().await.expect("a frame");
    assert_eq!(head & 0x8080, 0x8000, "final, and not masked");
    let length = match head & 0x7f {
        126 => usize::from(client.read_u16().await.expect("a length")),
        127 => usize::try_from(client.read_u64().await.expect("a length")).expect("a length"),
        short => usize::from(short),
    };
    let mut content = vec![0; length];
    client.read_exact(&mut content).await.expect("what is in it");
    ((head >> 8) as u8 & 0x0f, content)
}

/// The kinds of frames.
const TEXT: u8 = 1;
const CLOSE: u8 = 8;
const PING_FRAME: u8 = 9;

/// A frame of a client, masked with zeroes, which change nothing.
fn masked(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).ok().filter(|length| *length < 126).expect("a short frame");
    [&[0x80 | kind, 0x80 | length, 0, 0, 0, 0][..], content].concat()
}
