//! The writing side of an event stream.

use std::fmt;
use std::time::Duration;

use memchr::memchr2;

/// One event to be written.
///
/// ```
/// use hermes_proto::framing::sse::OutgoingEvent;
///
/// let mut out = String::new();
/// OutgoingEvent { id: Some("s1-0"), ..OutgoingEvent::new("{}") }.write(&mut out)?;
/// assert_eq!(out, "id: s1-0\ndata: {}\n\n");
/// # Ok::<(), hermes_proto::framing::sse::Unwritable>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OutgoingEvent<'a> {
    /// The event's id.
    pub id: Option<&'a str>,
    /// The event's type; readers take an event without one for a `message`.
    pub name: Option<&'a str>,
    /// The waiting time before a reconnection; written in whole milliseconds.
    pub retry: Option<Duration>,
    /// The data; may be empty. Line breaks of any kind in it are read back as line feeds.
    pub data: &'a str,
}

/// An event's id or type holds a line break or, in the id, a NUL: it would end the field or be ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwritable;

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event's id or type must not hold a line break or a NUL")
    }
}

impl std::error::Error for Unwritable {}

impl<'a> OutgoingEvent<'a> {
    /// An event with nothing but data.
    #[must_use]
    pub const fn new(data: &'a str) -> Self {
        Self { id: None, name: None, retry: None, data }
    }

    /// Appends the event to `out`.
    ///
    /// # Errors
    /// [`Unwritable`] if the id or the type cannot be a field's value; `out` is unchanged then.
    pub fn write(&self, out: &mut String) -> Result<(), Unwritable> {
        for value in [self.id, self.name].into_iter().flatten() {
            if value.contains(['\r', '\n', '\0']) {
                return Err(Unwritable);
            }
        }
        out.reserve(self.data.len().saturating_add(64));
        for (field, value) in [("event: ", self.name), ("id: ", self.id)] {
            if let Some(value) = value {
                push_line(out, field, value);
            }
        }
        if let Some(retry) = self.retry {
            push_line(out, "retry: ", &retry.as_millis().to_string());
        }
        for line in lines(self.data) {
            push_line(out, "data: ", line);
        }
        out.push('\n');
        Ok(())
    }
}

/// Appends a comment, which readers ignore: it shows intermediaries that the connection is alive.
///
/// ```
/// let mut out = String::new();
/// hermes_proto::framing::sse::write_comment(&mut out, "keep-alive");
/// assert_eq!(out, ": keep-alive\n\n");
/// ```
pub fn write_comment(out: &mut String, text: &str) {
    for line in lines(text) {
        push_line(out, ": ", line);
    }
    out.push('\n');
}

fn push_line(out: &mut String, field: &str, value: &str) {
    out.push_str(field);
    out.push_str(value);
    out.push('\n');
}

/// The lines of a text, ended by `CR LF`, `CR` or `LF`; at least one.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr2(b'\r', b'\n', text.as_bytes());
        let Some((line, ended)) = end.and_then(|end| text.split_at_checked(end)) else {
            rest = None;
            return Some(text);
        };
        rest = ended.strip_prefix("\r\n").or_else(|| ended.get(1..));
        Some(line)
    })
}
