//! What people may be shown of HTTP.

use std::fmt;

/// The first line and the headers of an HTTP message, with all secrets masked.
///
/// Masked are the values of all headers that the host has set, of `Authorization`, of cookies, and of those whose names
/// speak of a token, a key or a secret; in addresses, the user and the values of the query. The id of a session is
/// shortened. As text it is several lines, the headers below the first one, which ends with the number of the exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpHead {
    pub(crate) exchange: u64,
    pub(crate) line: String,
    pub(crate) headers: Vec<(String, String)>,
}

impl HttpHead {
    /// The number that a request and what answers it have in common, from 1; a client has several exchanges at a time.
    #[must_use]
    pub const fn exchange(&self) -> u64 {
        self.exchange
    }

    /// Method and address, or version and status: `POST http://127.0.0.1:8000/mcp`, `HTTP/1.1 200 OK`.
    #[must_use]
    pub fn line(&self) -> &str {
        &self.line
    }

    /// The headers, with their names in lower case. The few that the transport adds by itself are not among them.
    #[must_use]
    pub fn headers(&self) -> &[(String, String)] {
        &self.headers
    }
}

impl fmt::Display for HttpHead {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} #{}", self.line, self.exchange)?;
        self.headers.iter().try_for_each(|(name, value)| write!(f, "\n{name}: {value}"))
    }
}
