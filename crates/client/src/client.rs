//! A client: what is known of its server, and how it is closed.

use std::process::ExitStatus;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use hermes_telemetry::client::{Agreed, init, terminate};
use hermes_types::{ClientCapabilities, Era, Implementation, RawJson, Revision, ServerCapabilities};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::connection::Carrier;
use crate::error::{ClientError, CloseReason, Closed};
use crate::event::{Event, Events, Status};
use crate::lasting::Lasting;
use crate::line::Line;
use crate::notice::Notices;
use crate::open::{self, Config};
use crate::supervise::supervise;
use crate::target::Dial;
use crate::{ClientBuilder, Target};

/// A client of one server, ready for use.
///
/// It is cheap to clone, and all clones are the same client. It outlives its connections: a child that exits is
/// started again, a session that the server has lost is begun anew, and [`Restart`](crate::Restart) says how far that
/// goes. Calls that a loss catches under way fail at once with the reason; [`events`](Self::events) tell of it.
///
/// When the last clone is dropped the connection is closed, and a server that was started for it is ended in the
/// background; [`close`](Self::close) waits for that.
///
/// The operations are in three groups: [calls](Self::call) and everything else that is one request give an
/// [`Operation`](crate::Operation), lists come [whole](Self::list_all_tools) or by the page, and
/// [`listen`](Self::listen) opens a stream.
#[derive(Clone, Debug)]
pub struct Client(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) config: Arc<Config>,
    pub(crate) way: Arc<dyn Dial>,
    pub(crate) lasting: Arc<Lasting>,
    state: watch::Sender<State>,
    /// Connections in whose place there is another one, and that calls or streams may still be under way on.
    older: Mutex<Vec<Weak<Line>>>,
    /// When the server was last asked anew what it speaks. Held while it is.
    pub(crate) renewed: tokio::sync::Mutex<Option<Instant>>,
}

/// How a client stands with its server, and the last connection to it.
#[derive(Clone, Debug)]
pub(crate) enum State {
    Ready(Arc<Line>),
    Reopening { last: Arc<Line>, attempt: u32, reason: Arc<ClientError> },
    Ended(Arc<Line>, Arc<Closed>),
    GaveUp(Arc<Line>, Arc<ClientError>),
}

impl Client {
    /// Says who the client is and what it answers, before it connects.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Connects to a server, with the defaults of [`ClientBuilder`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), hermes_client::ClientError> {
    /// use hermes_client::Client;
    /// use hermes_client::child::Command;
    ///
    /// let local = Client::connect(Command::new("uvx").arg("mcp-server-time")).await?;
    /// for tool in local.list_all_tools().await?.values() {
    ///     println!("{}", tool.display_name());
    /// }
    /// local.close().await;
    /// # #[cfg(feature = "http")]
    /// let remote = Client::connect("https://example.org/mcp").await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    ///
    /// # Cancel safety
    /// As [`ClientBuilder::connect`].
    pub async fn connect(target: impl Into<Target>) -> Result<Self, ClientError> {
        Self::builder().connect(target).await
    }

