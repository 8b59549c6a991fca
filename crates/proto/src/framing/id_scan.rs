//! Learning what a message is from a text that will not be decoded.

use hermes_types::{MAX_ID_BYTES, RequestId};
use memchr::memchr2;
use serde_json::value::RawValue;

/// The longest way to write one of the keys that matter: `method` with every letter as `\u00XX`.
const MAX_KEY_BYTES: usize = "\\u006d\\u0065\\u0074\\u0068\\u006f\\u0064".len();

/// What a message is, as far as its top-level members tell, when its text cannot be decoded as a whole.
///
/// | `method` | `id` | `result` or `error` | head |
/// |---|---|---|---|
/// | yes | readable | any | `Request` |
/// | yes | none | any | `Notification` |
/// | no | readable or none | yes | `Response` |
/// | anything else | | | `Unknown` |
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// A method and no id: never to be answered.
    Notification,
    /// A method and an id: a refusal carries this id.
    Request(RequestId),
    /// A result or an error: never to be answered, but whoever waits for this id can be told.
    Response(Option<RequestId>),
    /// It cannot be told: no JSON object, a doubled member, an id that is none.
    Unknown,
}

impl Head {
    /// Whether a refusal may be sent: neither a notification nor a response is ever answered.
    ///
    /// ```
    /// use hermes_proto::framing::Head;
    ///
    /// assert!(Head::Request(7.into()).wants_answer());
    /// assert!(Head::Unknown.wants_answer());
    /// assert!(!Head::Notification.wants_answer());
    /// ```
    #[must_use]
    pub const fn wants_answer(&self) -> bool {
        matches!(self, Self::Request(_) | Self::Unknown)
    }

    /// The id for a refusal: that of a request, and never one of a response, which would name a request of
    /// the other side.
    #[must_use]
    pub fn into_request_id(self) -> Option<RequestId> {
        match self {
            Self::Request(id) => Some(id),
            Self::Notification | Self::Response(_) | Self::Unknown => None,
        }
    }
}

/// Finds the [`Head`] of a message in its bytes, fed piece by piece, without keeping them.
///
/// Only members of the outermost object count: an `id` inside `params` or inside a string is none. A
/// member that stands twice makes the head unknown, because the two might differ. Holds at most
/// [`MAX_ID_BYTES`] bytes, whatever it is fed with.
///
/// ```text
///  Mark --> Start -{-> Key -"-> InKey -"-> Colon -:-> Value -+-> InString -+-> AfterValue -}-> End
///                      ^                                      +-> Scalar   -+      |
///                      |                                      +-> Nested   -+      |
///                      +---------------------------------------------------------,-+
/// ```
///
/// Any other byte leads to `Broken`, which stays. Contents are not checked beyond what this needs.
///
/// ```
/// use hermes_proto::framing::{Head, IdScan};
///
/// let mut scan = IdScan::new();
/// scan.feed(br#"{"params":{"id":1},"method":"x","#);
/// scan.feed(br#""id":"seven"}"#);
/// assert_eq!(scan.finish(), Head::Request("seven".into()));
/// ```
#[derive(Clone, Debug)]
pub struct IdScan {
    state: State,
    member: Member,
    captured: Capture,
    id: Id,
    method: bool,
    outcome: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing has come but so many bytes of a byte order mark.
    Mark(u8),
    /// Before the object.
    Start,
    /// A key has to come, or after `{` the end; `true` right after `{`.
    Key(bool),
    InKey(Escape),
    Colon,
    Value,
    Scalar,
    InString(Escape),
    /// In an array or object that is a member's value, this many levels down.
    Nested(u64),
    /// In a string in there.
    NestedString(u64, Escape),
    AfterValue,
    End,
    Broken,
}

/// Whether the next byte of a string stands after a backslash.
type Escape = bool;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Member {
    Id,
    Other,
}

#[derive(Clone, Debug)]
enum Id {
    None,
    Read(RequestId),
    Unreadable,
}

/// A piece of the text that is kept, up to a length.
#[derive(Clone, Debug, Default)]
struct Capture {
    bytes: Vec<u8>,
    overflown: bool,
}

impl Capture {
    fn clear(&mut self) {
        self.bytes.clear();
        self.overflown = false;
    }

