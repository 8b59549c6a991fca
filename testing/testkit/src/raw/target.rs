//! Where a server is.

use std::fmt;
use std::net::SocketAddr;

/// An endpoint: an address and a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The address to connect to.
    pub address: SocketAddr,
    /// What the `Host` header says.
    pub host: String,
    /// The path, with its slash.
    pub path: String,
}

/// A text is no endpoint that a raw client can reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoTarget(String);

impl fmt::Display for NoTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is no endpoint: write http://IP:PORT/PATH", self.0)
    }
}

impl std::error::Error for NoTarget {}

/// Its URL.
impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.host, self.path)
    }
}

impl Target {
    /// Reads a URL whose host is an IP address or `localhost`. Without a path it is the root.
    ///
    /// # Errors
    /// [`NoTarget`] if the text is anything else.
    pub fn parse(url: &str) -> Result<Self, NoTarget> {
        let wrong = || NoTarget(url.to_owned());
        let rest = url.trim().strip_prefix("http://").ok_or_else(wrong)?;
        let (host, path) = rest.find('/').map_or((rest, "/"), |at| rest.split_at(at));
        let numeric = host.strip_prefix("localhost:").map(|port| format!("127.0.0.1:{port}"));
        let address = numeric.as_deref().unwrap_or(host).parse().map_err(|_| wrong())?;
        Ok(Self { address, host: host.to_owned(), path: path.to_owned() })
    }

    /// The same endpoint by another path.
    #[must_use]
    pub fn with_path(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// The first endpoint that a text names, for programs that print where they listen.
    #[must_use]
    pub fn find(text: &str) -> Option<Self> {
        text.match_indices("http://").find_map(|(at, _)| {
            let url = text.get(at..)?;
            let end = url.find(|letter: char| letter.is_whitespace() || "\"'`,;<>)".contains(letter));
            let url = url.get(..end.unwrap_or(url.len()))?;
            Self::parse(url.trim_end_matches('.')).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_found_in_what_a_program_prints() {
        let target = Target::find("see http://example.org; listening on http://127.0.0.1:8000/mcp, now");
        let target = target.expect("the second is one");
        assert_eq!((target.host.as_str(), target.path.as_str()), ("127.0.0.1:8000", "/mcp"));
        assert_eq!(
            Target::parse("http://localhost:1").map(|it| (it.address.port(), it.path)),
            Ok((1, "/".into()))
        );
        assert_eq!(Target::parse("http://[::1]:9/x").map(|it| it.host), Ok("[::1]:9".into()));
    }

    #[test]
    fn other_texts_are_no_endpoints() {
        for text in ["", "127.0.0.1:1", "https://127.0.0.1:1/mcp", "http://example.org/", "http://127.0.0.1/"]
        {
            assert_eq!(Target::parse(text), Err(NoTarget(text.to_owned())));
        }
    }
}
