//! How much of anything a peer may send.

use crate::framing::{Head, IdScan};

use memchr::{memchr_iter, memchr2};

/// Bounds on a single message.
///
/// ```
/// use hermes_proto::limits::Limits;
///
/// let limits = Limits { depth: 2, ..Limits::SERVER };
/// assert_eq!(limits.too_deep("{\"id\":1,\"method\":\"x\",\"params\":{}}"), None);
/// let head = limits.too_deep("{\"id\":1,\"method\":\"x\",\"params\":{\"a\":[]}}");
/// assert_eq!(head.and_then(|head| head.into_request_id()), Some(1.into()));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limits {
    /// The longest line, in bytes.
    pub line_bytes: usize,
    /// The deepest nesting of arrays and objects, the message itself being the first level.
    pub depth: usize,
}

impl Limits {
    /// What a server accepts: lines of 16 MiB, 128 levels.
    pub const SERVER: Self = Self { line_bytes: 16 * 1024 * 1024, depth: 128 };

    /// What a client accepts: lines of 64 MiB, as results are larger than requests; 128 levels.
    pub const CLIENT: Self = Self { line_bytes: 64 * 1024 * 1024, depth: 128 };

    /// What the message is, if it is nested too deeply to be decoded; `None` if it is not.
    ///
    /// Parsers recurse: text deeper than the limit must not reach one.
    #[must_use]
    pub fn too_deep(&self, text: &str) -> Option<Head> {
        // Nothing is nested deeper than it has brackets, and those are counted many bytes at a time.
        let count = |bracket| memchr_iter(bracket, text.as_bytes()).count();
        let brackets = count(b'{').saturating_add(count(b'['));
        let is_deeper = brackets > self.depth && depth_of(text) > self.depth;
        is_deeper.then(|| IdScan::head_of(text.as_bytes()))
    }
}

/// How deeply arrays and objects are nested in a JSON text; 0 for a lone scalar.
///
/// One pass without recursion. Of text that is no JSON it gives the depth as far as brackets go.
///
/// ```
/// use hermes_proto::limits::depth_of;
///
/// assert_eq!(depth_of("7"), 0);
/// assert_eq!(depth_of("{\"a\":[1,\"[[[\"]}"), 2);
/// ```
#[must_use]
pub fn depth_of(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut rest = text.as_bytes().iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'{' | b'[' => {
                depth = depth.saturating_add(1);
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => rest = after_string(rest.as_slice()).iter(),
            _ => {}
        }
    }
    deepest
}

/// What stands behind the closing quote of the string that `bytes` begins in.
fn after_string(mut bytes: &[u8]) -> &[u8] {
    while let Some(at) = memchr2(b'"', b'\\', bytes) {
        let closed = bytes.get(at) == Some(&b'"');
        // Behind the quote, or behind the backslash and what it escapes.
        bytes = bytes.get(at.saturating_add(if closed { 1 } else { 2 })..).unwrap_or_default();
        if closed {
            return bytes;
        }
    }
    &[]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_strings() {
        for (text, depth) in [
            ("", 0),
            ("null", 0),
            ("[]", 1),
            ("[[],[[]],[]]", 3),
            ("{\"a\":{\"b\":{}}}", 3),
            (r#""[[[""#, 0),
            (r#"["\"[[[",[]]"#, 2),
            (r#"["\\",[]]"#, 2),
            (r#"["[\\\"[[",{"[":"]"}]"#, 2),
            ("[\"日本[[\"]", 1),
            ("]]][", 1),
            ("[\"unterminated [[[", 1),
            ("[\"\\", 1),
        ] {
            assert_eq!(depth_of(text), depth, "{text}");
        }
        assert_eq!(depth_of(&"[".repeat(1_000_000)), 1_000_000);
    }

    #[test]
    fn only_deeper_than_the_limit_is_too_deep() {
        let limits = Limits { depth: 3, ..Limits::SERVER };
        let nested = |levels: usize| {
            let (open, close) = ("[".repeat(levels), "]".repeat(levels));
            format!(r#"{{"id":"a","method":"m","params":{{"x":{open}{close}}}}}"#)
        };
        assert_eq!(limits.too_deep(&nested(1)), None);
        assert_eq!(limits.too_deep(&nested(2)), Some(Head::Request("a".into())));
    }
}
