//! One message per line, as on stdio.

use std::fmt;

use memchr::memchr;

use super::{Head, IdScan};

/// What a partial line may keep allocated after it was read, so that one long line does not cost for ever.
const KEPT_CAPACITY: usize = 64 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One line, or why it is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line<'a> {
    /// A line's text, without its end and without a byte order mark. Never blank.
    Text(&'a str),
    /// The line is not UTF-8. It was skipped.
    NotUtf8 {
        /// What the line was, as far as can be told.
        head: Head,
    },
    /// The line is longer than the limit. It was skipped without being kept.
    TooLong {
        /// What the line was, as far as can be told.
        head: Head,
        /// How long it was, in bytes.
        bytes: u64,
    },
}

/// Cuts a byte stream into lines.
///
/// | input | outcome |
/// |---|---|
/// | `LF` or `CR LF` | ends a line |
/// | a byte order mark at the start of a line | dropped |
/// | a line of nothing but white space, of any length | skipped |
/// | bytes that are not UTF-8 | [`Line::NotUtf8`]; checked per line, so that a character cut in two is none |
/// | more than `limit` bytes before the `LF` | [`Line::TooLong`] when its end has come |
/// | the end of the stream | [`finish`](Self::finish) gives the last line if its end is missing |
///
/// A line that lies in one chunk is lent from there; only lines cut by a chunk's end are copied, once. What is
/// held never exceeds the limit.
///
/// ```
/// use hermes_proto::framing::{Line, LineReader};
///
/// let mut reader = LineReader::new(1024);
/// let mut lines = Vec::new();
/// for chunk in [&b"{\"a\":1}\r\n\n{\"b\""[..], b":2}\n{}"] {
///     let mut unread = chunk;
///     while let Some(line) = reader.read(&mut unread) {
///         lines.push(format!("{line:?}"));
///     }
/// }
/// lines.extend(reader.finish().map(|line| format!("{line:?}")));
/// assert_eq!(lines, [r#"Text("{\"a\":1}")"#, r#"Text("{\"b\":2}")"#, r#"Text("{}")"#]);
/// ```
///
/// Source: `basic/transports/stdio`, 2026-07-28.
pub struct LineReader {
    limit: usize,
    /// The beginning of a line whose end has not come yet.
    partial: Vec<u8>,
    /// `partial` has been lent as a line and is to be cleared first.
    lent: bool,
    /// A line beyond the limit, being skipped.
    skipped: Option<Skipped>,
}

#[derive(Clone, Debug)]
struct Skipped {
    scan: IdScan,
    bytes: u64,
}

impl Skipped {
    fn feed(&mut self, bytes: &[u8]) {
        self.scan.feed(bytes);
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }
}

/// Where the bytes of a complete line are.
enum Complete {
    /// In the chunk alone.
    InChunk,
    /// In `partial`.
    InPartial,
    /// Nowhere.
    Skipped(Skipped),
}

impl LineReader {
    /// A reader of lines with at most `limit` bytes each, their line feed not counted.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self { limit, partial: Vec::new(), lent: false, skipped: None }
    }

    /// Takes the next line from the front of `unread`, together with what was kept of earlier chunks.
    ///
    /// `None` means that all of `unread` was taken and no further line has ended: call it again with the next
    /// chunk. Until then call it in a loop, as every chunk may hold many lines.
    pub fn read<'a, 'c: 'a>(&'a mut self, unread: &mut &'c [u8]) -> Option<Line<'a>> {
        let complete = loop {
            self.forget_lent();
            let Some((head, rest)) = split_line(unread) else {
                self.keep(std::mem::take(unread));
                return None;
            };
            *unread = rest;
            match self.complete(head) {
                Complete::InChunk if !is_blank(head) => return Some(line(head)),
                Complete::InPartial if !is_blank(&self.partial) => break None,
                Complete::Skipped(skipped) if !skipped.scan.is_blank() => break Some(skipped),
                Complete::InPartial => self.lent = true,
                Complete::InChunk | Complete::Skipped(_) => {}
            }
        };
        Some(self.give(complete))
    }

    /// The stream has ended: the last line, if its end was missing.
    ///
    /// The reader is empty afterwards.
    pub fn finish(&mut self) -> Option<Line<'_>> {
        self.forget_lent();
        let skipped = self.skipped.take();
        let blank =
            skipped.as_ref().map_or_else(|| is_blank(&self.partial), |skipped| skipped.scan.is_blank());
        if blank {
            self.partial.clear();
            return None;
        }
        Some(self.give(skipped))
    }

    /// Lends the line that was skipped, or else the one in `partial`.
    fn give(&mut self, skipped: Option<Skipped>) -> Line<'_> {
        if let Some(Skipped { scan, bytes }) = skipped {
            return Line::TooLong { head: scan.finish(), bytes };
        }
        self.lent = true;
        line(&self.partial)
    }

    fn forget_lent(&mut self) {
        if std::mem::take(&mut self.lent) {
            self.partial.clear();
            self.partial.shrink_to(KEPT_CAPACITY);
        }
    }

    /// The bytes up to a line's end have come.
    fn complete(&mut self, head: &[u8]) -> Complete {
        if self.skipped.is_none() && self.partial.is_empty() && head.len() <= self.limit {
            return Complete::InChunk;
        }
        self.keep(head);
        self.skipped.take().map_or(Complete::InPartial, Complete::Skipped)
    }

    /// Keeps bytes of a line whose end has not come, or skips them when they are too many.
    fn keep(&mut self, bytes: &[u8]) {
        if let Some(skipped) = &mut self.skipped {
            return skipped.feed(bytes);
        }
        let length = self.partial.len().saturating_add(bytes.len());
        if length > self.limit {
            let mut skipped = Skipped { scan: IdScan::new(), bytes: 0 };
            skipped.feed(&self.partial);
            skipped.feed(bytes);
            self.skipped = Some(skipped);
            self.partial = Vec::new();
            return;
        }
        if length > self.partial.capacity() {
            // Doubling, as a vector does by itself, but never beyond the limit.
            let capacity = self.partial.capacity().saturating_mul(2).clamp(length, self.limit);
            self.partial.reserve_exact(capacity.saturating_sub(self.partial.len()));
        }
        self.partial.extend_from_slice(bytes);
    }
}

impl fmt::Debug for LineReader {
    /// Says how much is held, not what.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LineReader")
            .field("limit", &self.limit)
            .field("held", &self.partial.len())
            .field("skipping", &self.skipped.is_some())
            .finish()
    }
}

/// The bytes before the first line feed and those behind it.
fn split_line(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (head, end) = bytes.split_at_checked(memchr(b'\n', bytes)?)?;
    end.split_first().map(|(_, rest)| (head, rest))
}

fn is_blank(line: &[u8]) -> bool {
    strip_mark(line).iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}

fn strip_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

fn line(bytes: &[u8]) -> Line<'_> {
    let bytes = strip_mark(bytes);
    let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
    std::str::from_utf8(bytes).map_or_else(|_| Line::NotUtf8 { head: IdScan::head_of(bytes) }, Line::Text)
}

#[cfg(test)]
mod tests;
