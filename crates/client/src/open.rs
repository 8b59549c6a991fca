//! From an unknown server to a peer whose revision, name and capabilities are known.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::limits::Limits;
use hermes_proto::negotiate::{EraChoice, Failure, Heard, Negotiation, Step};
use hermes_telemetry::Instrument as _;
use hermes_telemetry::client::{self, Failure as Failed, Watch};
use hermes_types::{
    Era, Implementation, InitializeRequestParams, JsonObject, Meta, Method, NotificationParams, Ordered,
    RawJson, RequestParams, Revision, ServerCapabilities, Wire,
};
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout, timeout_at};

use crate::cache::{Caching, Change, Key};
use crate::call::traced;
use crate::callbacks::Handlers;
use crate::connection::{Answer, Carrier, Connection, Patience, Shared, later};
use crate::error::{ClientError, Closed, HttpProblem, Violation};
use crate::hooks::{self, Hooks};
use crate::known::{KnownServers, Spoken};
use crate::lasting::Lasting;
use crate::line::Line;
use crate::notice::{Notice, Progress};
use crate::supervise::Restart;
use crate::target::Dial;

type OnNotice = Arc<dyn Fn(&Notice) + Send + Sync>;
type OnProgress = Arc<dyn Fn(&Progress) + Send + Sync>;

/// Everything that is settled before a connection begins.
#[derive(Clone)]
pub(crate) struct Config {
    pub(crate) name: Implementation,
    pub(crate) era: EraChoice,
    pub(crate) probe_timeout: Duration,
    pub(crate) patience: Patience,
    pub(crate) limits: Limits,
    pub(crate) handlers: Handlers,
    pub(crate) hooks: Hooks,
    pub(crate) on_notice: Vec<OnNotice>,
    pub(crate) on_progress: Option<OnProgress>,
    pub(crate) known: KnownServers,
    pub(crate) restart: Restart,
    pub(crate) caching: Caching,
    /// Whether what tools say of themselves is believed.
    pub(crate) trusts_annotations: bool,
}

/// What is known of the server once it is found out what to speak.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) revision: Revision,
    pub(crate) info: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
    /// The result of `initialize` or `server/discover`, as it came.
    pub(crate) opening: RawJson,
}

/// How long a server may take over each thing that it is told again.
pub(crate) const RESTORING: Patience = Patience { timeout: Duration::from_secs(30), extended: None };

/// Opens a connection to a server, and agrees with it on what to speak. One that is known is not asked first, unless it
/// turns out to be another than it was.
pub(crate) async fn open(
    config: &Arc<Config>,
    way: &dyn Dial,
    lasting: &Arc<Lasting>,
) -> Result<Line, ClientError> {
    let key = way.key().filter(|_| config.era != EraChoice::Modern);
    if let Some(key) = &key {
        let older = way.older(config.probe_timeout);
        let known = match (config.known.recall(key), older.as_deref()) {
            (Some(Spoken::Events), Some(older)) => Some(older),
            (Some(Spoken::Legacy), _) if config.era == EraChoice::Auto => Some(way),
            _ => None,
        };
        if let Some(known) = known {
            let opened = match Opening::begin(config, known, lasting, EraChoice::Legacy).await {
                Ok(opening) => opening.run().await.map(|(line, _)| line),
                Err(error) => Err(error),
            };
            match opened {
                Err(error) if may_be_the_era(&error) => config.known.remember(key, None),
                opened => return opened,
            }
        }
    }
    let (line, spoken) = Opening::begin(config, way, lasting, config.era).await?.run().await?;
    if let Some(key) = &key {
        config.known.remember(key, spoken);
    }
    Ok(line)
}

/// Opens a connection, in the time that there is.
async fn dial(
    config: &Arc<Config>,
    way: &dyn Dial,
    lasting: &Arc<Lasting>,
    until: Instant,
) -> Result<Connection, ClientError> {
    let dialled = timeout_at(until, way.dial(Shared::new(way, config, Arc::clone(lasting))));
    dialled.await.unwrap_or_else(|_| {
        Err(ClientError::Timeout { method: "connecting".to_owned(), after: config.patience.timeout })
    })
}

/// Whether it may be how a server refuses an era that it spoke once.
const fn may_be_the_era(error: &ClientError) -> bool {
    match error {
        ClientError::Negotiation(failure) => !matches!(failure, Failure::Exited | Failure::Silent),
        ClientError::Http(answer) => {
            matches!(answer.status, 400..=499)
                || matches!(answer.problem, HttpProblem::ContentType | HttpProblem::NoEndpoint)
        }
        _ => false,
    }
}

