//! A connection to a target, with everything that the flags ask for.

use std::error::Error as _;
use std::fmt;
use std::future::IntoFuture;
use std::sync::Arc;
use std::time::Duration;

use hermes::child::Command;
use hermes::servers::Entry;
use hermes::types::{ElicitRequestFormParams, Era, LoggingLevel, Root, code};
use hermes::{
    Caching, CertificateProblem, Client, ClientBuilder, ClientError, EraChoice, HandlerError, News, Notice,
    Notices, Operation, Restart, in_memory,
};

use crate::args::{DEFAULT_TIMEOUT, EraWanted, Flags};
use crate::bounded;
use crate::config::reach;
use crate::console::Console;
use crate::demo;
use crate::exit::{Exit, Failure, Result, chain};
use crate::questions::{Answers, Folder, Host};
use crate::render::{style, told};
use crate::target::Target;
use crate::trace::{Trace, arrow, marked};
use crate::warned::Warned;

/// How long an unknown server may take to answer the probe before it counts as one of the legacy era.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);
/// The longest file of certificates that is read, in bytes.
const LONGEST_CERTIFICATES: u64 = 4 * 1024 * 1024;

/// Progress may extend the default limit up to this.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// A connection that shows on standard error what the server says meanwhile.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) client: Client,
    pub(crate) json: bool,
    /// The server's address, if it has one, for errors.
    pub(crate) address: Option<String>,
    console: Console,
    notices: Notices,
    host: Host,
    /// How long an operation may take, if that is not what the client says.
    limit: Option<Duration>,
    /// A limit of the user's own is not extended by progress.
    extends: bool,
    /// Which changes are told.
    announces: Announces,
}

/// Says of a notification whether it is told; none is without it.
#[derive(Default)]
struct Announces(Option<IsNews>);

type IsNews = Box<dyn Fn(&Notice) -> bool + Send>;

impl fmt::Debug for Announces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Announces").field(&self.0.is_some()).finish()
    }
}

impl Session {
    /// Connects.
    ///
    /// # Errors
    /// The target cannot be reached, or speaks nothing that is known.
    pub(crate) async fn open(target: &Target, flags: &Flags) -> Result<Self> {
        let console = Console::new(flags.verbose);
        console.trace(flags.trace);
        let host = Host::new(console.clone(), Answers::new(flags.answers.clone()), target.to_string());
        Self::at(target, flags, console, host, |builder| builder).await
    }