    /// Connects over a byte stream, with the defaults of [`ClientBuilder`].
    ///
    /// # Errors
    /// As [`ClientBuilder::over`].
    ///
    /// # Cancel safety
    /// As [`ClientBuilder::over`].
    pub async fn over<R, W>(reader: R, writer: W) -> Result<Self, ClientError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::builder().over(reader, writer).await
    }

    /// The era that is spoken.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// The revision that is spoken. A server that is brought back may speak another one.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.current().peer.revision
    }

    /// Who the server says it is. For display and logs only: it proves nothing.
    #[must_use]
    pub fn server_info(&self) -> Option<Implementation> {
        self.0.current().peer.info.clone()
    }

    /// What the server says it can do.
    #[must_use]
    pub fn capabilities(&self) -> ServerCapabilities {
        self.0.current().peer.capabilities.clone()
    }

    /// How to use the server, for a model.
    #[must_use]
    pub fn instructions(&self) -> Option<String> {
        self.0.current().peer.instructions.clone()
    }

    /// The result of `initialize` or `server/discover` that opened the connection, as it came.
    #[must_use]
    pub fn opening(&self) -> RawJson {
        self.0.current().peer.opening.clone()
    }

    /// What this client declares to the server.
    #[must_use]
    pub fn declared(&self) -> ClientCapabilities {
        self.0.config.handlers.capabilities()
    }

    /// How many requests wait for their answers.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.0.current().shared().pending()
    }

    /// The notifications from now on, whichever connection they come over. Several readers each get all of them; those
    /// on a [listen stream](Self::listen) come there only.
    #[must_use]
    pub fn notifications(&self) -> Notices {
        Notices(self.0.lasting.listen())
    }

    /// What becomes of the connection from now on. Several readers each get all of it.
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) {
    /// use hermes_client::Event;
    ///
    /// let mut events = client.events();
    /// while let Some(event) = events.next().await {
    ///     if let Event::Lost(closed) = event {
    ///         eprintln!("{closed}");
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn events(&self) -> Events {
        self.0.lasting.events()
    }

    /// How the client stands with its server.
    #[must_use]
    pub fn status(&self) -> Status {
        match &*self.0.state.borrow() {
            State::Ready(_) => Status::Ready,
            State::Reopening { attempt, reason, .. } => {
                Status::Reopening { attempt: *attempt, reason: Arc::clone(reason) }
            }
            State::Ended(_, closed) => Status::Ended(Arc::clone(closed)),
            State::GaveUp(_, reason) => Status::GaveUp(Arc::clone(reason)),
        }
    }

    /// Waits until calls are sent at once: not at all, unless the server is being brought back.
    ///
    /// # Errors
    /// [`ClientError::Closed`] and [`ClientError::Unavailable`]: the client is at its end.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub async fn await_ready(&self) -> Result<(), ClientError> {
        self.0.ready(Duration::MAX).await.map(|_| ())
    }

    /// Closes the client. Every call that waits fails at once. A server that was started for this client is given time
    /// to exit by itself, then ended with all that it started; how it exited is the outcome.
    ///
    /// Takes at most the two periods of its [`Grace`](crate::child::Grace), and the second of them once more if it
    /// left anything behind. Closing twice is closing once.
    ///
    /// # Cancel safety
    /// The client is closed as soon as this was polled, and the server ends also when it is dropped.
    pub async fn close(&self) -> Option<ExitStatus> {
        self.0.leave();
        self.0.current().connection.close().await
    }
}

impl Client {
    /// Connects, and sees to it that the connection lasts.
    pub(crate) async fn open(config: Config, way: Arc<dyn Dial>) -> Result<Self, ClientError> {
        let config = Arc::new(config);
        let lasting = Arc::new(Lasting::new(config.caching));
        config.attend(&lasting);
        let began = Instant::now();
        let line = match open::open(&config, &*way, &lasting).await {
            Ok(line) => Arc::new(line),
            Err(error) => {
                lasting.end();
                return Err(error);
            }
        };
        init(&Agreed {
            client: &line.config.name.name,
            server: line.peer.info.as_ref().map(|info| (&*info.name, &*info.version)),
            transport: line.shared().place.transport,
            revision: line.peer.revision,
            capabilities: &line.config.handlers.names(),
            duration: began.elapsed(),
        });
        let state = watch::Sender::new(State::Ready(Arc::clone(&line)));
        let inner = Arc::new(Inner {
            config,
            way,
            lasting,
            state,
            older: Mutex::default(),
            renewed: tokio::sync::Mutex::default(),
        });
        inner.watch_over(&line, 0);
        Ok(Self(inner))
    }
}

impl Inner {
    /// The last connection, usable or not.
    pub(crate) fn current(&self) -> Arc<Line> {
        Arc::clone(self.state.borrow().line())
    }

    /// Whether a lost connection is followed by another.
    pub(crate) fn is_supervised(&self) -> bool {
        self.way.is_lasting() && !self.config.restart.is_never()
    }

    pub(crate) fn watch(&self) -> watch::Receiver<State> {
        self.state.subscribe()
    }

