//! The reading side of an event stream.

use std::fmt;
use std::time::Duration;

use memchr::{memchr, memchr2};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The type of an event that names none.
const MESSAGE: &str = "message";

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The event's type, `message` unless the stream says otherwise.
    pub name: String,
    /// The data, its lines joined by line feeds.
    pub data: String,
}

impl Event {
    /// Whether the event carries a message of the protocol.
    ///
    /// Events of another type do not, nor do those without data, whose purpose is their id.
    #[must_use]
    pub fn is_message(&self) -> bool {
        self.name == MESSAGE && !self.data.is_empty()
    }
}

/// What an event stream yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Incoming {
    /// An event.
    Event(Event),
    /// An event whose type, data or id is not UTF-8. It was skipped.
    NotUtf8,
    /// An event beyond the limit. It was skipped without being kept.
    TooLong {
        /// How long its lines were together, in bytes.
        bytes: u64,
    },
}

/// Reads an event stream from bytes cut anywhere.
///
/// | input | outcome |
/// |---|---|
/// | `CR`, `LF` or `CR LF` | ends a line, also when a chunk ends between the two |
/// | a byte order mark at the start of the stream | dropped |
/// | `: anything` and unknown fields | ignored |
/// | `data`, `data:x`, `data: x` | adds a line; one space behind the colon is dropped |
/// | `event: x` | names the event's type |
/// | `id: x` | becomes the last event id when the event ends; ignored if it holds a NUL |
/// | `retry: 500` | sets the waiting time before a reconnection; ignored unless all digits |
/// | an empty line | ends the event; without a `data` line there is none, yet its id counts |
/// | the end of the stream | an event that was not ended is dropped |
///
/// An event that is too long or not UTF-8 still moves the last event id, so that a resume does not bring it
/// back for ever. Never holds more than twice the limit.
///
/// ```
/// use hermes_proto::framing::sse::{EventReader, Incoming};
///
/// let mut reader = EventReader::new(1024);
/// let mut unread = &b": hello\nid: s1-0\ndata: {}\n\ndata: not ended"[..];
/// let Some(Incoming::Event(event)) = reader.read(&mut unread) else { panic!("an event") };
/// assert_eq!((&*event.name, &*event.data), ("message", "{}"));
/// assert_eq!(reader.last_event_id(), Some("s1-0"));
/// assert_eq!(reader.read(&mut unread), None);
/// ```
///
/// Source: WHATWG HTML, "Server-sent events"; `basic/transports/streamable-http`, 2026-07-28.
pub struct EventReader {
    limit: usize,
    /// The beginning of a line whose end has not come yet.
    line: Vec<u8>,
    /// The last line was ended by `CR`: a `LF` that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet, so a byte order mark may stand in front.
    at_start: bool,
    data: Vec<u8>,
    name: String,
    id: String,
    last_id: String,
    retry: Option<Duration>,
    /// How long the lines of the current event are together.
    bytes: u64,
    flaw: Option<Flaw>,
}

/// Why the current event will not be given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flaw {
    NotUtf8,
    TooLong,
}