    fn push(&mut self, piece: &[u8], limit: usize) {
        if self.overflown || self.bytes.len().saturating_add(piece.len()) > limit {
            self.bytes.clear();
            self.overflown = true;
        } else {
            self.bytes.extend_from_slice(piece);
        }
    }

    fn text(&self) -> Option<&str> {
        if self.overflown { None } else { std::str::from_utf8(&self.bytes).ok() }
    }
}

impl Default for IdScan {
    fn default() -> Self {
        Self::new()
    }
}

impl IdScan {
    /// A scan that has seen nothing yet.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            state: State::Mark(0),
            member: Member::Other,
            captured: Capture { bytes: Vec::new(), overflown: false },
            id: Id::None,
            method: false,
            outcome: false,
        }
    }

    /// The head of a text that is at hand as a whole.
    #[must_use]
    pub fn head_of(text: &[u8]) -> Head {
        let mut scan = Self::new();
        scan.feed(text);
        scan.finish()
    }

    /// Takes the next bytes of the message.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some((&byte, rest)) = bytes.split_first() {
            bytes = match self.state {
                State::Broken => return,
                State::InKey(escape) => self.in_key(bytes, escape),
                State::InString(escape) => self.in_string(bytes, escape),
                State::NestedString(depth, escape) => self.in_nested_string(bytes, depth, escape),
                State::Nested(depth) => self.in_nested(bytes, depth),
                State::Scalar => self.in_scalar(bytes),
                State::Mark(_)
                | State::Start
                | State::Key(_)
                | State::Colon
                | State::Value
                | State::AfterValue
                | State::End => {
                    self.between(byte);
                    rest
                }
            };
        }
    }

    /// Whether nothing but white space has come so far, apart from a byte order mark.
    #[must_use]
    pub const fn is_blank(&self) -> bool {
        matches!(self.state, State::Mark(0) | State::Start)
    }

    /// What the message was, now that all of it has come.
    #[must_use]
    pub fn finish(self) -> Head {
        if self.state != State::End {
            return Head::Unknown;
        }
        match (self.method, self.id, self.outcome) {
            (true, Id::Read(id), _) => Head::Request(id),
            (true, Id::None, _) => Head::Notification,
            (false, Id::Read(id), true) => Head::Response(Some(id)),
            // An error about a message whose id was unreadable may say `"id": null`.
            (false, Id::None | Id::Unreadable, true) => Head::Response(None),
            (true, Id::Unreadable, _) | (false, _, false) => Head::Unknown,
        }
    }

    /// One byte between the tokens that carry text.
    fn between(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Mark(0), 0xEF) => State::Mark(1),
            (State::Mark(1), 0xBB) => State::Mark(2),
            (State::Mark(2), 0xBF) => State::Start,
            (State::Mark(1 | 2), _) => State::Broken,
            (State::Mark(_), b' ' | b'\t' | b'\r' | b'\n') => State::Start,
            (state, b' ' | b'\t' | b'\r' | b'\n') => state,
            (State::Mark(_) | State::Start, b'{') => State::Key(true),
            (State::Key(_), b'"') => {
                self.captured.clear();
                State::InKey(false)
            }
            (State::Key(true) | State::AfterValue, b'}') => State::End,
            (State::Colon, b':') => State::Value,
            (State::AfterValue, b',') => State::Key(false),
            (State::Value, b'"') => {
                self.captured.clear();
                self.keep_id(b"\"");
                State::InString(false)
            }
            (State::Value, b'{' | b'[') => State::Nested(1),
            (State::Value, b'-' | b'0'..=b'9' | b'a'..=b'z') => {
                self.captured.clear();
                self.keep_id(&[byte]);
                State::Scalar
            }
            _ => State::Broken,
        };
    }

    fn in_key<'b>(&mut self, bytes: &'b [u8], escape: Escape) -> &'b [u8] {
        let piece = string_piece(bytes, escape);
        self.captured.push(piece.text, MAX_KEY_BYTES);
        self.state = match piece.end {
            End::Closed => self.key_done(),
            End::Open(escape) => State::InKey(escape),
        };
        piece.rest
    }

    /// A key is complete: remembers which member's value comes next.
    fn key_done(&mut self) -> State {
        let quoted = self.captured.text().map(|text| format!("\"{text}\""));
        let key = quoted.and_then(|quoted| serde_json::from_str::<String>(&quoted).ok());
        self.member = Member::Other;
        let twice = match key.as_deref() {
            Some("id") => {
                self.member = Member::Id;
                // Unreadable until its value proves otherwise.
                !matches!(std::mem::replace(&mut self.id, Id::Unreadable), Id::None)
            }
            Some("method") => std::mem::replace(&mut self.method, true),
            Some("result" | "error") => {
                self.outcome = true;
                false
            }
            _ => false,
        };
        if twice { State::Broken } else { State::Colon }
    }

    fn in_string<'b>(&mut self, bytes: &'b [u8], escape: Escape) -> &'b [u8] {
        let piece = string_piece(bytes, escape);
        self.keep_id(piece.text);
        self.state = match piece.end {
            End::Closed => {
                self.keep_id(b"\"");
                self.value_done()
            }
            End::Open(escape) => State::InString(escape),
        };
        piece.rest
    }

    fn in_scalar<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let ends = |byte: &u8| matches!(byte, b',' | b'}' | b' ' | b'\t' | b'\r' | b'\n');
        let Some((text, rest)) = bytes.iter().position(ends).and_then(|end| bytes.split_at_checked(end))
        else {
            self.keep_id(bytes);
            return &[];
        };
        self.keep_id(text);
        self.state = self.value_done();
        rest
    }

    fn in_nested<'b>(&mut self, bytes: &'b [u8], mut depth: u64) -> &'b [u8] {
        let mut rest = bytes.iter();
        for byte in rest.by_ref() {
            match byte {
                b'{' | b'[' => depth = depth.saturating_add(1),
                b'}' | b']' if depth == 1 => {
                    self.state = State::AfterValue;
                    return rest.as_slice();
                }
                b'}' | b']' => depth = depth.saturating_sub(1),
                b'"' => {
                    self.state = State::NestedString(depth, false);
                    return rest.as_slice();
                }
                _ => {}
            }
        }
        self.state = State::Nested(depth);
        rest.as_slice()
    }

    fn in_nested_string<'b>(&mut self, bytes: &'b [u8], depth: u64, escape: Escape) -> &'b [u8] {
        let piece = string_piece(bytes, escape);
        self.state = match piece.end {
            End::Closed => State::Nested(depth),
            End::Open(escape) => State::NestedString(depth, escape),
        };
        piece.rest
    }

    /// Keeps a piece of the value, if it is the id's.
    fn keep_id(&mut self, piece: &[u8]) {
        if self.member == Member::Id {
            self.captured.push(piece, MAX_ID_BYTES);
        }
    }

    /// A string or scalar value is complete.
    fn value_done(&mut self) -> State {
        if self.member == Member::Id {
            let raw = self.captured.text().and_then(|text| serde_json::from_str::<&RawValue>(text).ok());
            if let Some(id) = raw.and_then(|raw| RequestId::from_raw(raw).ok()) {
                self.id = Id::Read(id);
            }
        }
        State::AfterValue
    }
}