/// Whether the end of an attempt to open the older transport tells more than the refusal that led to it: this is the
/// way, but something is not in order there.
const fn is_telling(error: &ClientError) -> bool {
    match error {
        ClientError::Http(answer) => match answer.problem {
            HttpProblem::Status => matches!(answer.status, 407 | 408 | 429 | 500..),
            HttpProblem::NoEndpoint | HttpProblem::ForeignEndpoint { .. } => true,
            _ => false,
        },
        ClientError::StreamEnded { source, .. } => source.is_some(),
        _ => true,
    }
}

impl Config {
    /// Has the host hear every notification.
    pub(crate) fn attend(&self, lasting: &Lasting) {
        if self.on_notice.is_empty() {
            return;
        }
        let inbox = lasting.listen();
        let listeners = self.on_notice.clone();
        tokio::spawn(async move {
            while let Some(notice) = inbox.next().await {
                for on_notice in &listeners {
                    hooks::call("on_notification", || on_notice(&notice));
                }
            }
        });
    }
}

/// An opening under way.
struct Opening<'a> {
    config: &'a Arc<Config>,
    way: &'a dyn Dial,
    /// Another way, if a refusal may mean that it is the right one.
    older: Option<Box<dyn Dial>>,
    lasting: &'a Arc<Lasting>,
    era: EraChoice,
    /// When it has taken long enough.
    until: Instant,
    connection: Connection,
    /// The last result that was heard.
    result: RawJson,
    /// How the connection ended, if it has.
    closed: Option<Arc<Closed>>,
    /// What was wrong with the last answer, if it could not be read.
    broken: Option<Violation>,
    /// How the last exchange ended, if it brought no answer.
    mishap: Option<ClientError>,
    /// Whether a request was not answered at all.
    silent: bool,
}

impl<'a> Opening<'a> {
    async fn begin(
        config: &'a Arc<Config>,
        way: &'a dyn Dial,
        lasting: &'a Arc<Lasting>,
        era: EraChoice,
    ) -> Result<Self, ClientError> {
        let until = later(config.patience.timeout);
        Ok(Self {
            config,
            way,
            older: way.older(config.probe_timeout),
            lasting,
            era,
            until,
            connection: dial(config, way, lasting, until).await?,
            result: RawJson::null(),
            closed: None,
            broken: None,
            mishap: None,
            silent: false,
        })
    }

    /// Gives also what is to be remembered of the server.
    async fn run(mut self) -> Result<(Line, Option<Spoken>), ClientError> {
        let has_choice = self.older.is_some();
        match self.negotiate().await {
            Ok(revision) => {
                let spoken = match revision.era() {
                    Era::Modern => None,
                    Era::Legacy if has_choice && self.older.is_none() => Some(Spoken::Events),
                    Era::Legacy => Some(Spoken::Legacy),
                };
                Ok((self.agreed(revision), spoken))
            }
            Err(error) => {
                // What the server has begun for us, it should know to be over.
                self.connection.leave().await;
                Err(error)
            }
        }
    }

    async fn negotiate(&mut self) -> Result<Revision, ClientError> {
        let can_begin_anew = self.way.is_lasting() && self.way.carrier() == Carrier::Stream;
        let mut step = Negotiation::begin(self.era, can_begin_anew);
        loop {
            step = match step {
                Step::Discover(revision, negotiation) => {
                    let heard = self.told(Method::ServerDiscover, Box::pin(self.discover(revision))).await;
                    self.conclude(Method::ServerDiscover, negotiation, heard)?
                }
                Step::Initialize(revision, negotiation) => {
                    let heard = self.told(Method::Initialize, Box::pin(self.initialize(revision))).await;
                    self.conclude(Method::Initialize, negotiation, heard)?
                }
                Step::Respawn(revision, negotiation) => {
                    self.connection = dial(self.config, self.way, self.lasting, self.until).await?;
                    Step::Initialize(revision, negotiation)
                }
                Step::EventStream(revision, negotiation) => {
                    self.take_older().await?;
                    Step::Initialize(revision, negotiation)
                }
                Step::Agreed(revision) => return Ok(revision),
                Step::Failed(failure) => return Err(self.failed(failure)),
            };
        }
    }

