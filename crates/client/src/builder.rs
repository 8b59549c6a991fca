//! Who the client is, what it answers and what it hears, said before it connects.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::limits::Limits;
use hermes_proto::negotiate::EraChoice;
use hermes_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestUrlParams,
    ElicitResult, Implementation, LoggingMessageNotificationParams, Root,
};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::cache::Caching;
use crate::callbacks::{Handlers, check_roots, handler};
use crate::connection::{Patience, Streams};
use crate::error::{ClientError, HandlerError};
use crate::hooks::{Direction, Hooks};
use crate::http;
use crate::http_head::HttpHead;
use crate::notice::{News, Notice, Progress};
use crate::open::Config;
use crate::target::Once;
use crate::{Client, KnownServers, Restart, Target, Warning};

/// A client that is not connected yet.
///
/// A capability is declared to the server exactly if there is a handler for it, and the same handler serves both
/// eras: a request of a legacy server, and a question in a result of a modern one.
///
/// ```
/// use hermes_client::Client;
/// use hermes_types::{ElicitResult, RawJson, Root};
///
/// let builder = Client::builder()
///     .name("my-host", "1.2.0")
///     .roots([Root::new("file:///home/me/project")])
///     .on_elicit(|form| async move {
///         println!("{}", form.message);
///         Ok(ElicitResult::accept(RawJson::parse(r#"{"name":"Ada"}"#)?))
///     });
/// ```
#[must_use]
pub struct ClientBuilder {
    pub(crate) config: Config,
    /// A root that is no file, found while building.
    bad_root: Option<String>,
    /// What goes with every request over HTTP.
    headers: Vec<(String, String)>,
    /// What is said of HTTP alone.
    pub(crate) http: http::Options,
}

impl ClientBuilder {
    pub(crate) fn new() -> Self {
        let config = Config {
            name: Implementation::new(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
            era: EraChoice::Auto,
            probe_timeout: Duration::from_secs(3),
            patience: Patience { timeout: Duration::from_secs(60), extended: None },
            limits: Limits::CLIENT,
            handlers: Handlers::default(),
            hooks: Hooks::default(),
            on_notice: Vec::new(),
            on_progress: None,
            known: KnownServers::of_process(),
            restart: Restart::default(),
            caching: Caching::default(),
            trusts_annotations: false,
        };
        Self { config, bad_root: None, headers: Vec::new(), http: http::Options::default() }
    }

    /// Says who the client is.
    pub fn name(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info(Implementation::new(name, version))
    }

    /// Says who the client is, with everything there is to say.
    pub fn info(mut self, info: Implementation) -> Self {
        self.config.name = info;
        self
    }

    /// Chooses which eras to speak; by default whichever the server speaks.
    ///
    /// A host that has met the server before spares it the probe by choosing what [`Client::era`] said then.
    pub const fn era(mut self, era: EraChoice) -> Self {
        self.config.era = era;
        self
    }

    /// Sets how long an unknown server has to answer the probe before it counts as a legacy one; 3 s by default.
    ///
    /// Only servers that ignore what they do not know cost this time. A modern server that starts too slowly for it
    /// is found out all the same. A client of [`EraChoice::Modern`] has nothing else to try, and waits as for any
    /// answer.
    pub const fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.config.probe_timeout = timeout;
        self
    }

