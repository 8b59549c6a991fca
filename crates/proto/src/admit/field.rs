//! Header fields as they were found.

/// A header field as it was found in a request.
///
/// Names are looked up in lower case, through a closure `Fn(&str) -> Field`. Over HTTP/2, where there may be no
/// `Host` line, `host` is the `:authority` of the request.
///
/// ```
/// use hermes_proto::admit::Field;
///
/// let lines: [&[u8]; 2] = [b"application/json", b" text/event-stream "];
/// assert_eq!(lines.into_iter().take(1).collect::<Field<'_>>(), Field::One(b"application/json"));
/// assert_eq!(lines.into_iter().collect::<Field<'_>>(), Field::Many(lines.to_vec()));
/// assert_eq!(Field::One(b" text/event-stream\t").trimmed(), Field::One(b"text/event-stream"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field<'a> {
    /// It is not there.
    Absent,
    /// It stands on one line; this is its value.
    One(&'a [u8]),
    /// It stands on several lines. Only lists may.
    Many(Vec<&'a [u8]>),
}

impl<'a> Field<'a> {
    /// One more line was found.
    pub fn add(&mut self, line: &'a [u8]) {
        match self {
            Self::Absent => *self = Self::One(line),
            Self::One(first) => *self = Self::Many(vec![first, line]),
            Self::Many(lines) => lines.push(line),
        }
    }

    /// The field without the spaces and tabs that HTTP allows around a value.
    ///
    /// Source: RFC 9110, section 5.5.
    #[must_use]
    pub fn trimmed(self) -> Self {
        match self {
            Self::Absent => Self::Absent,
            Self::One(value) => Self::One(trim(value)),
            Self::Many(values) => Self::Many(values.into_iter().map(trim).collect()),
        }
    }
}

impl<'a> FromIterator<&'a [u8]> for Field<'a> {
    fn from_iter<I: IntoIterator<Item = &'a [u8]>>(lines: I) -> Self {
        let mut lines = lines.into_iter();
        match (lines.next(), lines.next()) {
            (None, _) => Self::Absent,
            (Some(only), None) => Self::One(only),
            (Some(first), Some(second)) => Self::Many([first, second].into_iter().chain(lines).collect()),
        }
    }
}

/// Without the spaces and tabs around it.
pub(super) fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}