    fn time_left(&self) -> Duration {
        self.until.saturating_duration_since(Instant::now())
    }

    /// Sends a request of the handshake, and tells of it as of any operation.
    async fn told(&self, method: Method, request: impl Future<Output = Answered>) -> Answered {
        let watch = Watch::begin(method.as_str(), || None, || None);
        let heard = request.instrument(watch.span().clone()).await;
        let failure = match &heard.answer {
            Some(answer) => answer.failure(),
            None => Some(Failed { word: "timeout", code: None }),
        };
        watch.end(|| self.connection.shared.over(), failure, None);
        heard
    }

    /// Sends the probe. Nothing is said to the server when it does not answer: a legacy one expects `initialize`
    /// as the first thing.
    async fn discover(&self, revision: Revision) -> Answered {
        let shared = &self.connection.shared;
        let method = Method::ServerDiscover.as_str();
        let mut meta = Meta::modern(revision)
            .with_client_capabilities(self.config.handlers.capabilities())
            .with_client_info(self.config.name.clone());
        meta.extra = traced(&meta.extra);
        let params = RequestParams { meta: Some(meta), extra: JsonObject::new() };
        let mut in_flight = match shared.send(method, None, |_| Some(Wire(&params, revision))) {
            Ok(in_flight) => in_flight.silently(),
            Err(closed) => return Answered::lost(closed),
        };
        client::request(method, in_flight.id());
        shared.probing(Some(in_flight.id().clone()));
        let timeout = match self.era {
            EraChoice::Modern => self.time_left(),
            // Silence may mean that the server is of the other era, which is tried next, in the time that is left.
            EraChoice::Auto | EraChoice::Legacy => self.config.probe_timeout.min(self.time_left() / 2),
        };
        let patience = Patience { timeout, extended: None };
        let answer = in_flight.answer(patience, &mut None).await.ok();
        shared.probing(None);
        Answered { answer, status: in_flight.status() }
    }

    async fn initialize(&self, revision: Revision) -> Answered {
        let method = Method::Initialize.as_str();
        let capabilities = self.config.handlers.capabilities();
        let mut params = InitializeRequestParams::new(revision, capabilities, self.config.name.clone());
        let carried = traced(&JsonObject::new());
        if !carried.is_empty() {
            params.meta = Some(Meta { extra: carried, ..Meta::default() });
        }
        match self.connection.shared.send(method, None, |_| Some(Wire(&params, revision))) {
            Ok(mut in_flight) => {
                client::request(method, in_flight.id());
                let patience = Patience { timeout: self.time_left(), extended: None };
                let answer = in_flight.answer(patience, &mut None).await.ok();
                Answered { answer, status: in_flight.status() }
            }
            Err(closed) => Answered::lost(closed),
        }
    }

    /// Opens a connection of the older transport in the place of the one whose handshake was refused.
    ///
    /// # Errors
    /// There is none: that, or the refusal, whichever tells more.
    async fn take_older(&mut self) -> Result<(), ClientError> {
        // The step is only taken after a refusal, and only where there is another way.
        let refusal = self.mishap.take().unwrap_or(ClientError::Negotiation(Failure::Silent));
        let Some(older) = self.older.take() else { return Err(refusal) };
        let shared = Shared::new(&*older, self.config, Arc::clone(self.lasting));
        let out_of_time = |_| {
            Err(ClientError::Timeout {
                method: Method::Initialize.as_str().to_owned(),
                after: self.config.patience.timeout,
            })
        };
        match timeout(self.time_left(), older.dial(shared)).await.unwrap_or_else(out_of_time) {
            Ok(connection) => {
                self.connection = connection;
                Ok(())
            }
            Err(error) if is_telling(&error) => Err(error),
            Err(error) => {
                tracing::debug!(error = error.failure().word, "nor is it the older transport");
                Err(refusal)
            }
        }
    }

