//! What is said to a server.

use clap::ValueEnum;
use hermes::EraChoice;
use memchr::memmem;

use crate::Result;
use crate::connection::{Answer, Connection, Url};

/// Which kind of client the generator is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Era {
    /// 2025-11-25, in a session.
    Legacy,
    /// 2026-07-28.
    Modern,
}

impl From<Era> for EraChoice {
    fn from(era: Era) -> Self {
        match era {
            Era::Legacy => Self::Legacy,
            Era::Modern => Self::Modern,
        }
    }
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum What {
    /// A text, which comes back.
    Echo,
    /// A text, of which only the length comes back.
    Measure,
    /// Only a length, and a text of it comes back.
    Fill,
    /// The list of tools.
    List,
}

/// What is echoed.
pub(crate) const TEXT: &str = "a text of exactly 32 characters.";

/// What asks for reports of progress.
const PROGRESS: &str = r#""progressToken":"progress""#;

/// The members of the metadata of every modern request.
const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"load","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}"#;

/// The headers of a legacy request, besides its session.
pub(crate) const LEGACY: &str = "MCP-Protocol-Version: 2025-11-25\r\n";

/// How every call begins, and where its id does.
const START: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const ID: usize = r#"{"jsonrpc":"2.0","#.len();

/// Where a result says its text.
const TEXT_OF_RESULT: &[u8] = br#""text":""#;

pub(crate) const HELLO: &[u8] = br#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"0"}}}"#;

pub(crate) const THERE: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;

impl Era {
    /// A connection on which calls can be made.
    pub(crate) async fn connect(self, url: &Url) -> Result<Connection> {
        let mut connection = Connection::open(url).await?;
        if self == Self::Legacy {
            connection.greet().await?;
        }
        Ok(connection)
    }
}

impl Connection {
    /// Opens a session, which further requests belong to.
    pub(crate) async fn greet(&mut self) -> Result<()> {
        self.session = None;
        self.hello().await?;
        let told = self.post(LEGACY, THERE).await?;
        if told.status == 202 { Ok(()) } else { Err(told.unwanted()) }
    }

    /// Opens a session and says no more.
    pub(crate) async fn hello(&mut self) -> Result<()> {
        self.session = None;
        let answer = self.post("", HELLO).await?;
        let is_good = answer.status == 200 && memmem::find(answer.body, b"2025-11-25").is_some();
        if is_good { Ok(()) } else { Err(answer.unwanted()) }
    }
}

/// A call that is made again and again, each time with another id.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    headers: String,
    rest: String,
    wanted: String,
    /// Whether the answer has to show the id of the call: a list that somebody wrote beforehand does not.
    shows_id: bool,
    body: Vec<u8>,
    id: u64,
}

