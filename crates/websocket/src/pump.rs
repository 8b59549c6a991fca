//! Between the frames of a WebSocket and the lines of a byte stream.
//!
//! ```text
//!   WebSocket --- text ---> receive ---> line ---> whoever reads
//!       ^                      |
//!       |                      | signs of life
//!       |                      v
//!       +------- text -------- send <--- line <--- whoever writes
//!                              |
//!                              +--- a ping when nothing came for a while
//! ```
//!
//! Whichever direction ends first tells the other side why, with a close frame.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf,
    WriteHalf, split,
};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::{Ended, Manners};

type Sink<S> = SplitSink<WebSocketStream<S>, Message>;

/// Carries messages both ways until one side has ended.
pub(crate) async fn run<S>(
    socket: WebSocketStream<S>,
    lines: DuplexStream,
    manners: Manners,
    told: Arc<OnceLock<String>>,
) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut sink, mut stream) = socket.split();
    let (reader, writer) = split(lines);
    let alive = Alive(Mutex::new(Instant::now()));
    let mut writer = Some(writer);
    let ended = tokio::select! {
        biased;
        ended = send(&mut sink, reader, manners, &alive) => ended,
        ended = receive(&mut stream, &mut writer, &alive) => ended,
    };
    if !matches!(ended, Ended::Closed) {
        // Nobody else says it.
        let _ = told.set(ended.to_string());
    }
    // Only now is the end of the lines read.
    drop(writer);
    let farewell = async {
        if let Some(frame) = ended.frame(manners.farewell) {
            // It may be gone already.
            let _ = sink.send(Message::Close(Some(frame))).await;
        }
        // The answer to a close frame is sent by reading on.
        while let Some(Ok(_)) = stream.next().await {}
    };
    // One that does not answer is not waited for.
    let _ = timeout(manners.patience, farewell).await;
    ended
}

/// Makes lines of what comes.
async fn receive<S>(
    stream: &mut SplitStream<WebSocketStream<S>>,
    writer: &mut Option<WriteHalf<DuplexStream>>,
    alive: &Alive,
) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        let message = match stream.next().await {
            Some(Ok(message)) => message,
            Some(Err(error)) => return Ended::failed(error),
            None => return Ended::Closed,
        };
        alive.now();
        match message {
            Message::Text(text) => {
                // Between the tokens of JSON a line break is a space; within one there is none.
                let mut line = text.as_str().replace(['\n', '\r'], " ").into_bytes();
                line.push(b'\n');
                let Some(writer) = writer else { return Ended::Closed };
                if writer.write_all(&line).await.is_err() {
                    return Ended::Closed;
                }
                // Whoever reads may have taken the time: the other side is not to blame.
                alive.now();
            }
            Message::Binary(_) => return Ended::unacceptable(1003, "a binary message"),
            Message::Close(frame) => return Ended::told(frame),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

/// When the other side gave its last sign of life.
struct Alive(Mutex<Instant>);

impl Alive {
    fn now(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn last(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends lines, and pings when nothing comes.
async fn send<S>(sink: &mut Sink<S>, reader: ReadHalf<DuplexStream>, manners: Manners, alive: &Alive) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut lines = BufReader::new(reader).lines();
    let mut pinged: Option<Instant> = None;
    loop {
        let due = match pinged.filter(|pinged| alive.last() < *pinged) {
            Some(pinged) => pinged + manners.patience,
            None => {
                pinged = None;
                alive.last() + manners.ping
            }
        };
        tokio::select! {
            line = lines.next_line() => {
                let sent = match line {
                    Ok(Some(line)) => sink.send(Message::text(line)).await,
                    Ok(None) | Err(_) => return Ended::Closed,
                };
                if let Err(error) = sent {
                    return Ended::failed(error);
                }
            }
            () = sleep_until(due) => {
                if alive.last() + manners.ping > Instant::now() {
                    continue;
                }
                if pinged.is_some_and(|pinged| alive.last() < pinged) {
                    return Ended::Silent;
                }
                pinged = Some(Instant::now());
                if let Err(error) = sink.send(Message::Ping(bytes::Bytes::new())).await {
                    return Ended::failed(error);
                }
            }
        }
    }
}
