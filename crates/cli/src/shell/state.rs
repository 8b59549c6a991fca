//! How things stand.

use hermes::types::{Era, LoggingLevel, RawJson, Revision, Wire};
use hermes::{Client, Status};

use super::link::{GONE, Link};
use super::start::Shell;
use crate::args::DEFAULT_TIMEOUT;
use crate::exit::{Result, chain};
use crate::render::{Row, Screen, pretty, style, table};
use crate::verbs::offers;

/// Set, it makes the state say everything.
const VERBOSE: &str = "HERMES_VERBOSE";

/// What stands for the value of a header.
const MASKED: &str = "(masked)";

impl Shell {
    /// Shows the state of the shell and of its connection.
    ///
    /// # Errors
    /// Standard output cannot be written to.
    pub(super) fn state(&self, verbose: bool) -> Result<()> {
        let verbose = verbose || self.console.is_verbose() || is_set(VERBOSE);
        let mut rows = vec![row("target", &self.target.to_string())];
        match &self.link {
            Some(link) => self.of_link(link, verbose, &mut rows),
            None => rows.push(row("status", &format!("there is no server; {GONE}"))),
        }
        if !self.flags.headers.is_empty() {
            let headers = self.flags.headers.iter();
            rows.push(lines("headers", headers.map(|(name, _)| format!("{name}: {MASKED}"))));
        }
        rows.push(lines("roots", self.candidates.roots.list().into_iter().map(|root| root.uri)));
        rows.push(lines("subscribed", self.candidates.catalogue.watched()));
        let level = self.level.as_ref().map_or("as the server chooses", LoggingLevel::as_str);
        rows.push(row("log level", level));
        let limit = self.flags.timeout.or_else(|| self.target.timeout()).unwrap_or(DEFAULT_TIMEOUT);
        rows.push(row("timeout", &format!("{} ms", limit.as_millis())));
        rows.push(row("trace", if self.console.is_traced() { "on" } else { "off" }));
        self.show(&table(Screen::stdout(), &rows))
    }

    fn of_link(&self, link: &Link, verbose: bool, rows: &mut Vec<Row>) {
        let client = link.client();
        rows.push(row("status", &status(&client)));
        let manner = match client.era() {
            Era::Legacy => "legacy era: a handshake, then a session",
            Era::Modern => "modern era: no handshake, no session; every request stands alone",
        };
        rows.push(row("protocol", client.revision().as_str()).with(style::FAINT, manner));
        if let Some(info) = client.server_info() {
            rows.push(row("server", &format!("{} {}", info.name, info.version)));
        }
        let offers = offers(&client.capabilities());
        rows.push(row("offers", &if offers.is_empty() { "nothing".to_owned() } else { offers.join(", ") }));
        let us =
            format!("hermes {}, which declares {}", env!("CARGO_PKG_VERSION"), declared(&client).join(", "));
        rows.push(row("client", &us));
        let listening = link.listening();
        rows.push(row("pending", &client.pending().saturating_sub(listening).to_string()));
        if listening > 0 {
            rows.push(row("streams", &listening.to_string()).with(style::FAINT, "of changes"));
        }
        if verbose {
            let opening = client.opening();
            rows.push(row("opening", &pretty(opening.get())));
            let declared = RawJson::encode(&Wire(&client.declared(), Revision::LATEST));
            rows.push(row("declared", &pretty(declared.as_ref().map_or("{}", RawJson::get))));
            if let Some(instructions) = client.instructions() {
                rows.push(row("instructions", &instructions));
            }
        }
    }
}

fn row(label: &str, text: &str) -> Row {
    Row::new(label).with(style::PLAIN, text)
}

/// A line for each, or that there is none.
fn lines(label: &str, lines: impl IntoIterator<Item = String>) -> Row {
    let mut lines = lines.into_iter().peekable();
    match lines.peek() {
        None => row(label, "none"),
        Some(_) => lines.fold(Row::new(label), |row, line| row.with(style::PLAIN, line)),
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty() && value != "0")
}

fn status(client: &Client) -> String {
    match client.status() {
        Status::Ready => "connected".to_owned(),
        Status::Reopening { attempt, reason } => {
            format!("the server is started again, attempt {attempt}: {}", chain(&*reason))
        }
        Status::GaveUp(reason) => format!("the server does not come back: {}; {GONE}", chain(&*reason)),
        Status::Ended(closed) => format!("the server is gone: {closed}; {GONE}"),
        _ => "unknown".to_owned(),
    }
}

/// What the client says that it can do.
fn declared(client: &Client) -> Vec<&'static str> {
    let declared = client.declared();
    let elicitation = declared.elicitation.unwrap_or_default();
    let all = [
        ("forms", elicitation.form.is_some()),
        ("pages to open", elicitation.url.is_some()),
        ("sampling", declared.sampling.is_some()),
        ("roots", declared.roots.is_some()),
    ];
    all.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect()
}