    /// # Errors
    /// The answer says nothing of the server's era: there is no sense in another request.
    fn conclude(
        &mut self,
        method: Method,
        negotiation: Negotiation,
        heard: Answered,
    ) -> Result<Step, ClientError> {
        self.mishap = None;
        Ok(match heard.answer {
            Some(Answer::Result(result)) => {
                let step = negotiation.hear(Heard::Result(result.as_raw()));
                self.result = result;
                step
            }
            Some(Answer::Error(error)) => {
                let step = negotiation.hear(match heard.status.filter(|_| self.older.is_some()) {
                    Some(status) => Heard::Refused { status, error: Some(&error) },
                    None => Heard::Error(&error),
                });
                if matches!(step, Step::EventStream(..)) {
                    self.mishap = Some(ClientError::Negotiation(Failure::InitializeRefused(error)));
                }
                step
            }
            Some(Answer::Failed(mishap)) => {
                let refusal = mishap.refusal().filter(|_| self.older.is_some());
                let is_older = mishap.is_older() && self.older.is_some();
                let may_be_the_era = mishap.may_be_the_era();
                let error = mishap.into_error(method.as_str().to_owned());
                if refusal.is_none() && !may_be_the_era {
                    return Err(error);
                }
                self.mishap = Some(error);
                negotiation.hear(match refusal {
                    Some(status) => Heard::Refused { status, error: None },
                    None if is_older => Heard::EventStream,
                    None => Heard::Silence,
                })
            }
            Some(Answer::Lost(closed)) => {
                self.closed = Some(closed);
                negotiation.hear(Heard::Exit)
            }
            // An answer that cannot be read says no more than silence does.
            Some(Answer::Broken(violation)) => {
                self.broken = Some(violation);
                negotiation.hear(Heard::Silence)
            }
            None => {
                self.broken = None;
                self.silent = true;
                negotiation.hear(Heard::Silence)
            }
        })
    }

    fn agreed(self, revision: Revision) -> Line {
        let shared = &self.connection.shared;
        shared.agree(revision);
        if revision.era() == Era::Legacy {
            // Should the connection be lost by now, the first request will say so.
            let _ = shared.notify(Method::Initialized.as_str(), &NotificationParams::default());
        }
        // Nobody has heard what has changed since the last connection.
        let cache = &self.lasting.cache;
        cache.forget(&Change::Everything);
        if revision.is_modern()
            && let Some(key) = Key::of(Method::ServerDiscover.as_str(), &Ordered::new())
        {
            cache.keep(key, self.result.clone(), Instant::now());
        }
        let peer = Peer::new(revision, self.result);
        Line { connection: self.connection, peer, config: Arc::clone(self.config) }
    }

    fn failed(&mut self, failure: Failure) -> ClientError {
        if let Some(error) = self.mishap.take() {
            return error;
        }
        let unanswered = match failure {
            Failure::Exited => match self.closed.take() {
                Some(closed) => return ClientError::Closed(closed),
                None => return ClientError::Negotiation(failure),
            },
            Failure::Silent => Method::Initialize,
            Failure::NotModern(None) => Method::ServerDiscover,
            failure => return ClientError::Negotiation(failure),
        };
        let method = unanswered.as_str().to_owned();
        match self.broken.take() {
            Some(violation) => ClientError::Protocol { method, violation },
            None if self.silent => ClientError::Timeout { method, after: self.config.patience.timeout },
            // It was answered, but not as a server of the era would.
            None => ClientError::Negotiation(failure),
        }
    }
}

/// What was heard of a request.
struct Answered {
    /// Nothing, if it was not answered in time.
    answer: Option<Answer>,
    /// The status of HTTP under which it came, if that is no success.
    status: Option<u16>,
}

impl Answered {
    const fn lost(closed: Arc<Closed>) -> Self {
        Self { answer: Some(Answer::Lost(closed)), status: None }
    }
}

impl Peer {
    /// Reads what there is to read: a server that spoils its name still works.
    fn new(revision: Revision, opening: RawJson) -> Self {
        let members = opening.decode::<JsonObject>().unwrap_or_default();
        let info = match revision.era() {
            Era::Legacy => member(&members, "serverInfo"),
            Era::Modern => member::<Meta>(&members, "_meta").and_then(|meta| Some(*meta.server_info?)),
        };
        Self {
            revision,
            info,
            capabilities: member(&members, "capabilities").unwrap_or_default(),
            instructions: member(&members, "instructions"),
            opening,
        }
    }
}

fn member<T: DeserializeOwned>(members: &JsonObject, name: &str) -> Option<T> {
    members.get(name)?.decode().ok()
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("name", &self.name.name)
            .field("era", &self.era)
            .field("probe_timeout", &self.probe_timeout)
            .field("patience", &self.patience)
            .field("limits", &self.limits)
            .field("handlers", &self.handlers)
            .finish_non_exhaustive()
    }
}
