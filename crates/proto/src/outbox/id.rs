//! The names of streams and of the events on them.

use std::error::Error;
use std::fmt;
use std::str::FromStr;

/// One stream of a session, standalone or of an exchange. Never given twice within a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(u64);

impl StreamId {
    /// The stream that comes `count` openings after none: the first one is 1.
    pub(crate) const fn nth(count: u64) -> Self {
        Self(count)
    }

    pub(crate) const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for StreamId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Ids are written with every event, and parts cost less than a template of them.
        f.write_str("s")?;
        self.0.fmt(f)
    }
}

/// The place of an event on its stream. Messages count from 1; [`Seq::START`] is the place before the first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seq(u64);

impl Seq {
    /// Before the first message. A priming event carries it, and no message ever does.
    pub const START: Self = Self(0);

    /// The next place. At the end of the numbers it stays, which takes centuries at any rate a server can have.
    pub(super) const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    pub(super) const fn numbered(number: u64) -> Self {
        Self(number)
    }

    pub(super) const fn number(self) -> u64 {
        self.0
    }

    /// How many places lie after `earlier`, up to this one.
    pub(super) const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of an event on the wire, `s7-3`: the stream and the place on it. A cursor in that stream, and unique over
/// all streams of the session as `basic/transports` asks for (2025-03-26 to 2025-11-25, "Resumability and Redelivery").
///
/// # Example
///
/// ```
/// use hermes_proto::outbox::EventId;
///
/// let cursor: EventId = "s7-3".parse()?;
/// assert_eq!(cursor.to_string(), "s7-3");
/// assert!("s07-3".parse::<EventId>().is_err());
/// # Ok::<(), hermes_proto::outbox::ParseEventIdError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId {
    stream: StreamId,
    seq: Seq,
}

impl EventId {
    pub(super) const fn new(stream: StreamId, seq: Seq) -> Self {
        Self { stream, seq }
    }

    /// The stream that the event is on.
    #[must_use]
    pub const fn stream(self) -> StreamId {
        self.stream
    }

    /// Its place there.
    #[must_use]
    pub const fn seq(self) -> Seq {
        self.seq
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stream.fmt(f)?;
        f.write_str("-")?;
        self.seq.fmt(f)
    }
}

impl FromStr for EventId {
    type Err = ParseEventIdError;

    /// Reads exactly what [`fmt::Display`] writes: no sign, no leading zero, no space, no second spelling.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (stream, seq) =
            text.strip_prefix('s').and_then(|rest| rest.split_once('-')).ok_or(ParseEventIdError)?;
        Ok(Self { stream: StreamId(number(stream)?), seq: Seq(number(seq)?) })
    }
}

fn number(digits: &str) -> Result<u64, ParseEventIdError> {
    let canonical =
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
    if canonical { digits.parse().map_err(|_| ParseEventIdError) } else { Err(ParseEventIdError) }
}

/// The client named an event with a text that is no event id of this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseEventIdError;

impl fmt::Display for ParseEventIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the client sent an event id that this server never issues: expected the form s7-3")
    }
}

impl Error for ParseEventIdError {}

#[cfg(test)]
mod tests {
    use super::*;

    // spec: R144
    #[test]
    fn an_event_id_names_its_stream_and_reads_back_as_itself() {
        for (stream, seq, text) in [
            (1, 0, "s1-0"),
            (7, 3, "s7-3"),
            (u64::MAX, u64::MAX, "s18446744073709551615-18446744073709551615"),
        ] {
            let id = EventId::new(StreamId(stream), Seq(seq));
            assert_eq!(id.to_string(), text);
            assert_eq!(text.parse(), Ok(id));
        }
    }

    #[test]
    fn b054_a_text_that_is_no_event_id_is_refused_and_never_panics() {
        let long = "9".repeat(5000);
        let long_pair = format!("s{long}-{long}");
        let nul_stream = "s\u{0}-1";
        let refused = [
            "nope",
            "",
            "a\tb",
            "s",
            "-",
            "s-",
            "s1",
            "s1-",
            "s-1",
            "1-1",
            "S1-1",
            "s1-1 ",
            " s1-1",
            "s1 -1",
            "s+1-1",
            "s1-+1",
            "s1--1",
            "s01-1",
            "s1-01",
            "s00-1",
            "s1-1-1",
            "s1_1",
            "ss1-1",
            "s1-1\n",
            "s１-1",
            "s1-18446744073709551616",
            nul_stream,
            &long,
            &long_pair,
        ];
        for text in refused {
            assert_eq!(text.parse::<EventId>(), Err(ParseEventIdError), "{text:?}");
        }
    }

    #[test]
    fn event_ids_of_one_stream_sort_by_their_place() {
        let mut ids = [
            EventId::new(StreamId(2), Seq(1)),
            EventId::new(StreamId(1), Seq(10)),
            EventId::new(StreamId(1), Seq(9)),
        ];
        ids.sort_unstable();
        assert_eq!(ids.map(|id| id.to_string()), ["s1-9", "s1-10", "s2-1"]);
    }
}
