//! A set of clients, one for each server of a file.
//!
//! ```text
//!            start, add                    connected
//!   (entry) ------------> Starting ---------------------> Client (which comes back by itself, as `Restart` says)
//!      |                  |    ^                             |
//!      | disabled, wrong  |    | start                       | start
//!      v                  v    |                             v
//!   Disabled, Failed    Failed-+                          Starting, once the last one is closed
//! ```
//!
//! Every server has a task of its own, which nobody waits for: what one of them does, or does not do, is nothing to the
//! others.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{broadcast, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;

use super::entry::Entry;
use super::file::ServerFile;
use super::status::{ServerEvent, ServerEvents, ServerStatus, StartError};
use crate::builder::ClientBuilder;
use crate::client::Client;
use crate::event::CAPACITY;
use crate::target::Target;

/// How long the end of a server is waited for. It goes on in the background after that.
const TO_CLOSE: Duration = Duration::from_secs(10);

/// A set of clients, one for each server of a file, that live side by side.
///
/// All servers are started at the same time, and each by itself: one that hangs, exits, is not there or is not trusted
/// delays no other. A client that loses its server brings it back as [`Restart`](crate::Restart) says; a server that was
/// not reached the first time is tried again by [`start`](Self::start).
///
/// Cheap to clone, and all clones are the same set. When the last one is dropped every server ends in the background;
/// [`close`](Self::close) waits for that.
///
/// ```no_run
/// use hermes_client::Client;
/// use hermes_client::servers::{ServerEvent, ServerFile, Servers, Surroundings};
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let file = ServerFile::read(".mcp.json", &Surroundings::process())?;
/// let servers = Servers::of(&file, |entry| {
///     let name = entry.name().to_owned();
///     Client::builder().name("my-host", "1.2.0").on_stderr(move |line| eprintln!("{name}: {line}"))
/// });
///
/// for (name, error) in servers.await_all().await {
///     eprintln!("{name}: {error}");
/// }
/// let files = servers.await_ready("files").await?;
/// println!("{} tools", files.list_all_tools().await?.entries.len());
///
/// let mut events = servers.events();
/// tokio::spawn(async move {
///     while let Some((name, event)) = events.next().await {
///         if let ServerEvent::Failed(error) = event {
///             eprintln!("{name}: {error}");
///         }
///     }
/// });
/// servers.close().await;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Servers(Arc<Inner>);

struct Inner {
    builder: Box<dyn Fn(&Entry) -> ClientBuilder + Send + Sync>,
    seats: Mutex<BTreeMap<Arc<str>, Seat>>,
    events: Told,
}

/// Where the events of all servers go.
type Told = broadcast::Sender<(Arc<str>, ServerEvent)>;

/// The place of one server in the set.
struct Seat {
    entry: Entry,
    state: watch::Sender<State>,
    /// What starts it and hears its events; ends with the seat.
    task: Option<AbortHandle>,
}

#[derive(Clone)]
enum State {
    Disabled,
    Starting,
    Failed(StartError),
    Connected(Client),
}

impl Drop for Seat {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Servers {
    /// Starts all servers of a file, apart from those that are disabled, and does not wait for them. `builder` says who
    /// the client of an entry is and what it answers; it is asked anew whenever a client is made. The time limit of the
    /// entry, if it has one, comes on top.
    ///
    /// Has to be called within a runtime of tokio.
    pub fn of(file: &ServerFile, builder: impl Fn(&Entry) -> ClientBuilder + Send + Sync + 'static) -> Self {
        let inner = Inner {
            builder: Box::new(builder),
            seats: Mutex::default(),
            events: broadcast::Sender::new(CAPACITY),
        };
        let servers = Self(Arc::new(inner));
        for entry in file.entries() {
            servers.add(entry.clone());
        }
        servers
    }

    /// Adds a server and starts it, unless it is disabled. One of the same name is closed first, and only then the new
    /// one is started.
    pub fn add(&self, entry: Entry) {
        let is_on = !entry.is_disabled();
        let builder = self.0.builder(&entry);
        let mut seats = self.0.seats();
        let last = seats.remove(entry.name()).and_then(|seat| seat.client());
        let seat = self.0.seat(entry, builder, last, is_on);
        seats.insert(seat.entry.name().into(), seat);
    }