    /// A connection that can be used, as soon as there is one.
    ///
    /// # Errors
    /// There is none within this time, or there will be none any more. Nothing was sent.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub(crate) async fn ready(self: &Arc<Self>, limit: Duration) -> Result<Arc<Line>, ClientError> {
        if let Some(line) = self.at_once()? {
            return Ok(line);
        }
        let mut state = self.watch();
        let usable = async {
            loop {
                if let Some(line) = self.usable()? {
                    return match line.shared().is_unfit() {
                        true => Ok(self.renew(&line).await.unwrap_or(line)),
                        false => Ok(line),
                    };
                }
                // The sender is ours: it is there.
                let _ = state.changed().await;
            }
        };
        match timeout(limit, usable).await {
            Ok(usable) => usable,
            Err(_) => Err(ClientError::Unavailable { after: Some(limit), reason: self.reason() }),
        }
    }

    /// A connection that can be used now.
    ///
    /// # Errors
    /// There will be none any more.
    pub(crate) fn at_once(&self) -> Result<Option<Arc<Line>>, ClientError> {
        Ok(self.usable()?.filter(|line| !line.shared().is_unfit()))
    }

    fn usable(&self) -> Result<Option<Arc<Line>>, ClientError> {
        match &*self.state.borrow() {
            State::Ready(line) => match line.shared().closed() {
                None => Ok(Some(Arc::clone(line))),
                // Whoever watches over it will know of it in a moment.
                Some(_) if self.is_supervised() => Ok(None),
                Some(closed) => Err(ClientError::Closed(closed)),
            },
            State::Reopening { .. } => Ok(None),
            State::Ended(_, closed) => Err(ClientError::Closed(Arc::clone(closed))),
            State::GaveUp(_, reason) => {
                Err(ClientError::Unavailable { after: None, reason: Arc::clone(reason) })
            }
        }
    }

    /// Why there is no connection.
    fn reason(&self) -> Arc<ClientError> {
        match &*self.state.borrow() {
            State::Reopening { reason, .. } | State::GaveUp(_, reason) => Arc::clone(reason),
            State::Ready(line) => match line.shared().closed() {
                Some(closed) => Arc::new(ClientError::Closed(closed)),
                None => Arc::new(ClientError::Negotiation(hermes_proto::negotiate::Failure::Exited)),
            },
            State::Ended(_, closed) => Arc::new(ClientError::Closed(Arc::clone(closed))),
        }
    }

    pub(crate) fn reopening(&self, last: Arc<Line>, attempt: u32, reason: Arc<ClientError>) {
        self.unless_over(State::Reopening { last, attempt, reason });
    }

    /// Puts a connection in the place of the last one. A client that was closed meanwhile does not take it.
    pub(crate) fn install(self: &Arc<Self>, line: Line, failed: u32) -> Arc<Line> {
        let line = Arc::new(line);
        {
            let mut older = self.older.lock().unwrap_or_else(PoisonError::into_inner);
            older.retain(|line| line.strong_count() > 0);
            older.push(Arc::downgrade(&self.current()));
        }
        if self.unless_over(State::Ready(Arc::clone(&line))) {
            self.watch_over(&line, failed);
        }
        line
    }

    fn watch_over(self: &Arc<Self>, line: &Arc<Line>, failed: u32) {
        // Exchanges are lost one by one.
        if line.shared().carrier() != Carrier::Exchanges {
            tokio::spawn(supervise(Arc::downgrade(self), line.shared().ended.subscribe(), failed));
        }
    }

    /// The host needs the client no more.
    fn leave(&self) {
        let closed = Closed { reason: CloseReason::Local, exit: None, stderr: String::new() };
        self.end(State::Ended(self.current(), Arc::new(closed)));
        let older = std::mem::take(&mut *self.older.lock().unwrap_or_else(PoisonError::into_inner));
        older.iter().filter_map(Weak::upgrade).for_each(|line| line.shared().finish());
    }

    /// The client is at its end.
    pub(crate) fn end(&self, state: State) {
        let (event, word) = match &state {
            State::GaveUp(_, reason) => (Event::GaveUp(Arc::clone(reason)), "gave_up"),
            State::Ended(_, closed) => (Event::Ended(Arc::clone(closed)), closed.word()),
            State::Ready(_) | State::Reopening { .. } => return,
        };
        let waiting = self.current().shared().waiting();
        if self.unless_over(state) {
            terminate(word, waiting);
            self.lasting.tell(event);
            self.lasting.end();
        }
    }

    /// Whether the client was not at its end.
    fn unless_over(&self, state: State) -> bool {
        self.state.send_if_modified(|current| {
            let is_on = !current.is_over();
            if is_on {
                *current = state;
            }
            is_on
        })
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.leave();
    }
}

impl State {
    fn line(&self) -> &Arc<Line> {
        match self {
            Self::Ready(line)
            | Self::Reopening { last: line, .. }
            | Self::Ended(line, _)
            | Self::GaveUp(line, _) => line,
        }
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(self, Self::Ended(..) | Self::GaveUp(..))
    }
}
