//! What a server answers: a head, and a body that is read piece by piece.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hermes_proto::framing::sse::{EventReader, Incoming};
use serde_json::Value;
use tokio::time::timeout;

use crate::raw::connection::{Connection, PATIENCE};
use crate::raw::error::RawError;
use crate::raw::head::{Framing, Head};
use crate::raw::judge::Judge;

/// How long an event may be.
const LONGEST_EVENT: usize = 256 * 1024 * 1024;

/// An answer whose head was read and whose body is still on its way.
///
/// Dropping it closes the connection.
#[derive(Debug)]
pub struct Answer {
    /// Status and headers.
    pub head: Head,
    connection: Connection,
    framing: Framing,
    /// What is left of the current chunk.
    chunk: usize,
    /// The last chunk, or all of the length, was read.
    ended: bool,
    lines: Lines,
    events: EventReader,
    judge: Option<Arc<Mutex<Judge>>>,
}

/// One thing that an event stream says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A comment, without its colon.
    Comment(String),
    /// The stream ended as HTTP says it has to.
    End,
    /// An event, also one without data.
    Event(Event),
}

/// An event as it stood on the wire.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id, if it has a line for one.
    pub id: Option<String>,
    /// Its type; `message` if it names none.
    pub name: String,
    /// How long to wait before a reconnection, if it says so.
    pub retry: Option<Duration>,
    /// Its data; `None` without a line for it.
    pub data: Option<String>,
}

impl Event {
    /// The event's message; `None` if it carries none.
    ///
    /// # Errors
    /// [`RawError::Broken`] if its data are no JSON.
    pub fn message(&self) -> Result<Option<Value>, RawError> {
        match &self.data {
            Some(data) if !data.is_empty() && self.name == "message" => serde_json::from_str(data)
                .map(Some)
                .map_err(|_| RawError::broken("a message in the event", data.as_bytes())),
            _ => Ok(None),
        }
    }
}

/// All that an answer said, whose last message is the response.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Notifications and requests of the server, in order.
    pub before: Vec<Value>,
    /// The response.
    pub response: Value,
    /// Every event id, in order.
    pub ids: Vec<String>,
}

impl Answer {
    /// Reads the head of the next answer.
    ///
    /// # Errors
    /// See [`Connection::head`].
    pub async fn read(connection: Connection) -> Result<Self, RawError> {
        Self::judged_by(connection, None).await
    }

    pub(super) async fn judged_by(
        mut connection: Connection,
        judge: Option<Arc<Mutex<Judge>>>,
    ) -> Result<Self, RawError> {
        let head = connection.head().await?;
        let framing = head.framing()?;
        Ok(Self {
            head,
            connection,
            framing,
            chunk: 0,
            ended: framing == Framing::Length(0),
            lines: Lines::default(),
            events: EventReader::new(LONGEST_EVENT),
            judge,
        })
    }

    /// The status code.
    #[must_use]
    pub const fn status(&self) -> u16 {
        self.head.status
    }

    /// Whether the body is a stream of events.
    #[must_use]
    pub fn is_events(&self) -> bool {
        self.head.media_type() == Some("text/event-stream")
    }