    /// Starts a server anew: one that failed, or one whose client is at its end or shall be replaced. Also one that is
    /// disabled. Gives whether there is one of this name.
    pub fn start(&self, name: &str) -> bool {
        let Some(entry) = self.0.seats().get(name).map(|seat| seat.entry.clone()) else { return false };
        let builder = self.0.builder(&entry);
        let mut seats = self.0.seats();
        let Some((name, seat)) = seats.remove_entry(name) else { return false };
        let seat = self.0.seat(entry, builder, seat.client(), true);
        seats.insert(name, seat);
        true
    }

    /// Takes a server out of the set and closes its client. Gives whether there was one of this name.
    ///
    /// # Cancel safety
    /// The server is out of the set as soon as this was polled, and ends all the same.
    pub async fn remove(&self, name: &str) -> bool {
        let Some((name, seat)) = self.0.seats().remove_entry(name) else { return false };
        let client = seat.client();
        drop(seat);
        tell(&self.0.events, &name, ServerEvent::Removed);
        if let Some(client) = client {
            close(client).await;
        }
        true
    }

    /// Makes the set what the file says by now: what has changed is started anew, what has gone is removed, and what is
    /// as it was goes on undisturbed.
    ///
    /// # Cancel safety
    /// What was begun goes on; what was not can be done by another call.
    pub async fn reload(&self, file: &ServerFile) {
        let gone: Vec<Arc<str>> =
            self.0.seats().keys().filter(|name| file.entry(name).is_none()).cloned().collect();
        for entry in file.entries() {
            let is_same = self.0.seats().get(entry.name()).is_some_and(|seat| seat.entry.is_like(entry));
            if !is_same {
                self.add(entry.clone());
            }
        }
        let mut removing = JoinSet::new();
        for name in gone {
            let servers = self.clone();
            removing.spawn(async move { servers.remove(&name).await });
        }
        while removing.join_next().await.is_some() {}
    }

    /// The names of all servers.
    #[must_use]
    pub fn names(&self) -> Vec<Arc<str>> {
        self.0.seats().keys().cloned().collect()
    }

    /// How each server stands.
    #[must_use]
    pub fn status(&self) -> BTreeMap<Arc<str>, ServerStatus> {
        let seats = self.0.seats();
        seats.iter().map(|(name, seat)| (Arc::clone(name), seat.state.borrow().status())).collect()
    }

    /// What becomes of all servers from now on. Several readers each get all of it.
    #[must_use]
    pub fn events(&self) -> ServerEvents {
        ServerEvents { receiver: self.0.events.subscribe(), missed: 0 }
    }

    /// The client of a server, if it was connected to.
    #[must_use]
    pub fn client(&self, name: &str) -> Option<Client> {
        self.0.seats().get(name)?.client()
    }

    /// Waits until a server can be used, and gives its client. Waits for no other one.
    ///
    /// # Errors
    /// [`StartError`]: there will be no client, unless it is started anew.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub async fn await_ready(&self, name: &str) -> Result<Client, StartError> {
        let name: Arc<str> = name.into();
        loop {
            let seat = self.0.seats().get(&name).map(|seat| seat.state.subscribe());
            let Some(mut state) = seat else { return Err(StartError::Unknown { name }) };
            let settled = state.wait_for(|state| !matches!(state, State::Starting)).await;
            let client = match settled.map(|state| state.clone()) {
                Ok(State::Connected(client)) => client,
                Ok(State::Failed(error)) => return Err(error),
                Ok(State::Disabled) => return Err(StartError::Disabled { name }),
                // Another one has taken its place, or none.
                Ok(State::Starting) | Err(_) => continue,
            };
            let connect = |error| StartError::Connect { name, source: Arc::new(error) };
            return client.await_ready().await.map(|()| client).map_err(connect);
        }
    }