impl Call {
    /// Calls `echo`; ids begin after this one.
    pub(crate) fn echo(era: Era, id: u64) -> Self {
        Self::new(era, "echo", &format!(r#"{{"text":"{TEXT}"}}"#), "", TEXT, id)
    }

    /// Asks for this, with so many letters, or with the usual text; ids begin after this one.
    pub(crate) fn of(what: What, era: Era, letters: Option<usize>, id: u64) -> Self {
        let text = letters.map_or_else(|| TEXT.to_owned(), |letters| "x".repeat(letters));
        let (length, told) = (text.len(), format!(r#"{{"text":"{text}"}}"#));
        match what {
            What::Echo => Self::new(era, "echo", &told, "", &text, id),
            What::Measure => Self::new(era, "measure", &told, "", &format!("\"{length}\""), id),
            What::Fill => {
                Self::new(era, "fill", &format!(r#"{{"bytes":{length}}}"#), "", &"x".repeat(length), id)
            }
            What::List => Self::list(era, id),
        }
    }

    /// Calls a tool that tells all listeners that the counter was updated.
    pub(crate) fn touch() -> Self {
        Self::new(Era::Modern, "touch", "{}", "", "", 0)
    }

    /// Listens to what is told of the counter. Many listen, and none of them under another id.
    pub(crate) fn listen() -> Self {
        let headers = "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: subscriptions/listen\r\n".to_owned();
        let wanted = r#""notifications":{"resourceSubscriptions":["bench://counter"]}"#;
        let rest = format!(r#","method":"subscriptions/listen","params":{{{wanted},"_meta":{{{META}}}}}}}"#);
        Self { headers, rest, wanted: String::new(), shows_id: false, body: Vec::new(), id: 1_000_000 }
    }

    /// Calls a tool that reports its progress at length.
    pub(crate) fn talking(era: Era, arguments: &str) -> Self {
        Self::new(era, "chatter", arguments, PROGRESS, "", 0)
    }

    /// Asks for the list of tools.
    fn list(era: Era, id: u64) -> Self {
        let (headers, meta) = match era {
            Era::Legacy => (LEGACY.to_owned(), String::new()),
            Era::Modern => (
                "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/list\r\n".to_owned(),
                format!(r#""_meta":{{{META}}}"#),
            ),
        };
        let rest = format!(r#","method":"tools/list","params":{{{meta}}}}}"#);
        let wanted = r#""tools":["#.to_owned();
        Self { headers, rest, wanted, shows_id: false, body: Vec::new(), id }
    }

    /// Calls a tool that counts the tasks of the server's runtime.
    pub(crate) fn tasks() -> Self {
        Self::new(Era::Legacy, "tasks", "{}", "", "", 0)
    }

    /// `meta` is what `_meta` holds beside what the era asks for.
    fn new(era: Era, name: &str, arguments: &str, meta: &str, wanted: &str, id: u64) -> Self {
        let (headers, meta) = match era {
            Era::Legacy if meta.is_empty() => (LEGACY.to_owned(), String::new()),
            Era::Legacy => (LEGACY.to_owned(), format!(r#","_meta":{{{meta}}}"#)),
            Era::Modern => {
                let comma = if meta.is_empty() { "" } else { "," };
                (
                    format!(
                        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
                    ),
                    format!(r#","_meta":{{{META}{comma}{meta}}}"#),
                )
            }
        };
        let rest =
            format!(r#","method":"tools/call","params":{{"name":"{name}","arguments":{arguments}{meta}}}}}"#);
        Self { headers, rest, wanted: wanted.to_owned(), shows_id: true, body: Vec::new(), id }
    }

    /// The next call: its headers and its body.
    pub(crate) fn next(&mut self) -> (&str, &[u8]) {
        self.id += 1;
        self.body.clear();
        self.body.extend_from_slice(START);
        self.body.extend_from_slice(itoa::Buffer::new().format(self.id).as_bytes());
        self.body.extend_from_slice(self.rest.as_bytes());
        (&self.headers, &self.body)
    }

    /// Makes the next call on a connection: whether events answered it, and how long its body was.
    pub(crate) async fn on(&mut self, connection: &mut Connection) -> Result<(bool, usize)> {
        self.next();
        let answer = connection.post(&self.headers, &self.body).await?;
        self.check(&answer)?;
        Ok((answer.is_events, answer.body.len()))
    }

    /// Makes the next call on a connection, whose result is a number.
    pub(crate) async fn number_on(&mut self, connection: &mut Connection) -> Result<u64> {
        self.next();
        let answer = connection.post(&self.headers, &self.body).await?;
        self.check(&answer)?;
        let digits =
            memmem::find(answer.body, TEXT_OF_RESULT).map(|at| &answer.body[at + TEXT_OF_RESULT.len()..]);
        let digits = digits.and_then(|rest| rest.split(|byte| !byte.is_ascii_digit()).next());
        let number = digits.and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        number.ok_or_else(|| answer.unwanted())
    }

    /// Whether an answer is the one to the last call. It is searched and not decoded: that would cost more than many
    /// a server.
    fn check(&self, answer: &Answer<'_>) -> Result<()> {
        // As it stands in the request, with its name.
        let id = &self.body[ID..self.body.len() - self.rest.len()];
        let holds = |text: &[u8]| memmem::find(answer.body, text).is_some();
        let is_good = answer.status == 200
            && holds(b"\"result\":")
            && (!self.shows_id || holds(id))
            && holds(self.wanted.as_bytes())
            && !holds(b"\"isError\":true");
        if is_good { Ok(()) } else { Err(answer.unwanted()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_to_another_call_is_none() {
        let mut call = Call::echo(Era::Modern, 41);
        let (headers, body) = call.next();
        assert!(headers.contains("Mcp-Name: echo\r\n"));
        assert!(serde_json::from_slice::<serde_json::Value>(body).is_ok());
        let check = |id: u64, text: &str| {
            let body =
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"text":"{text}"}}]}}}}"#);
            call.check(&Answer { status: 200, is_events: false, body: body.as_bytes() }).is_ok()
        };
        assert!(check(42, TEXT) && !check(41, TEXT) && !check(42, "another"));
    }
}
