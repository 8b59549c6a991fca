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
//! Whichever direction ends first tells the other side why, with a close frame. Neither direction is read from faster
//! than the other end of it is written to, so nothing piles up here.

use std::pin::pin;
use std::sync::{Arc, OnceLock};

use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{
    AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf,
    WriteHalf, split,
};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use crate::watched::Signs;
use crate::{Ended, Manners, Watched};

type Socket<S> = WebSocketStream<Watched<S>>;

/// Carries messages both ways until one side has ended.
pub(crate) async fn run<S>(
    socket: Socket<S>,
    lines: DuplexStream,
    manners: Manners,
    told: Arc<OnceLock<String>>,
) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let signs = socket.get_ref().signs().clone();
    let (sink, mut stream) = socket.split();
    let mut sender = Sender { sink, manners, signs: signs.clone() };
    let (reader, writer) = split(lines);
    let mut writer = Some(writer);
    let ended = tokio::select! {
        biased;
        ended = sender.send(reader) => ended,
        ended = receive(&mut stream, &mut writer, &signs) => ended,
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
            let _ = sender.sink.send(Message::Close(Some(frame))).await;
        }
        // The answer to a close frame is sent, or waited for, by reading on. From the dead nothing comes.
        while !matches!(ended, Ended::Silent | Ended::Unread)
            && let Some(Ok(_)) = stream.next().await
        {}
    };
    // One that does not answer is not waited for.
    let _ = timeout(manners.patience, farewell).await;
    ended
}

/// Makes lines of what comes.
async fn receive<S>(
    stream: &mut SplitStream<Socket<S>>,
    writer: &mut Option<WriteHalf<DuplexStream>>,
    signs: &Signs,
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
        match message {
            Message::Text(text) => {
                // Between the tokens of JSON a line break is a space; within one there is none.
                let mut line = text.as_str().replace(['\n', '\r'], " ").into_bytes();
                line.push(b'\n');
                let Some(writer) = writer else { return Ended::Closed };
                // Whoever reads may take the time: the other side is not to blame.
                let _held = signs.hold();
                if writer.write_all(&line).await.is_err() {
                    return Ended::Closed;
                }
            }
            Message::Binary(_) => return Ended::unacceptable(1003, "a binary message"),
            Message::Close(frame) => return Ended::told(frame),
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

/// What is said to the other side.
struct Sender<S> {
    sink: SplitSink<Socket<S>, Message>,
    manners: Manners,
    signs: Signs,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sender<S> {
    /// Sends lines, and pings when nothing comes.
    async fn send(&mut self, reader: ReadHalf<DuplexStream>) -> Ended {
        let mut lines = BufReader::new(reader).lines();
        let mut pinged: Option<Instant> = None;
        loop {
            // Whatever came since was an answer.
            pinged = pinged.filter(|pinged| self.signs.heard() < *pinged);
            let due = match pinged {
                Some(pinged) => pinged + self.manners.patience,
                None => self.signs.heard() + self.manners.ping,
            };
            let message = tokio::select! {
                line = lines.next_line() => match line {
                    Ok(Some(line)) => Message::text(line),
                    Ok(None) | Err(_) => return Ended::Closed,
                },
                () = sleep_until(due) => {
                    let heard = self.signs.heard();
                    match pinged {
                        Some(pinged) if heard < pinged => return Ended::Silent,
                        None if heard + self.manners.ping <= Instant::now() => {
                            pinged = Some(Instant::now());
                            Message::Ping(bytes::Bytes::new())
                        }
                        // Something came meanwhile.
                        _ => continue,
                    }
                }
            };
            if let Err(ended) = self.say(message).await {
                return ended;
            }
        }
    }

    /// Sends one message, for as long as the other side takes some of it now and then.
    async fn say(&mut self, message: Message) -> Result<(), Ended> {
        let began = Instant::now();
        let mut sending = pin!(self.sink.send(message));
        loop {
            let due = self.signs.taken().max(began) + self.manners.ping + self.manners.patience;
            if due <= Instant::now() {
                return Err(Ended::Unread);
            }
            tokio::select! {
                biased;
                sent = &mut sending => return sent.map_err(Ended::failed),
                () = sleep_until(due) => {}
            }
        }
    }
}