impl EventReader {
    /// A reader of events whose lines have at most `limit` bytes together.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            after_cr: false,
            at_start: true,
            data: Vec::new(),
            name: String::new(),
            id: String::new(),
            last_id: String::new(),
            retry: None,
            bytes: 0,
            flaw: None,
        }
    }

    /// The id of the last event that ended, for `Last-Event-ID`; `None` if there was none or it was empty.
    #[must_use]
    pub fn last_event_id(&self) -> Option<&str> {
        Some(&*self.last_id).filter(|id| !id.is_empty())
    }

    /// The waiting time before a reconnection, if the stream has named one.
    #[must_use]
    pub const fn retry(&self) -> Option<Duration> {
        self.retry
    }

    /// Takes the next event from the front of `unread`, together with what was kept of earlier chunks.
    ///
    /// `None` means that all of `unread` was taken and no further event has ended. Call it in a loop until
    /// then: every chunk may hold many events.
    pub fn read(&mut self, unread: &mut &[u8]) -> Option<Incoming> {
        while !unread.is_empty() {
            if std::mem::take(&mut self.after_cr) {
                *unread = unread.strip_prefix(b"\n").unwrap_or(unread);
                continue;
            }
            let Some((head, end, rest)) = split_line(unread) else {
                self.keep(std::mem::take(unread));
                return None;
            };
            *unread = rest;
            self.after_cr = end == b'\r';
            let incoming = if self.line.is_empty() {
                self.count(head.len());
                // As in `keep`: a line beyond the limit says nothing, however it was cut.
                self.complete(if head.len() > self.limit { b":" } else { head })
            } else {
                self.keep(head);
                let line = std::mem::take(&mut self.line);
                self.complete(&line)
            };
            if incoming.is_some() {
                return incoming;
            }
        }
        None
    }

    /// Keeps the bytes of a line whose end has not come, unless the event is too long anyway.
    fn keep(&mut self, bytes: &[u8]) {
        self.count(bytes.len());
        if self.flaw == Some(Flaw::TooLong) && self.line.len().saturating_add(bytes.len()) > self.limit {
            // What stays makes sure that the line is not taken for an empty one.
            self.line.clear();
            self.line.push(b':');
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn count(&mut self, length: usize) {
        self.bytes = self.bytes.saturating_add(u64::try_from(length).unwrap_or(u64::MAX));
        if self.bytes > u64::try_from(self.limit).unwrap_or(u64::MAX) {
            self.flaw = Some(Flaw::TooLong);
            self.data = Vec::new();
        }
    }

    /// One whole line has come.
    fn complete(&mut self, line: &[u8]) -> Option<Incoming> {
        let mut line = line;
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = split_field(line);
        match field {
            b"data" => self.add_data(value),
            b"event" => match std::str::from_utf8(value) {
                Ok(name) => name.clone_into(&mut self.name),
                Err(_) => self.not_utf8(),
            },
            b"id" if memchr(0, value).is_none() => match std::str::from_utf8(value) {
                Ok(id) => id.clone_into(&mut self.id),
                Err(_) => self.not_utf8(),
            },
            b"retry" => self.set_retry(value),
            _ => {}
        }
        None
    }

    fn add_data(&mut self, value: &[u8]) {
        if self.flaw != Some(Flaw::TooLong) {
            self.data.extend_from_slice(value);
            self.data.push(b'\n');
        }
    }

    fn set_retry(&mut self, value: &[u8]) {
        let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
        if let Some(milliseconds) = digits.and_then(|text| text.parse().ok()) {
            self.retry = Some(Duration::from_millis(milliseconds));
        }
    }

    fn not_utf8(&mut self) {
        self.flaw.get_or_insert(Flaw::NotUtf8);
    }

    /// An empty line has come.
    fn end_event(&mut self) -> Option<Incoming> {
        self.last_id.clone_from(&self.id);
        let bytes = std::mem::take(&mut self.bytes);
        let name = std::mem::take(&mut self.name);
        let mut data = std::mem::take(&mut self.data);
        match self.flaw.take() {
            Some(Flaw::TooLong) => return Some(Incoming::TooLong { bytes }),
            Some(Flaw::NotUtf8) => return Some(Incoming::NotUtf8),
            None => {}
        }
        // Every line of data ended with a line feed; without any there is no event.
        data.pop()?;
        let Ok(data) = String::from_utf8(data) else { return Some(Incoming::NotUtf8) };
        let name = if name.is_empty() { MESSAGE.to_owned() } else { name };
        Some(Incoming::Event(Event { name, data }))
    }
}

impl fmt::Debug for EventReader {
    /// Says how much is held, not what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader")
            .field("limit", &self.limit)
            .field("held", &self.line.len().saturating_add(self.data.len()))
            .field("last_event_id", &self.last_event_id())
            .field("retry", &self.retry)
            .finish_non_exhaustive()
    }
}

/// The bytes before the first line end, the byte that ended it, and those behind.
fn split_line(bytes: &[u8]) -> Option<(&[u8], u8, &[u8])> {
    let (head, end) = bytes.split_at_checked(memchr2(b'\r', b'\n', bytes)?)?;
    end.split_first().map(|(end, rest)| (head, *end, rest))
}

/// A line's field and its value; a line without a colon is a field with an empty value.
fn split_field(line: &[u8]) -> (&[u8], &[u8]) {
    let Some((field, value)) = memchr(b':', line).and_then(|at| line.split_at_checked(at)) else {
        return (line, b"");
    };
    let value = value.strip_prefix(b":").unwrap_or(value);
    (field, value.strip_prefix(b" ").unwrap_or(value))
}