    /// Waits until every server that is not disabled can be used or has failed; gives those that have failed.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub async fn await_all(&self) -> Vec<(Arc<str>, StartError)> {
        let mut failed = Vec::new();
        for name in self.names() {
            match self.await_ready(&name).await {
                Ok(_) | Err(StartError::Disabled { .. } | StartError::Unknown { .. }) => {}
                Err(error) => failed.push((name, error)),
            }
        }
        failed
    }

    /// Takes all servers out of the set and closes them at the same time, as [`Client::close`] does. What has not ended
    /// within 10 s ends in the background.
    ///
    /// # Cancel safety
    /// The servers are out of the set as soon as this was polled, and end all the same.
    pub async fn close(&self) {
        let seats = std::mem::take(&mut *self.0.seats());
        let mut closing = JoinSet::new();
        for (name, seat) in seats {
            if let Some(client) = seat.client() {
                closing.spawn(close(client));
            }
            drop(seat);
            tell(&self.0.events, &name, ServerEvent::Removed);
        }
        // Dropped before its end, what is spawned here would be dropped too: the clients then end by themselves.
        while closing.join_next().await.is_some() {}
    }
}

/// Closes a client within bounds.
async fn close(client: Client) {
    if timeout(TO_CLOSE, client.close()).await.is_err() {
        tracing::warn!("a server has not ended in time");
    }
}

impl Inner {
    fn seats(&self) -> MutexGuard<'_, BTreeMap<Arc<str>, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client that an entry gets. It is the host's to say, so nothing is locked meanwhile.
    fn builder(&self, entry: &Entry) -> ClientBuilder {
        let builder = (self.builder)(entry);
        match entry.timeout() {
            Some(timeout) => builder.timeout(timeout),
            None => builder,
        }
    }

    /// A place for a server, which is started if it is on, once the last one is closed.
    fn seat(&self, entry: Entry, builder: ClientBuilder, last: Option<Client>, is_on: bool) -> Seat {
        let name: Arc<str> = entry.name().into();
        let target = match entry.target() {
            _ if !is_on => Err(State::Disabled),
            Ok(target) => Ok(target),
            Err(error) => {
                let error = StartError::Entry(error);
                tell(&self.events, &name, ServerEvent::Failed(error.clone()));
                Err(State::Failed(error))
            }
        };
        let (state, task) = match target {
            Ok(target) => {
                tell(&self.events, &name, ServerEvent::Starting);
                let state = watch::Sender::new(State::Starting);
                let starting = start(name, builder, target, last, state.clone(), self.events.clone());
                (state, Some(tokio::spawn(starting).abort_handle()))
            }
            Err(state) => {
                last.map(|last| tokio::spawn(close(last)));
                (watch::Sender::new(state), None)
            }
        };
        Seat { entry, state, task }
    }
}

/// Connects to a server once its last client is closed, then passes on what becomes of it.
async fn start(
    name: Arc<str>,
    builder: ClientBuilder,
    target: Target,
    last: Option<Client>,
    state: watch::Sender<State>,
    events: Told,
) {
    if let Some(last) = last {
        close(last).await;
    }
    let client = match builder.connect(target).await {
        Ok(client) => client,
        Err(error) => {
            let error = StartError::Connect { name: Arc::clone(&name), source: Arc::new(error) };
            state.send_replace(State::Failed(error.clone()));
            return tell(&events, &name, ServerEvent::Failed(error));
        }
    };
    let mut told = client.events();
    state.send_replace(State::Connected(client));
    // From here on the client belongs to its seat alone.
    drop(state);
    tell(&events, &name, ServerEvent::Ready);
    while let Some(event) = told.next().await {
        tell(&events, &name, ServerEvent::Client(event));
    }
}

/// Tells whoever listens.
fn tell(events: &Told, name: &Arc<str>, event: ServerEvent) {
    // Nobody has to listen.
    let _ = events.send((Arc::clone(name), event));
}

impl Seat {
    fn client(&self) -> Option<Client> {
        match &*self.state.borrow() {
            State::Connected(client) => Some(client.clone()),
            State::Disabled | State::Starting | State::Failed(_) => None,
        }
    }
}

impl State {
    fn status(&self) -> ServerStatus {
        match self {
            Self::Disabled => ServerStatus::Disabled,
            Self::Starting => ServerStatus::Starting,
            Self::Failed(error) => ServerStatus::Failed(error.clone()),
            Self::Connected(client) => ServerStatus::Client(client.status()),
        }
    }
}

impl fmt::Debug for Servers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Servers").field(&self.status()).finish()
    }
}
