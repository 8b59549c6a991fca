//! The head of an answer, read strictly.

use crate::raw::error::RawError;

/// Status and header lines of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// The status code.
    pub status: u16,
    /// Every header line in order, the name in lower case.
    pub headers: Vec<(String, String)>,
}

/// How the end of a body is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    Chunked,
    Length(usize),
    UntilTheEnd,
}

impl Head {
    /// The value of a header, if it is there exactly once.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(known, _)| known == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Some(value),
            _ => None,
        }
    }

    /// The media type of the body, without parameters.
    #[must_use]
    pub fn media_type(&self) -> Option<&str> {
        self.header("content-type").map(|value| value.split(';').next().unwrap_or(value).trim())
    }

    /// Reads a head, which ends with its empty line.
    pub(super) fn parse(text: &[u8]) -> Result<Self, RawError> {
        let broken = |expected| RawError::broken(expected, text);
        let text = std::str::from_utf8(text).map_err(|_| broken("a head in ASCII"))?;
        let mut lines = text.split("\r\n").take_while(|line| !line.is_empty());
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1.1 "));
        let status = status.and_then(|line| line.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| broken("a status line of HTTP/1.1"))?;
        let mut headers = Vec::new();
        for line in lines {
            let (name, value) = line.split_once(':').ok_or_else(|| broken("a header with a colon"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Ok(Self { status, headers })
    }

    pub(super) fn framing(&self) -> Result<Framing, RawError> {
        let chunked =
            self.header("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked"));
        Ok(match self.header("content-length") {
            _ if self.status == 204 || self.status / 100 == 1 => Framing::Length(0),
            Some(length) if !chunked => {
                let length = length.parse().map_err(|_| RawError::broken("a length", length.as_bytes()))?;
                Framing::Length(length)
            }
            None if chunked => Framing::Chunked,
            None => Framing::UntilTheEnd,
            Some(_) => return Err(RawError::broken("a length or chunks", b"both")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_strictly() {
        let head = Head::parse(b"HTTP/1.1 200 OK\r\nContent-Type: a/b; c=d\r\nX: 1\r\nx: 2\r\n\r\n")
            .expect("a head");
        assert_eq!((head.status, head.media_type(), head.header("x")), (200, Some("a/b"), None));
        for broken in [&b"HTTP/1.0 200 OK\r\n\r\n"[..], b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200\r\nx\r\n\r\n"]
        {
            assert!(Head::parse(broken).is_err(), "{broken:?}");
        }
    }

    #[test]
    fn a_body_ends_in_one_way_only() {
        let framing = |headers: &str| {
            let head = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
            Head::parse(head.as_bytes()).and_then(|head| head.framing()).ok()
        };
        assert_eq!(framing("content-length: 7\r\n"), Some(Framing::Length(7)));
        assert_eq!(framing("transfer-encoding: chunked\r\n"), Some(Framing::Chunked));
        assert_eq!(framing(""), Some(Framing::UntilTheEnd));
        assert_eq!(framing("content-length: 7\r\ntransfer-encoding: chunked\r\n"), None);
    }
}