    /// Connects, on a console and with a host that are there, and with what else is said of the client.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub(crate) async fn at(
        target: &Target,
        flags: &Flags,
        console: Console,
        host: Host,
        more: impl FnOnce(ClientBuilder) -> ClientBuilder,
    ) -> Result<Self> {
        let timeout = flags.timeout.or_else(|| target.timeout()).unwrap_or(DEFAULT_TIMEOUT);
        let builder = more(builder(target, flags, timeout, &console, &host)?);
        let opened = match target {
            Target::Demo => {
                if !flags.verbose {
                    demo::hush();
                }
                builder.connect(in_memory(demo::server())).await
            }
            Target::Http { url, .. } => builder.connect(with_headers(url.into(), &flags.headers)).await,
            Target::Socket(address) => builder.connect(address).await,
            Target::Command { program, args } => builder.connect(Command::new(program).args(args)).await,
            Target::Named(entry) => {
                mention(entry, &console);
                let reached = entry.target().map_err(|error| Failure::usage(error.to_string()))?;
                // The headers of the command line take the place of those of the file.
                builder.connect(with_headers(reached, &flags.headers)).await
            }
        };
        let client = opened?;
        let notices = client.notifications();
        let session = Self {
            client,
            json: flags.json,
            address: target.address(),
            console,
            notices,
            host,
            limit: None,
            extends: flags.timeout.is_none(),
            announces: Announces::default(),
        };
        session.ask_for_log(flags.verbose).await;
        Ok(session)
    }

    /// A legacy server chooses by itself what it logs; a modern one has to be asked.
    async fn ask_for_log(&self, verbose: bool) {
        if self.client.capabilities().logging.is_none() || (self.client.era() == Era::Legacy && !verbose) {
            return;
        }
        let level = if verbose { LoggingLevel::Debug } else { LoggingLevel::Info };
        if let Err(error) = self.client.set_log_level(level).await {
            self.console.warn(&error);
        }
    }

    /// Carries out one thing, and shows what the server says meanwhile.
    ///
    /// # Errors
    /// It failed.
    ///
    /// # Cancel safety
    /// Dropping the future takes the request back, and the server is told.
    pub(crate) async fn run<T>(
        &mut self,
        what: impl IntoFuture<Output = Result<T, ClientError>>,
    ) -> Result<T> {
        Ok(self.attempt(what).await?)
    }

    /// The same, with an error that says what could be done about it.
    pub(crate) async fn attempt<T>(
        &mut self,
        what: impl IntoFuture<Output = Result<T, ClientError>>,
    ) -> Result<T, ClientError> {
        // Too large to be carried about within the others.
        let mut what = Box::pin(what.into_future());
        let outcome = loop {
            tokio::select! {
                biased;
                outcome = &mut what => break outcome,
                Some(notice) = self.notices.next() => self.show(&notice),
            }
        };
        // What came before the outcome is shown before it.
        while let Some(notice) = self.notices.try_next() {
            self.show(&notice);
        }
        self.console.settle();
        outcome
    }

    /// Has an operation show its progress, and lets progress extend the default limit.
    pub(crate) fn watched<'c, O>(&self, operation: Operation<'c, O>) -> Operation<'c, O> {
        let console = self.console.clone();
        let operation = operation.on_progress(move |progress| {
            console.progress(progress.progress, progress.total, progress.message.as_deref());
        });
        match self.limit {
            Some(limit) => operation.timeout(limit),
            None if self.extends => operation.extend_on_progress(LONGEST),
            None => operation,
        }
    }

    /// Sets how long each operation from now on may take; `None` takes that back.
    pub(crate) const fn limit(&mut self, limit: Option<Duration>) {
        self.limit = limit;
    }

    /// Shows what the server says by itself, for as long as this is awaited.
    ///
    /// # Cancel safety
    /// Nothing is taken that is not shown.
    pub(crate) async fn overhear(&mut self) {
        while let Some(notice) = self.notices.next().await {
            self.show(&notice);
        }
        std::future::pending::<()>().await;
    }

    /// Tells of changes from now on, in words: of those that are news.
    pub(crate) fn announce(&mut self, is_news: impl Fn(&Notice) -> bool + Send + 'static) {
        self.announces = Announces(Some(Box::new(is_news)));
    }

    fn show(&self, notice: &Notice) {
        match (notice.news(), &self.announces.0) {
            (News::Log(log), _) => self.console.log(&log),
            (_, Some(is_news)) if is_news(notice) => self.console.note("server", style::FAINT, &told(notice)),
            (_, Some(_)) => {}
            _ if self.console.is_verbose() => self.console.note("server", style::FAINT, &notice.method),
            _ => {}
        }
    }

    pub(crate) fn console(&self) -> &Console {
        &self.console
    }

    /// Takes leave of the server.
    ///
    /// # Cancel safety
    /// The server is ended all the same.
    pub(crate) async fn close(self) {
        self.host.mention_unused();
        self.client.close().await;
    }
}

fn with_headers(target: hermes::Target, headers: &[(String, String)]) -> hermes::Target {
    headers.iter().fold(target, |target, (name, value)| target.header(name, value))
}

/// Says what a name stands for, if more was asked for.
fn mention(entry: &Entry, console: &Console) {
    if console.is_verbose() {
        let (name, file, line) = (entry.name(), entry.file().display(), entry.line());
        console.note("config", style::FAINT, &format!("{name:?} is in {file}:{line}: {}", reach(entry)));
    }
}