    /// The id of the last event that was read, for `Last-Event-ID`.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        self.events.last_event_id()
    }

    /// How many bytes were read from the connection and used, the head included.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.connection.taken()
    }

    /// The next bytes of the body, as they come; `None` at its end.
    ///
    /// # Errors
    /// [`RawError::Cut`] if the connection ends before the body does.
    pub async fn part(&mut self) -> Result<Option<Vec<u8>>, RawError> {
        if self.ended {
            return Ok(None);
        }
        match &mut self.framing {
            Framing::Length(left) => {
                let part = self.connection.some(*left).await?;
                *left -= part.len();
                self.ended = *left == 0;
                if part.is_empty() { Err(RawError::ended()) } else { Ok(Some(part)) }
            }
            Framing::UntilTheEnd => {
                let part = self.connection.some(usize::MAX).await?;
                self.ended = part.is_empty();
                Ok(Some(part).filter(|part| !part.is_empty()))
            }
            Framing::Chunked => self.part_of_a_chunk().await,
        }
    }

    async fn part_of_a_chunk(&mut self) -> Result<Option<Vec<u8>>, RawError> {
        if self.chunk == 0 {
            let line = self.connection.line().await?;
            let size = std::str::from_utf8(&line).ok().and_then(|line| line.split(';').next());
            let size = size.and_then(|size| usize::from_str_radix(size.trim(), 16).ok());
            self.chunk = size.ok_or_else(|| RawError::broken("the size of a chunk", &line))?;
            if self.chunk == 0 {
                while self.connection.line().await? != b"\r\n" {}
                self.ended = true;
                return Ok(None);
            }
        }
        let part = self.connection.some(self.chunk).await?;
        if part.is_empty() {
            return Err(RawError::ended());
        }
        self.chunk -= part.len();
        if self.chunk == 0 {
            let end = self.connection.exactly(2).await?;
            if end != b"\r\n" {
                return Err(RawError::broken("the end of a chunk", &end));
            }
        }
        Ok(Some(part))
    }

    /// The whole body.
    ///
    /// # Errors
    /// As for [`part`](Self::part).
    pub async fn body(&mut self) -> Result<Vec<u8>, RawError> {
        let mut body = Vec::new();
        while let Some(part) = self.part().await? {
            body.extend_from_slice(&part);
        }
        Ok(body)
    }

    /// The whole body as one message, or one batch of them.
    ///
    /// # Errors
    /// The body is not `application/json`, or no JSON, or a message that its revision does not allow.
    pub async fn json(&mut self) -> Result<Value, RawError> {
        let body = self.body().await?;
        if self.head.media_type() != Some("application/json") {
            return Err(RawError::broken("application/json", format!("{:?} {body:?}", self.head).as_bytes()));
        }
        self.judged(|judge| judge.message(&body))?;
        serde_json::from_slice(&body).map_err(|_| RawError::broken("JSON", &body))
    }

    /// The next event, comment, or the end of an event stream.
    ///
    /// # Errors
    /// [`RawError::Cut`] if the connection ends before the stream does; [`RawError::Broken`] if the body is no event
    /// stream or an event is broken; [`RawError::Misjudged`] if the schema does not allow the event's message.
    pub async fn frame(&mut self) -> Result<Frame, RawError> {
        if !self.is_events() {
            let body = self.body().await?;
            return Err(RawError::broken(
                "text/event-stream",
                format!("{:?} {}", self.head, String::from_utf8_lossy(&body)).as_bytes(),
            ));
        }
        let mut event = Event { name: "message".to_owned(), ..Event::default() };
        let mut begun = false;
        loop {
            let Some(line) = self.lines.next() else {
                match self.part().await? {
                    Some(part) => self.lines.add(&part),
                    None if begun || self.lines.has_rest() => {
                        return Err(RawError::broken("a whole event at the end", self.lines.rest()));
                    }
                    None => return Ok(Frame::End),
                }
                continue;
            };
            let read = self.events.read(&mut &*line);
            let text =
                String::from_utf8(line).map_err(|error| RawError::broken("UTF-8", error.as_bytes()))?;
            let text = text.trim_end_matches(['\r', '\n']);
            if let Some(comment) = text.strip_prefix(':') {
                return Ok(Frame::Comment(comment.trim().to_owned()));
            }
            begun |= !text.is_empty();
            let (field, value) = text.split_once(':').unwrap_or((text, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = value.parse().ok().map(Duration::from_millis),
                "" if begun => {
                    match read {
                        Some(Incoming::Event(whole)) => {
                            event.name = whole.name;
                            event.data = Some(whole.data);
                        }
                        None => {}
                        Some(other) => {
                            return Err(RawError::broken("an event", format!("{other:?}").as_bytes()));
                        }
                    }
                    if let Some(data) = event.data.as_deref().filter(|data| !data.is_empty()) {
                        self.judged(|judge| judge.event(event.id.as_deref(), data))?;
                    }
                    return Ok(Frame::Event(event));
                }
                _ => {}
            }
        }
    }

    /// The next message of an event stream; `None` at its end. Comments and events without data are left out.
    ///
    /// # Errors
    /// [`RawError::Silent`] if no message comes for [`PATIENCE`], however many comments do; and as for
    /// [`frame`](Self::frame).
    pub async fn message(&mut self) -> Result<Option<Value>, RawError> {
        timeout(PATIENCE, self.next_message()).await.map_err(|_| RawError::Silent)?
    }

    async fn next_message(&mut self) -> Result<Option<Value>, RawError> {
        loop {
            match self.frame().await? {
                Frame::Comment(_) => {}
                Frame::End => return Ok(None),
                Frame::Event(event) => {
                    if let Some(message) = event.message()? {
                        return Ok(Some(message));
                    }
                }
            }
        }
    }

    /// Reads to the end what has to be the whole answer to a request: JSON with the response, or an event stream
    /// that ends behind it.
    ///
    /// # Errors
    /// There is no response, or something behind it; [`RawError::Silent`] if all of it takes longer than [`PATIENCE`],
    /// however many comments come; and as for [`json`](Self::json) and [`frame`](Self::frame).
    pub async fn outcome(&mut self) -> Result<Outcome, RawError> {
        timeout(PATIENCE, self.whole_outcome()).await.map_err(|_| RawError::Silent)?
    }

    async fn whole_outcome(&mut self) -> Result<Outcome, RawError> {
        let (mut before, mut ids) = (Vec::new(), Vec::new());
        if !self.is_events() {
            let response = self.json().await?;
            return Ok(Outcome { before, response, ids });
        }
        loop {
            let message = match self.frame().await? {
                Frame::Comment(_) => continue,
                Frame::End => break,
                Frame::Event(event) => {
                    let message = event.message()?;
                    ids.extend(event.id);
                    message
                }
            };
            before.extend(message);
        }
        match before.pop() {
            Some(response) if is_response(&response) && !before.iter().any(is_response) => {
                Ok(Outcome { before, response, ids })
            }
            last => {
                before.extend(last);
                let got = Value::Array(before).to_string();
                Err(RawError::broken("one response, behind all other messages", got.as_bytes()))
            }
        }
    }

    /// Sends more on the connection, which is the test's to say what.
    ///
    /// # Errors
    /// See [`Connection::send`].
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), RawError> {
        self.connection.send(bytes).await
    }

    /// Resets the connection.
    ///
    /// # Errors
    /// See [`Connection::reset`].
    pub fn reset(self) -> Result<(), RawError> {
        self.connection.reset()
    }

    /// The connection, for a next request. Nothing may be left of the body.
    ///
    /// # Errors
    /// [`RawError::Broken`] if the body was not read to its end.
    pub fn into_connection(self) -> Result<Connection, RawError> {
        if self.ended {
            Ok(self.connection)
        } else {
            Err(RawError::broken("a body that was read", b"a rest"))
        }
    }

    fn judged(&self, judge: impl FnOnce(&mut Judge) -> Result<(), RawError>) -> Result<(), RawError> {
        self.judge.as_ref().map_or(Ok(()), |it| judge(&mut it.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Whether a message answers a request.
fn is_response(message: &Value) -> bool {
    message.get("method").is_none()
}

/// Lines out of pieces. A line ends with a line feed, which is how servers end theirs.
#[derive(Debug, Default)]
struct Lines {
    bytes: Vec<u8>,
    /// Up to where there is no line feed.
    seen: usize,
}

impl Lines {
    fn add(&mut self, part: &[u8]) {
        self.bytes.extend_from_slice(part);
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let unseen = self.bytes.get(self.seen..)?;
        let Some(at) = unseen.iter().position(|byte| *byte == b'\n') else {
            self.seen = self.bytes.len();
            return None;
        };
        let rest = self.bytes.split_off(self.seen + at + 1);
        self.seen = 0;
        Some(std::mem::replace(&mut self.bytes, rest))
    }

    const fn has_rest(&self) -> bool {
        !self.bytes.is_empty()
    }

    fn rest(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// An answer whose bytes come in pieces of a size.
    async fn answered(bytes: &[u8], size: usize) -> Answer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let server = async {
            let (stream, _) = listener.accept().await.expect("a client");
            Connection::over(stream).send_in_pieces(bytes, size).await.expect("sent");
        };
        let client = async {
            let stream = TcpStream::connect(address).await.expect("connected");
            Answer::read(Connection::over(stream)).await.expect("a head")
        };
        tokio::join!(server, client).1
    }

    /// An event stream in two chunks, which part a line.
    fn stream() -> Vec<u8> {
        let mut stream = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n".to_owned();
        stream.push_str("transfer-encoding: chunked\r\n\r\n");
        let (first, second) = (
            ": hi\n\nid: a-0\nretry: 5\ndata: \n\nid",
            ": a-1\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"x\":1}\n\n",
        );
        for chunk in [first, second, ""] {
            stream.push_str(&format!("{:x}\r\n{chunk}\r\n", chunk.len()));
        }
        stream.into_bytes()
    }

    #[tokio::test]
    async fn a_stream_is_read_event_by_event_however_it_is_cut() {
        for size in [1, 2, 7, 4096] {
            let mut answer = answered(&stream(), size).await;
            assert_eq!(answer.frame().await.expect("a comment"), Frame::Comment("hi".into()));
            let Frame::Event(event) = answer.frame().await.expect("an event") else { panic!("no event") };
            let retry = Some(Duration::from_millis(5));
            let primed =
                Event { id: Some("a-0".into()), name: "message".into(), retry, data: Some(String::new()) };
            assert_eq!((event, answer.last_event_id()), (primed, Some("a-0")));
            let Frame::Event(event) = answer.frame().await.expect("an event") else { panic!("no event") };
            assert_eq!(event.message().expect("JSON").expect("a message")["x"], 1);
            assert_eq!(answer.frame().await.expect("the end"), Frame::End);
        }
    }

    #[tokio::test]
    async fn a_stream_without_its_last_chunk_was_cut() {
        let stream = stream();
        let cut = stream.strip_suffix(b"0\r\n\r\n").expect("the last chunk");
        let error = answered(cut, 4096).await.outcome().await.expect_err("it has no end");
        assert!(error.is_cut(), "{error}");
    }

    #[tokio::test]
    async fn a_body_of_a_length_leaves_the_connection_for_the_next() {
        let bytes = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\
            content-length: 2\r\n\r\n{}HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n";
        for size in [1, 4096] {
            let mut answer = answered(bytes, size).await;
            assert_eq!(answer.json().await.expect("JSON"), serde_json::json!({}));
            let mut next =
                Answer::read(answer.into_connection().expect("all was read")).await.expect("a head");
            assert_eq!((next.status(), next.body().await.expect("none")), (202, Vec::new()));
        }
    }
}