/// What one look at the inside of a string yields.
struct Piece<'b> {
    /// The string's text, raw and without the closing quote.
    text: &'b [u8],
    rest: &'b [u8],
    end: End,
}

enum End {
    /// The closing quote was there.
    Closed,
    /// The string goes on.
    Open(Escape),
}

/// Splits off the part of a string up to its closing quote, to just behind the next backslash, or to the end.
fn string_piece(bytes: &[u8], escape: Escape) -> Piece<'_> {
    let rest_of_all = Piece { text: bytes, rest: &[], end: End::Open(false) };
    if escape {
        return match bytes.split_at_checked(1) {
            Some((text, rest)) => Piece { text, rest, end: End::Open(false) },
            None => Piece { end: End::Open(true), ..rest_of_all },
        };
    }
    let Some(at) = memchr2(b'"', b'\\', bytes) else { return rest_of_all };
    let behind = at.saturating_add(1);
    match (bytes.get(at), bytes.get(..at), bytes.split_at_checked(behind)) {
        (Some(b'"'), Some(text), Some((_, rest))) => Piece { text, rest, end: End::Closed },
        (_, _, Some((text, rest))) => Piece { text, rest, end: End::Open(true) },
        _ => rest_of_all,
    }
}

#[cfg(test)]
mod tests;
