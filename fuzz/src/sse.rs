//! Server-sent events: any cut gives the events of the whole, and what is written reads back.
//!
//! * The events, the last event id and the waiting time are those of a reference that has everything at hand.
//! * What is held is bounded.
//! * An event that was read, written and read again is the same, as is any text as the data of an event.

use std::time::Duration;

use hermes_proto::framing::sse::{Event, EventReader, Incoming, OutgoingEvent, write_comment};
use hermes_proto::framing::{Head, IdScan};

use crate::cuts::{Stream, held};

/// The smallest limit that there is.
const LIMIT: usize = 64;

/// Everything that a stream yields.
#[derive(Debug, Default, PartialEq)]
struct Yield {
    /// What came, each with the last event id at that moment.
    incoming: Vec<(Incoming, Option<String>)>,
    last_id: Option<String>,
    retry: Option<Duration>,
}

/// Checks one stream, cut as its first line says; see the seeds.
pub fn check(input: &[u8]) {
    let stream = Stream::read(input);
    let expected = reference(stream.bytes);
    assert_eq!(read(LIMIT, [stream.bytes]), expected, "as a whole");
    assert_eq!(read(LIMIT, stream.pieces()), expected, "cut into pieces");

    for (incoming, id) in &expected.incoming {
        if let Incoming::Event(event) = incoming {
            writes_back(event, id.as_deref(), expected.retry);
        }
    }
    if let Ok(text) = str::from_utf8(stream.bytes) {
        let data = text.replace("\r\n", "\n").replace('\r', "\n");
        let event = Event { name: "message".to_owned(), data };
        let mut out = String::new();
        OutgoingEvent::new(text).write(&mut out).expect("any text is data");
        assert_eq!(read(usize::MAX, [out.as_bytes()]).incoming, [(Incoming::Event(event), None)]);
    }
}

fn read<'a>(limit: usize, pieces: impl IntoIterator<Item = &'a [u8]>) -> Yield {
    let mut reader = EventReader::new(limit);
    let mut incoming = Vec::new();
    for piece in pieces {
        let mut unread = piece;
        while let Some(next) = reader.read(&mut unread) {
            incoming.push((without_head(next), reader.last_event_id().map(str::to_owned)));
        }
        assert!(unread.is_empty(), "bytes were left");
        assert!(held(&reader) <= limit.saturating_mul(2), "{reader:?}");
    }
    Yield { incoming, last_id: reader.last_event_id().map(str::to_owned), retry: reader.retry() }
}

/// What a message was whose event is skipped is the business of another target.
fn no_head() -> Head {
    IdScan::head_of(b"")
}

fn without_head(incoming: Incoming) -> Incoming {
    match incoming {
        Incoming::NotUtf8 { .. } => Incoming::NotUtf8 { head: no_head() },
        Incoming::TooLong { bytes, .. } => Incoming::TooLong { head: no_head(), bytes },
        event @ Incoming::Event(_) => event,
    }
}

fn writes_back(event: &Event, id: Option<&str>, retry: Option<Duration>) {
    let outgoing = OutgoingEvent { id, name: Some(&event.name), retry, data: &event.data };
    let mut out = String::new();
    let written = outgoing.write(&mut out);
    if event.name.contains('\0') {
        assert!(written.is_err() && out.is_empty(), "a type with a NUL was written");
        return;
    }
    assert_eq!(written, Ok(()));
    write_comment(&mut out, &event.data);
    let again = Yield {
        incoming: vec![(Incoming::Event(event.clone()), id.map(str::to_owned))],
        last_id: id.map(str::to_owned),
        retry,
    };
    assert_eq!(read(usize::MAX, [out.as_bytes()]), again, "{out:?}");
}

/// The standard's algorithm in its own order, over lines that are all at hand, with the limit on top.
fn reference(bytes: &[u8]) -> Yield {
    let mut yielded = Yield::default();
    let (mut id, mut event) = (String::new(), Reference::default());
    for (number, whole) in lines(bytes).into_iter().enumerate() {
        let mark = "\u{feff}".as_bytes();
        let line = if number == 0 { whole.strip_prefix(mark).unwrap_or(whole) } else { whole };
        if line.is_empty() {
            yielded.last_id = Some(id.clone()).filter(|id| !id.is_empty());
            let incoming = std::mem::take(&mut event).end();
            yielded.incoming.extend(incoming.map(|incoming| (incoming, yielded.last_id.clone())));
            continue;
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (field, value) = (&line[..colon], line.get(colon + 1..).unwrap_or_default());
        let value = value.strip_prefix(b" ").unwrap_or(value);
        if [&b"data"[..], b"event", b"id"].contains(&field) {
            event.bytes += whole.len();
        }
        if whole.len() > LIMIT {
            continue;
        }
        match field {
            b"data" => event.data.push(value),
            b"event" => event.name = event.text(value).unwrap_or(event.name),
            b"id" if !value.contains(&0) => id = event.text(value).map_or(id, str::to_owned),
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let milliseconds = str::from_utf8(value).expect("digits").parse();
                yielded.retry = milliseconds.map(Duration::from_millis).ok().or(yielded.retry);
            }
            _ => {}
        }
    }
    yielded
}

/// The lines that have ended.
fn lines(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines = Vec::new();
    while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        let (line, rest) = bytes.split_at(end);
        lines.push(line);
        bytes = rest.strip_prefix(b"\r\n").unwrap_or(&rest[1..]);
    }
    lines
}

/// An event whose empty line has not come yet.
#[derive(Default)]
struct Reference<'a> {
    name: &'a str,
    data: Vec<&'a [u8]>,
    bytes: usize,
    not_utf8: bool,
}

impl<'a> Reference<'a> {
    fn text(&mut self, value: &'a [u8]) -> Option<&'a str> {
        let text = str::from_utf8(value).ok();
        self.not_utf8 |= text.is_none();
        text
    }

    fn end(self) -> Option<Incoming> {
        if self.bytes > LIMIT {
            return Some(Incoming::TooLong { head: no_head(), bytes: self.bytes });
        }
        if self.not_utf8 {
            return Some(Incoming::NotUtf8 { head: no_head() });
        }
        if self.data.is_empty() {
            return None;
        }
        let name = if self.name.is_empty() { "message" } else { self.name }.to_owned();
        Some(match String::from_utf8(self.data.join(&b'\n')) {
            Ok(data) => Incoming::Event(Event { name, data }),
            Err(_) => Incoming::NotUtf8 { head: no_head() },
        })
    }
}
