//! Content negotiation: the `Accept` and `Content-Type` headers.

use super::field::{Field, trim};

/// In which forms a client takes its answer.
///
/// A client has to name both, but those who name one, use wildcards or name nothing are served as well.
///
/// ```
/// use hermes_proto::admit::{Accept, Field};
///
/// let accept = Accept::read(&Field::One(b"application/json;q=0, text/*"));
/// assert_eq!(accept, Accept { events: true, json: false });
/// assert_eq!(Accept::read(&Field::Absent), Accept { events: true, json: true });
/// ```
///
/// Source: RFC 9110, section 12.5.1; `basic/transports/streamable-http#sending-messages`, 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Accept {
    /// A stream of server-sent events.
    pub events: bool,
    /// One JSON text.
    pub json: bool,
}

impl Accept {
    /// Reads the header; several lines count as one list, and what is no media range as nothing.
    #[must_use]
    pub fn read(accept: &Field<'_>) -> Self {
        if let Field::One(b"application/json, text/event-stream") = accept {
            // So most clients say it.
            return Self { events: true, json: true };
        }
        let lines: &[&[u8]] = match accept {
            Field::Absent => &[],
            Field::One(line) => &[line],
            Field::Many(lines) => lines,
        };
        let (mut events, mut json) = (Weighed::default(), Weighed::default());
        let mut anything = false;
        for member in lines.iter().flat_map(|line| split(line, b',')).filter(|member| !member.is_empty()) {
            anything = true;
            if let Some(range) = Range::parse(member) {
                events.weigh(&range, b"text", b"event-stream");
                json.weigh(&range, b"application", b"json");
            }
        }
        // A list without members says as little as no list.
        Self { events: !anything || events.accepted, json: !anything || json.accepted }
    }

    /// Whether no answer can be given in a form that the client takes.
    #[must_use]
    pub const fn is_neither(self) -> bool {
        !self.events && !self.json
    }
}

/// What the list says about one media type so far: the most specific range that fits decides.
#[derive(Default)]
struct Weighed {
    accepted: bool,
    /// 0 for nothing, 1 for `*/*`, 2 for `type/*`, 3 for the type itself.
    specificity: u8,
}

impl Weighed {
    fn weigh(&mut self, range: &Range<'_>, kind: &[u8], subtype: &[u8]) {
        let same = |a: &[u8], b: &[u8]| a.eq_ignore_ascii_case(b);
        let specificity = match (range.kind, range.subtype) {
            (b"*", b"*") => 1,
            (range_kind, b"*") if same(range_kind, kind) => 2,
            (range_kind, range_subtype) if same(range_kind, kind) && same(range_subtype, subtype) => 3,
            _ => return,
        };
        if specificity > self.specificity {
            *self = Self { accepted: range.wanted, specificity };
        } else if specificity == self.specificity {
            self.accepted |= range.wanted;
        }
    }
}

struct Range<'a> {
    kind: &'a [u8],
    subtype: &'a [u8],
    wanted: bool,
}

impl<'a> Range<'a> {
    fn parse(member: &'a [u8]) -> Option<Self> {
        let mut parts = split(member, b';');
        let mut halves = parts.next()?.splitn(2, |byte| *byte == b'/');
        let (kind, subtype) = (halves.next()?, halves.next()?);
        if !is_token(kind) || !is_token(subtype) {
            return None;
        }
        let wanted = !parts.any(is_weight_of_zero);
        Some(Self { kind, subtype, wanted })
    }
}

/// `q=0`, `q=0.`, `q=0.000`.
fn is_weight_of_zero(parameter: &[u8]) -> bool {
    let mut halves = parameter.splitn(2, |byte| *byte == b'=');
    let (Some(name), Some(value)) = (halves.next(), halves.next()) else { return false };
    if !trim(name).eq_ignore_ascii_case(b"q") {
        return false;
    }
    match trim(value) {
        [b'0'] => true,
        [b'0', b'.', digits @ ..] => digits.iter().all(|digit| *digit == b'0'),
        _ => false,
    }
}

/// Whether the media type of a body is `application/json`, whatever its parameters.
pub(super) fn is_json(content_type: &Field<'_>) -> bool {
    let Field::One(value) = content_type else { return false };
    *value == b"application/json"
        || split(value, b';').next().is_some_and(|essence| essence.eq_ignore_ascii_case(b"application/json"))
}

/// The members of a list, trimmed; separators inside quoted strings do not count.
fn split(list: &[u8], separator: u8) -> impl Iterator<Item = &[u8]> {
    let (mut quoted, mut escaped) = (false, false);
    list.split(move |byte| {
        let separates = !quoted && *byte == separator;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        separates
    })
    .map(trim)
}

/// Whether it is a token of HTTP.
///
/// Source: RFC 9110, section 5.6.2.
pub(super) fn is_token(text: &[u8]) -> bool {
    let is_tchar = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_tchar)
}