/// A client as the flags want it.
fn builder(
    target: &Target,
    flags: &Flags,
    timeout: Duration,
    console: &Console,
    host: &Host,
) -> Result<ClientBuilder> {
    // Where only the modern era will do, there is nothing to fall back to, and the server may start slowly.
    let probe_timeout = if flags.era == EraWanted::Modern { timeout } else { timeout.min(PROBE_TIMEOUT) };
    let roots = flags.roots.iter().map(|path| Folder::new(path)).collect::<Result<Vec<_>>>()?;
    let warning = console.clone();
    let warned = Arc::new(Warned::default());
    let heard = Arc::clone(&warned);
    let mut builder = Client::builder()
        .name("hermes", env!("CARGO_PKG_VERSION"))
        .era(match flags.era {
            EraWanted::Auto => EraChoice::Auto,
            EraWanted::Legacy => EraChoice::Legacy,
            EraWanted::Modern => EraChoice::Modern,
        })
        .timeout(timeout)
        // A command line asks one thing: a server that ends meanwhile is its outcome.
        .restart(Restart::never())
        // What is shown is what the server says now.
        .cache(Caching::Off)
        .probe_timeout(probe_timeout)
        .on_warning(move |text| {
            if heard.is_news(text) {
                warning.warn(text);
            }
        });
    for path in &flags.issuers {
        let unreadable = |error| Failure::usage(format!("--cacert {}: {error}", path.display()));
        builder = builder.trust(bounded::file(path, LONGEST_CERTIFICATES).map_err(unreadable)?);
    }
    if host.plays_model() {
        let model = host.clone();
        builder = builder.on_sample(move |params| {
            let model = model.clone();
            async move { model.sample(params).await.ok_or_else(HandlerError::rejected) }
        });
    }
    if host.has_desk() {
        let visitor = host.clone();
        builder = builder.on_elicit_url(move |page| {
            let visitor = visitor.clone();
            async move { Ok(visitor.visit(page).await) }
        });
    }
    let host = host.clone();
    builder = builder.on_elicit(move |form: ElicitRequestFormParams| {
        let host = host.clone();
        async move { Ok(host.elicit(form).await) }
    });
    if !roots.is_empty() {
        builder = builder.roots(roots.into_iter().map(|folder| {
            let mut root = Root::new(folder.uri);
            root.name = folder.name;
            root
        }));
    }
    if flags.verbose {
        let console = console.clone();
        builder = builder.on_stderr(move |line| console.note("server", style::FAINT, &line));
    }
    let kept = Trace::begin(&target.to_string())?;
    let shown = console.clone();
    builder = builder.on_http(move |direction, head| {
        if warned.is_back(direction, head) {
            shown.note("listening", style::GOOD, &"the server's own messages arrive again");
        }
        if shown.is_traced() {
            shown.say(&shown.screen().clean(&marked(direction, head)));
        }
    });
    let shown = console.clone();
    builder = builder.on_wire(move |direction, text| {
        if let Some(kept) = &kept {
            kept.add(direction, text);
        }
        if shown.is_traced() {
            shown.say(&format!("{} {}", arrow(direction), shown.screen().clean(text)));
        }
    });
    Ok(builder)
}

impl From<ClientError> for Failure {
    fn from(error: ClientError) -> Self {
        let exit = match &error {
            error if error.is_timeout() => Exit::Timeout,
            ClientError::Unauthorized { .. } => Exit::Unauthorized,
            error if error.is_transport() => Exit::Unreachable,
            ClientError::Address { .. }
            | ClientError::Arguments { .. }
            | ClientError::Root { .. }
            | ClientError::Unsupported { .. } => Exit::Usage,
            _ => Exit::Protocol,
        };
        let mut message = chain(&error);
        if let Some(data) = error.rpc().and_then(|error| error.data.as_ref()) {
            message.push_str(&format!("; data: {}", data.get()));
        }
        Self::new(exit, message).with_hint(remedy(&error))
    }
}

/// The flag that helps: it trusts a server, or gives it the capability that it misses.
fn remedy(error: &ClientError) -> Option<String> {
    let problem = error.source().and_then(|source| source.downcast_ref());
    if problem == Some(&CertificateProblem::UnknownIssuer) {
        return Some("--cacert FILE trusts the issuer whose certificate is in FILE".to_owned());
    }
    let error = error.rpc().filter(|error| error.code == code::MISSING_CLIENT_CAPABILITY)?;
    let missing = error.data.as_ref()?.get();
    let remedies = [
        ("\"roots\"", "--root PATH offers a folder"),
        ("\"sampling\"", "--answer text=REPLY answers in a model's place"),
    ];
    remedies
        .iter()
        .find(|(capability, _)| missing.contains(capability))
        .map(|(_, remedy)| (*remedy).to_owned())
}
