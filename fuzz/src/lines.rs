//! Lines: any cut gives the lines of the whole, and those are what a plain split gives.
//!
//! * The lines are those of a reference that has everything at hand and splits it at each line feed.
//! * A line beyond the limit is told with its length and, if it was a request, with its id.
//! * What is held never exceeds the limit, and nothing is left behind at the end.

use hermes_proto::framing::{Head, IdScan, Line, LineReader};
use hermes_types::Message;

use crate::cuts::{Stream, held};

/// Small, so that a fuzzer gets beyond it.
const LIMIT: usize = 64;

/// A line that outlives its reader.
#[derive(Debug, PartialEq)]
enum Owned {
    Text(String),
    NotUtf8(Head),
    TooLong(Head, u64),
}

impl From<Line<'_>> for Owned {
    fn from(line: Line<'_>) -> Self {
        match line {
            Line::Text(text) => Self::Text(text.to_owned()),
            Line::NotUtf8 { head } => Self::NotUtf8(head),
            Line::TooLong { head, bytes } => Self::TooLong(head, bytes),
        }
    }
}

/// Checks one stream, cut as its first line says; see the seeds.
pub fn check(input: &[u8]) {
    let stream = Stream::read(input);
    let expected: Vec<Owned> = stream.bytes.split(|byte| *byte == b'\n').filter_map(reference).collect();
    assert_eq!(read([stream.bytes]), expected, "as a whole");
    assert_eq!(read(stream.pieces()), expected, "cut into pieces");
}

fn read<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<Owned> {
    let mut reader = LineReader::new(LIMIT);
    let mut lines = Vec::new();
    for piece in pieces {
        let mut unread = piece;
        while let Some(line) = reader.read(&mut unread) {
            lines.push(line.into());
            assert!(held(&reader) <= LIMIT, "{reader:?}");
        }
        assert!(unread.is_empty(), "bytes were left");
        assert!(held(&reader) <= LIMIT, "{reader:?}");
    }
    lines.extend(reader.finish().map(Owned::from));
    assert_eq!(reader.finish(), None, "the end comes once");
    assert_eq!(held(&reader), 0, "something is left behind");
    lines
}

/// What a line is, all of it being at hand.
fn reference(whole: &[u8]) -> Option<Owned> {
    let bytes = whole.strip_prefix("\u{feff}".as_bytes()).unwrap_or(whole);
    if bytes.iter().all(|byte| b" \t\r".contains(byte)) {
        return None;
    }
    let head = IdScan::head_of(whole);
    let text = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    if let Ok(Ok(Message::Request(request))) = str::from_utf8(text).map(Message::decode) {
        assert_eq!(head, Head::Request(request.id), "a refusal would not carry the id");
    }
    Some(if whole.len() > LIMIT {
        Owned::TooLong(head, whole.len() as u64)
    } else {
        str::from_utf8(text).map_or_else(|_| Owned::NotUtf8(head), |text| Owned::Text(text.to_owned()))
    })
}
