//! Carrying out a command.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use hermes::types::Era;

use super::command::{Command, Line, Options};
use super::help;
use super::start::Shell;
use crate::exit::{Exit, Failure, Result};
use crate::output::lost;
use crate::render::style;
use crate::target::Target;
use crate::verbs::{Info, Ping};

/// What comes after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The next one. This one ended so.
    On(Exit),
    /// Nothing: the shell is left.
    Leave,
}

/// Erases the screen and what was scrolled off it, and goes to its top.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J\u{1b}[3J";

impl Shell {
    /// Carries out a command.
    ///
    /// # Errors
    /// It failed.
    ///
    /// # Cancel safety
    /// Dropping the future takes back what was asked of the server.
    pub(crate) async fn perform(&mut self, line: Line) -> Result<Flow> {
        let Line { command, options } = line;
        self.candidates.catalogue.begin();
        match command {
            Command::Exit => return Ok(Flow::Leave),
            Command::Help(entry) => self.show(&help::text(entry))?,
            Command::Clear => clear()?,
            Command::Trace(on) => self.trace(on),
            Command::Connect(reach) => {
                let (target, _) = Target::resolve(reach, &self.flags)?;
                self.target = target;
                self.candidates.catalogue.watch(std::collections::BTreeSet::new());
                within(options.timeout, "the server was", self.greet()).await?;
            }
            Command::Reconnect => within(options.timeout, "the server was", self.greet()).await?,
            Command::State { verbose } => self.state(verbose)?,
            Command::Roots(change) => self.roots(change.as_ref())?,
            Command::Initialize => {
                within(options.timeout, "the server was", self.initialize(options)).await?;
            }
            command => return Box::pin(self.ask(command, options)).await.map(Flow::On),
        }
        Ok(Flow::On(Exit::Ok))
    }

    /// Asks something of the server.
    async fn ask(&mut self, command: Command, options: Options) -> Result<Exit> {
        let json = options.json || self.flags.json;
        let limit = options.timeout;
        let address = self.target.address();
        let session = &mut self.link()?.session;
        session.json = json;
        session.limit(limit);
        let outcome = match command {
            Command::Call { tool, given } => self.call(tool, given, options).await,
            Command::Prompt { name, given } => self.prompt(name, given).await,
            Command::Read { uri } => self.read(uri).await,
            Command::List(listed) => within(limit, "the list was", self.list(listed)).await,
            Command::Subscribe { uri } => within(limit, "the subscription was", self.subscribe(uri)).await,
            Command::Unsubscribe { uri } => within(limit, "that was", self.unsubscribe(&uri)).await,
            Command::Complete(complete) => {
                within(limit, "the completion was", complete.run(&mut self.link()?.session)).await
            }
            Command::Ping => within(limit, "the ping was", self.ping()).await,
            Command::Level(level) => within(limit, "the level was", self.set_level(level)).await,
            // Everything else asks nothing, and was carried out before.
            _ => Ok(Exit::Ok),
        };
        if let Some(link) = &mut self.link {
            link.session.limit(None);
        }
        outcome.map_err(|failure| failure.at(address.as_deref()))
    }

    async fn ping(&mut self) -> Result<Exit> {
        let client = self.link()?.client();
        if client.era() == Era::Modern {
            let text =
                format!("revision {} has no ping; server/discover is asked instead", client.revision());
            self.note(&text);
        }
        Ping.run(&mut self.link()?.session).await
    }

    /// Connects, and says to whom.
    ///
    /// # Errors
    /// There is nobody.
    ///
    /// # Cancel safety
    /// There may be no server then.
    pub(crate) async fn greet(&mut self) -> Result<()> {
        let started = Instant::now();
        self.connect().await?;
        let client = self.link()?.client();
        let name = client.server_info().map(|info| format!(" {} {}", info.name, info.version));
        let manner = match client.era() {
            Era::Legacy => "a session",
            Era::Modern => "no session: every request stands alone",
        };
        let name = name.unwrap_or_default();
        let revision = client.revision();
        let text = format!("{}:{name}, revision {revision}, {manner}", self.target);
        self.console.note("connected", style::GOOD, &text);
        if self.console.is_verbose() {
            self.note(&format!("it took {} ms", started.elapsed().as_millis()));
        }
        Ok(())
    }

    /// Introduces the client anew, and shows what the server says of itself.
    async fn initialize(&mut self, options: Options) -> Result<()> {
        let era = self.link.as_ref().map(|link| link.client().era());
        if era == Some(Era::Modern) {
            let client = self.link()?.client();
            let text = format!(
                "revision {} has no initialize and no session; server/discover is asked instead",
                client.revision()
            );
            self.note(&text);
            self.link()?.session.run(client.discover().fresh()).await?;
        } else if let Err(failure) = self.connect().await {
            self.diagnose();
            return Err(failure);
        }
        let session = &mut self.link()?.session;
        session.json = options.json;
        Info.run(session).map(|_| ())
    }

    /// Says what was tried.
    fn diagnose(&self) {
        let names: Vec<&str> = self.flags.headers.iter().map(|(name, _)| name.as_str()).collect();
        let headers = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let text = format!(
            "tried {}; era {:?}; headers of the command line: {headers}",
            self.target, self.flags.era
        );
        self.note(&text.to_lowercase());
    }

    fn trace(&self, on: Option<bool>) {
        let on = on.unwrap_or_else(|| self.console.is_traced());
        self.console.trace(on);
        self.note(if on { "every message is shown" } else { "messages are not shown" });
    }
}

/// Clears the screen, where there is one.
fn clear() -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    if !stdout.is_terminal() {
        return Ok(());
    }
    stdout.write_all(CLEAR.as_bytes()).and_then(|()| stdout.flush()).map_err(|error| lost(&error))
}

/// Carries something out in this time.
///
/// # Errors
/// It failed, or time ran out; then it is taken back.
async fn within<T>(limit: Option<Duration>, what: &str, work: impl Future<Output = Result<T>>) -> Result<T> {
    let Some(limit) = limit else { return Box::pin(work).await };
    tokio::time::timeout(limit, Box::pin(work)).await.unwrap_or_else(|_| {
        Err(Failure::new(Exit::Timeout, format!("{what} not answered within {} ms", limit.as_millis())))
    })
}
