//! The reading side of an event stream.

use std::fmt;
use std::time::Duration;

use memchr::{memchr, memchr2};

use crate::framing::{Head, IdScan};

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The smallest limit: one that holds every field's name.
const MIN_LIMIT: usize = 64;

/// What is kept of a line beyond the limit: enough for a byte order mark and the longest field that matters.
const FIELD_BYTES: usize = 16;

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
    NotUtf8 {
        /// What the message in it was.
        head: Head,
    },
    /// An event beyond the limit. It was skipped without being kept.
    TooLong {
        /// What the message in it was.
        head: Head,
        /// How long its lines were together, in bytes.
        bytes: usize,
    },
}

/// Reads an event stream from bytes cut anywhere.
///
/// | input | outcome |
/// |---|---|
/// | `CR`, `LF` or `CR LF` | ends a line, also when a chunk ends between the two |
/// | a byte order mark at the start of the stream | dropped |
/// | `: anything` and unknown fields, of any length | ignored |
/// | `data`, `data:x`, `data: x` | adds a line; one space behind the colon is dropped |
/// | `event: x` | names the event's type |
/// | `id: x` | becomes the last event id when the event ends; ignored if it holds a NUL |
/// | `retry: 500` | sets the waiting time before a reconnection; ignored unless all digits |
/// | an empty line | ends the event; without a `data` line there is none, yet its id counts |
/// | the end of the stream | an event that was not ended is dropped |
///
/// The limit holds for the `data`, `event` and `id` lines of one event together, and at most twice as much is
/// kept. An event that is too long or not UTF-8 still moves the last event id, so that a resume does not bring
/// it back for ever, and still says whose answer it was, so that nobody waits for it.
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
    /// The beginning of a line whose end has not come yet; of one beyond the limit no more than its field.
    line: Vec<u8>,
    /// How long that line is so far.
    line_bytes: usize,
    /// Whether that line is data beyond the limit, which is scanned as it comes.
    is_scanned: bool,
    /// The last line was ended by `CR`: a `LF` that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet, so a byte order mark may stand in front.
    at_start: bool,
    event: Pending,
    id: String,
    last_id: String,
    retry: Option<Duration>,
}

/// The event whose empty line has not come yet.
#[derive(Debug, Default)]
struct Pending {
    name: String,
    /// The data's lines, each with a line feed.
    data: Vec<u8>,
    /// How long its lines are together.
    bytes: usize,
    not_utf8: bool,
    /// What the data says of itself, once it is too long to be kept.
    scan: Option<Box<IdScan>>,
}

impl EventReader {
    /// A reader of events with at most `limit` bytes each; fewer than 64 are taken for 64.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit: if limit < MIN_LIMIT { MIN_LIMIT } else { limit },
            line: Vec::new(),
            line_bytes: 0,
            is_scanned: false,
            after_cr: false,
            at_start: true,
            event: Pending { name: String::new(), data: Vec::new(), bytes: 0, not_utf8: false, scan: None },
            id: String::new(),
            last_id: String::new(),
            retry: None,
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
            let incoming = if self.line_bytes == 0 {
                self.complete(head, head.len())
            } else {
                self.keep(head);
                let (line, length) = (std::mem::take(&mut self.line), std::mem::take(&mut self.line_bytes));
                self.complete(&line, length)
            };
            if incoming.is_some() {
                return incoming;
            }
        }
        None
    }

    /// Keeps the bytes of a line whose end has not come, as far as they matter.
    fn keep(&mut self, bytes: &[u8]) {
        let was_kept = self.line_bytes <= self.limit;
        self.line_bytes = self.line_bytes.saturating_add(bytes.len());
        if self.line_bytes <= self.limit {
            self.line.extend_from_slice(bytes);
        } else if was_kept {
            self.line.extend_from_slice(bytes);
            self.scan_beginning();
            self.line.truncate(FIELD_BYTES);
            self.line.shrink_to_fit();
        } else if self.is_scanned {
            self.event.scan(bytes);
        }
    }

    /// The line has grown beyond the limit: what there is of it is scanned if it is data.
    fn scan_beginning(&mut self) {
        let marked = if self.at_start { self.line.strip_prefix(BYTE_ORDER_MARK) } else { None };
        let (field, value) = split_field(marked.unwrap_or(&self.line));
        self.is_scanned = field == b"data";
        if self.is_scanned {
            self.event.scan(value);
        }
    }

    /// A line of this length has ended; of one beyond the limit only the beginning may be there.
    fn complete(&mut self, line: &[u8], length: usize) -> Option<Incoming> {
        let mut line = line;
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        }
        if line.is_empty() {
            return self.end_event();
        }
        let (field, value) = split_field(line);
        if matches!(field, b"data" | b"event" | b"id") {
            self.event.bytes = self.event.bytes.saturating_add(length);
        }
        if length <= self.limit {
            self.set(field, value);
        } else if !std::mem::take(&mut self.is_scanned) && field == b"data" {
            // It came in one piece.
            self.event.scan(value);
        }
        None
    }

    fn set(&mut self, field: &[u8], value: &[u8]) {
        match field {
            b"data" if self.event.bytes > self.limit => self.event.scan(value),
            b"data" => {
                self.event.data.extend_from_slice(value);
                self.event.data.push(b'\n');
            }
            b"event" => match std::str::from_utf8(value) {
                Ok(name) => name.clone_into(&mut self.event.name),
                Err(_) => self.event.not_utf8 = true,
            },
            b"id" if memchr(0, value).is_none() => match std::str::from_utf8(value) {
                Ok(id) => id.clone_into(&mut self.id),
                Err(_) => self.event.not_utf8 = true,
            },
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let milliseconds = std::str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
                self.retry = milliseconds.map(Duration::from_millis).or(self.retry);
            }
            _ => {}
        }
    }

    /// An empty line has come.
    fn end_event(&mut self) -> Option<Incoming> {
        self.last_id.clone_from(&self.id);
        let Pending { name, mut data, bytes, not_utf8, scan } = std::mem::take(&mut self.event);
        if bytes > self.limit {
            let head = scan.map_or_else(|| IdScan::head_of(&data), |scan| scan.finish());
            return Some(Incoming::TooLong { head, bytes });
        }
        if not_utf8 {
            return Some(Incoming::NotUtf8 { head: IdScan::head_of(&data) });
        }
        // Every line of data ended with a line feed; without any there is no event.
        data.pop()?;
        let data = match String::from_utf8(data) {
            Ok(data) => data,
            Err(error) => return Some(Incoming::NotUtf8 { head: IdScan::head_of(error.as_bytes()) }),
        };
        let name = if name.is_empty() { MESSAGE.to_owned() } else { name };
        Some(Incoming::Event(Event { name, data }))
    }
}

impl Pending {
    /// Takes data in of which nothing is kept but what it says of itself.
    fn scan(&mut self, data: &[u8]) {
        let before = std::mem::take(&mut self.data);
        let scan = self.scan.get_or_insert_with(|| {
            let mut scan = Box::new(IdScan::new());
            scan.feed(&before);
            scan
        });
        scan.feed(data);
    }
}

impl fmt::Debug for EventReader {
    /// Says how much is held, not what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventReader")
            .field("limit", &self.limit)
            .field("held", &self.line.len().saturating_add(self.event.data.len()))
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