    /// Sets how long an operation waits for its answer unless it says otherwise; 60 s by default.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.config.patience.timeout = timeout;
        self
    }

    /// Starts that limit anew with every progress notification, but waits no longer than `maximum` in all, unless an
    /// operation says otherwise. By default progress changes nothing.
    pub const fn extend_on_progress(mut self, maximum: Duration) -> Self {
        self.config.patience.extended = Some(maximum);
        self
    }

    /// Says how much of what the server says may be kept is kept; see [`Caching`].
    pub const fn cache(mut self, caching: Caching) -> Self {
        self.config.caching = caching;
        self
    }

    /// Believes what this server's tools say of themselves: a call that is lost is sent once more if its tool was listed
    /// as read-only or idempotent. By default nobody's word is taken for that; see
    /// [`Operation::retry_if_lost`](crate::Operation::retry_if_lost).
    ///
    /// Source: `server/tools#tool`, 2026-07-28: annotations are untrusted unless they come from a trusted server.
    pub const fn trust_annotations(mut self) -> Self {
        self.config.trusts_annotations = true;
        self
    }

    /// Sets what is accepted from the server: lines, and over HTTP bodies and events, of 64 MiB each, and 128
    /// levels of nesting by default.
    pub const fn limits(mut self, limits: Limits) -> Self {
        self.config.limits = limits;
        self
    }

    /// Answers questions to the user by a form. What is filled in is checked against the fields before it is sent. A field
    /// that has to be there and is left out is sent with its default, if it has one.
    pub fn on_elicit<F>(
        mut self,
        answer: impl Fn(ElicitRequestFormParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ElicitResult, HandlerError>> + Send + 'static,
    {
        self.config.handlers.form = Some(handler(answer));
        self
    }

    /// Answers questions to the user by a page to open. The handler shows the whole URL and asks before it opens
    /// anything; nothing here ever fetches it.
    ///
    /// Source: `client/elicitation#url-mode-elicitation-requests`, 2026-07-28.
    pub fn on_elicit_url<F>(
        mut self,
        answer: impl Fn(ElicitRequestUrlParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<ElicitResult, HandlerError>> + Send + 'static,
    {
        self.config.handlers.url = Some(handler(answer));
        self
    }

    /// Lets the server ask the host's model. [`HandlerError::rejected`] says that the user does not want it.
    pub fn on_sample<F>(
        mut self,
        answer: impl Fn(CreateMessageRequestParams) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<CreateMessageResult, HandlerError>> + Send + 'static,
    {
        self.config.handlers.sample = Some(handler(answer));
        self
    }

    /// Lets the server give tools to the host's model; declared only together with [`on_sample`](Self::on_sample).
    pub const fn sampling_tools(mut self) -> Self {
        self.config.handlers.sample_tools = true;
        self
    }

    /// Shows the server these roots, for as long as the client lives.
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        let roots: Vec<Root> = roots.into_iter().collect();
        self.bad_root = check_roots(&roots).err();
        self.config.handlers.roots_change = false;
        self.config.handlers.roots = Some(handler(move |()| {
            let roots = roots.clone();
            async move { Ok(roots) }
        }));
        self
    }

    /// Shows the server the roots that there are when it asks. [`Client::roots_changed`] tells it to ask again.
    pub fn on_roots<F>(mut self, answer: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Vec<Root>, HandlerError>> + Send + 'static,
    {
        self.bad_root = None;
        self.config.handlers.roots_change = true;
        self.config.handlers.roots = Some(handler(move |()| answer()));
        self
    }

    /// Hears every notification from the first on, in order, on a task of its own. Should the function be slow,
    /// notifications are dropped as by [`Notices`](crate::Notices), but no answer waits.
    pub fn on_notification(mut self, hear: impl Fn(&Notice) + Send + Sync + 'static) -> Self {
        self.config.on_notice.push(Arc::new(hear));
        self
    }

    /// Hears the server's log messages; see [`on_notification`](Self::on_notification).
    pub fn on_log(self, hear: impl Fn(&LoggingMessageNotificationParams) + Send + Sync + 'static) -> Self {
        self.on_notification(move |notice| {
            if let News::Log(log) = notice.news() {
                hear(&log);
            }
        })
    }

    /// Asks for progress with every operation, and hears it where the operation does not.
    pub fn on_progress(mut self, hear: impl Fn(&Progress) + Send + Sync + 'static) -> Self {
        self.config.on_progress = Some(Arc::new(hear));
        self
    }

    /// Hears what the server did wrong without spoiling anything. Called from where it was noticed: the function
    /// must not block.
    pub fn on_warning(mut self, hear: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.config.hooks.on_warning = Some(Arc::new(hear));
        self
    }

    /// Sees every message in both directions, as its text. Called from the tasks that read and write: the function
    /// must not block.
    pub fn on_wire(mut self, see: impl Fn(Direction, &str) + Send + Sync + 'static) -> Self {
        self.config.hooks.on_wire = Some(Arc::new(see));
        self
    }

    /// Sees the head of every HTTP message in both directions, with secrets masked; those that carry no message of the
    /// protocol, too. Called from the tasks that read and write: the function must not block.
    ///
    /// What is in the messages, [`on_wire`](Self::on_wire) tells: of a request right after its head.
    ///
    /// ```
    /// use hermes_client::{Client, Direction};
    ///
    /// let builder = Client::builder().on_http(|direction, head| match direction {
    ///     Direction::Sent => println!("> {}", head.line()),
    ///     Direction::Received => println!("< {}", head.line()),
    /// });
    /// ```
    pub fn on_http(mut self, see: impl Fn(Direction, &HttpHead) + Send + Sync + 'static) -> Self {
        self.config.hooks.on_http = Some(Arc::new(see));
        self
    }

    /// Shows every line that a server writes to stderr which is started for the client, unless its command says so
    /// itself: see [`Command::on_stderr`](crate::child::Command::on_stderr).
    pub fn on_stderr(mut self, line: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.config.hooks.on_stderr = Some(Arc::new(line));
        self
    }

    /// Sends this header with every request over HTTP, such as `Authorization`. What the protocol itself sends is not
    /// replaced. May be called for several.
    ///
    /// Values are for the server at the address that is connected to, and go nowhere else: not along with a redirect,
    /// and into no log.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Says whether, and how, a server is brought back after its connection was lost; see [`Restart`].
    pub const fn restart(mut self, restart: Restart) -> Self {
        self.config.restart = restart;
        self
    }

    /// Remembers what servers speak here, instead of in the [memory of the process](KnownServers::of_process).
    pub fn known_servers(mut self, known: KnownServers) -> Self {
        self.config.known = known;
        self
    }

    /// Connects to a server: at an address, by a command, or over streams that a function opens; see [`Target`].
    ///
    /// The modern era is tried first, unless the server is [known](KnownServers) to speak the legacy one. A child that
    /// exits because of the probe is started once more and not probed again. An address that refuses both eras as
    /// servers of HTTP+SSE do, the transport of 2024-11-05, is asked for the stream of one. All that takes no longer
    /// than one [operation](Self::timeout) may.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), hermes_client::ClientError> {
    /// # #[cfg(feature = "http")] {
    /// use hermes_client::Client;
    ///
    /// let client = Client::builder()
    ///     .name("my-host", "1.2.0")
    ///     .header("Authorization", "Bearer 2YotnFZFEjr1zCsicMWpAA")
    ///     .connect("https://example.org/mcp")
    ///     .await?;
    /// println!("{}", client.revision());
    /// client.close().await;
    /// # }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Address`] when the address or a header cannot be used, [`ClientError::Unreachable`] when nobody
    /// is there, [`ClientError::Unauthorized`] when the server wants other credentials, [`ClientError::Http`] when it
    /// is no server of this protocol. [`ClientError::Spawn`] when a command cannot be started; [`ClientError::Closed`]
    /// when it exits, with how and with the end of its stderr. [`ClientError::Negotiation`] and
    /// [`ClientError::Timeout`] when there is nothing to agree on.
    ///
    /// # Cancel safety
    /// Dropping the future ends what was begun: a child, and a session, in the background.
    ///
    /// Sources: `basic/versioning`, `basic/transports`, 2026-07-28; `basic/lifecycle`, `basic/transports`, 2025-11-25.
    pub async fn connect(mut self, target: impl Into<Target>) -> Result<Client, ClientError> {
        let headers = std::mem::take(&mut self.headers);
        let way = target.into().way(headers, &self.http, &self.config.hooks)?;
        Client::open(self.checked()?, way).await
    }

    /// Connects over a byte stream on which messages are lines. When it ends, so does the client; see
    /// [`Target::streams`] for one that can be opened again.
    ///
    /// # Errors
    /// As [`connect`](Self::connect), without what concerns addresses and commands.
    ///
    /// # Cancel safety
    /// Dropping the future drops the stream.
    pub async fn over<R, W>(self, reader: R, writer: W) -> Result<Client, ClientError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let way = Once::new(Streams::of_host(reader, writer));
        Client::open(self.checked()?, Arc::new(way)).await
    }

    pub(crate) fn checked(self) -> Result<Config, ClientError> {
        match self.bad_root {
            Some(uri) => Err(ClientError::Root { uri }),
            None => Ok(self.config),
        }
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ClientBuilder").field(&self.config).finish()
    }
}
