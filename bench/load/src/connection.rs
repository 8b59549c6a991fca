//! HTTP/1.1 as far as it is needed here: requests one after the other on a connection that stays open.

use std::fmt;
use std::str::FromStr;

use httparse::{EMPTY_HEADER, Status};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::{Error, Result};

/// How much of a wrong answer is shown.
const SHOWN: usize = 400;

/// Where an endpoint is.
#[derive(Clone, Debug)]
pub(crate) struct Url {
    host: String,
    path: String,
}

impl FromStr for Url {
    type Err = &'static str;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        let rest = text.strip_prefix("http://").ok_or("an address begins with http://")?;
        let (host, path) = rest.split_once('/').ok_or("an address has a path")?;
        Ok(Self { host: host.to_owned(), path: format!("/{path}") })
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.host, self.path)
    }
}

/// An open connection, and what came on it and was not used yet.
#[derive(Debug)]
pub(crate) struct Connection {
    stream: TcpStream,
    url: Url,
    read: Vec<u8>,
    /// The body of the last answer.
    body: Vec<u8>,
    written: Vec<u8>,
    /// The session that the requests belong to.
    pub(crate) session: Option<String>,
}

/// The head of an answer.
#[derive(Debug)]
struct Head {
    status: u16,
    length: Length,
    is_events: bool,
    session: Option<String>,
}

/// How it is known where a body ends.
#[derive(Clone, Copy, Debug)]
enum Length {
    Known(usize),
    Chunked,
}

/// An answer of which the body was read too.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    pub(crate) status: u16,
    pub(crate) is_events: bool,
    pub(crate) body: &'a [u8],
}

impl Answer<'_> {
    /// What is told of an answer that is not the one wanted.
    pub(crate) fn unwanted(&self) -> Error {
        let shown = self.body.get(..SHOWN).unwrap_or(self.body);
        Error::Answer { status: self.status, text: String::from_utf8_lossy(shown).into_owned() }
    }
}

impl Connection {
    pub(crate) async fn open(url: &Url) -> Result<Self> {
        let stream = TcpStream::connect(&url.host).await?;
        stream.set_nodelay(true)?;
        let (read, body, written) = (Vec::with_capacity(4096), Vec::new(), Vec::new());
        Ok(Self { stream, url: url.clone(), read, body, written, session: None })
    }

    /// Posts a body and reads the whole answer. `headers` are lines that are added, each with its end.
    pub(crate) async fn post(&mut self, headers: &str, body: &[u8]) -> Result<Answer<'_>> {
        self.send(headers, body).await?;
        let head = self.head().await?;
        self.body.clear();
        match head.length {
            Length::Known(length) => {
                while self.read.len() < length {
                    self.fill().await?;
                }
                self.body.extend(self.read.drain(..length));
            }
            Length::Chunked => while self.chunk().await? > 0 {},
        }
        Ok(Answer { status: head.status, is_events: head.is_events, body: &self.body })
    }

    /// Posts a body, and reads only the head of the answer: its status.
    pub(crate) async fn begin(&mut self, headers: &str, body: &[u8]) -> Result<u16> {
        self.send(headers, body).await?;
        Ok(self.head().await?.status)
    }

    /// Asks for the stream of the session, and reads only the head of the answer: its status.
    pub(crate) async fn get(&mut self, headers: &str) -> Result<u16> {
        self.request("GET", headers, &[]).await?;
        Ok(self.head().await?.status)
    }

    /// What came of a body that was begun, and was not used yet.
    pub(crate) const fn came(&mut self) -> &mut Vec<u8> {
        &mut self.read
    }

    /// Waits until more of it has come.
    pub(crate) async fn more(&mut self) -> Result<()> {
        self.fill().await
    }

    async fn send(&mut self, headers: &str, body: &[u8]) -> Result<()> {
        self.request("POST", headers, body).await
    }

    async fn request(&mut self, method: &str, headers: &str, body: &[u8]) -> Result<()> {
        let Self { stream, url, written, session, .. } = self;
        written.clear();
        let mut write = |parts: &[&str]| parts.iter().for_each(|it| written.extend_from_slice(it.as_bytes()));
        write(&[method, " ", &url.path, " HTTP/1.1\r\nHost: ", &url.host]);
        write(&["\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n"]);
        write(&["Content-Length: ", itoa::Buffer::new().format(body.len()), "\r\n", headers]);
        if let Some(session) = session {
            write(&["Mcp-Session-Id: ", session, "\r\n"]);
        }
        write(&["\r\n"]);
        written.extend_from_slice(body);
        Ok(stream.write_all(written).await?)
    }

    async fn fill(&mut self) -> Result<()> {
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err(Error::Ended),
            _ => Ok(()),
        }
    }

    async fn head(&mut self) -> Result<Head> {
        loop {
            if let Some((head, length)) = head(&self.read)? {
                self.read.drain(..length);
                if head.session.is_some() {
                    self.session.clone_from(&head.session);
                }
                return Ok(head);
            }
            self.fill().await?;
        }
    }

    /// Adds a chunk to the body; its length, which is 0 for the last.
    async fn chunk(&mut self) -> Result<usize> {
        let (start, length) = loop {
            match httparse::parse_chunk_size(&self.read).map_err(|_| httparse::Error::Token)? {
                Status::Complete((start, length)) => {
                    break (start, usize::try_from(length).unwrap_or(usize::MAX));
                }
                Status::Partial => self.fill().await?,
            }
        };
        let end = start.saturating_add(length);
        while self.read.len() < end.saturating_add(2) {
            self.fill().await?;
        }
        self.body.extend_from_slice(&self.read[start..end]);
        self.read.drain(..end + 2);
        Ok(length)
    }
}

/// The head of an answer and its length in bytes, once it is there.
fn head(read: &[u8]) -> Result<Option<(Head, usize)>> {
    let mut headers = [EMPTY_HEADER; 32];
    let mut response = httparse::Response::new(&mut headers);
    let Status::Complete(end) = response.parse(read)? else { return Ok(None) };
    let status = response.code.unwrap_or_default();
    let mut head = Head { status, length: Length::Known(0), is_events: false, session: None };
    for header in response.headers {
        let value = std::str::from_utf8(header.value).unwrap_or_default();
        if header.name.eq_ignore_ascii_case("content-length") {
            head.length = Length::Known(value.parse().unwrap_or_default());
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            head.length = Length::Chunked;
        } else if header.name.eq_ignore_ascii_case("content-type") {
            head.is_events = value.starts_with("text/event-stream");
        } else if header.name.eq_ignore_ascii_case("mcp-session-id") {
            head.session = Some(value.to_owned());
        }
    }
    Ok(Some((head, end)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_says_how_its_body_ends() {
        let text =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nrest";
        let (read, end) = head(text).expect("HTTP").expect("complete");
        assert!(matches!(read.length, Length::Chunked) && read.is_events && read.status == 200);
        assert_eq!(&text[end..], b"rest");
        assert!(head(&text[..end - 1]).expect("HTTP").is_none());
    }

    #[test]
    fn an_address_needs_a_path() {
        assert!("http://127.0.0.1:1/mcp".parse::<Url>().is_ok());
        assert!("http://127.0.0.1:1".parse::<Url>().is_err());
    }
}
