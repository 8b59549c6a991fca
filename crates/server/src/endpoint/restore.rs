//! After a restart: the sessions that a store has kept go on.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use hermes_proto::channel::{Change as News, refusal};
use hermes_proto::clocks::Clocks;
use hermes_proto::outbox::{Encoded, KeptStream, Unreadable};
use hermes_proto::session::{KeptSession, Session as Machine, SessionId, Terms};
use hermes_types::{Fault, FaultKind, LoggingLevel, RequestId, Revision};
use tokio::time::Instant;

use super::client;
use super::keeping::{Keeping, Mirror, name};
use super::session::SessionLink;
use super::{SessionEvent, Shared};
use crate::link::Link;
use crate::session::Session;
use crate::session_handle::SessionHandle;
use crate::store::{Change, Kept, Place, Records};

/// Why a session does not go on.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("the record {0} is missing")]
    Missing(&'static str),
    #[error("the record {0} cannot be read")]
    Record(String, #[source] serde_json::Error),
    #[error(transparent)]
    Contradiction(#[from] Unreadable),
}

/// The records of a session, told apart.
struct Sorted {
    client: client::Known,
    session: KeptSession,
    streams: Vec<KeptStream>,
    texts: BTreeMap<u64, Encoded>,
    level: Option<LoggingLevel>,
    data: Vec<(String, Arc<[u8]>)>,
    /// All but the texts.
    records: BTreeMap<String, Arc<[u8]>>,
}

/// What became of a call that ran when its process ended.
fn outcome_unknown(id: &RequestId, revision: Revision) -> Vec<u8> {
    let data = BTreeMap::from([("reason", "outcome_unknown")]);
    let message = "the server was restarted while the call ran: whether it took effect is unknown";
    refusal(Some(id), revision, &Fault::new(FaultKind::ServerError, message).with_data(&data))
}

impl Shared {
    /// Lets these sessions go on. Each is there before its client can ask for it.
    pub(super) fn restore(self: &Arc<Self>, kept: Kept) {
        let Kept { mut sessions, graves } = kept;
        let (ended, mut forgotten) = self.graves.open(graves, SystemTime::now());
        for (id, why) in ended {
            // It ended, and its process did before its records were gone.
            forgotten.extend(sessions.remove(&id).map(|_| Change::Clear(Place::Session(id))));
            self.roster().remember(id, why);
        }
        if let Some(writer) = self.writer.as_ref().filter(|_| !forgotten.is_empty()) {
            writer.conclude(forgotten, None);
        }
        let all = sessions.len();
        let mut restored = 0;
        for (id, records) in sessions {
            match sort(records) {
                Ok(sorted) => restored += usize::from(self.restore_one(id, sorted)),
                // Another version may read it; so it stays where it is.
                Err(error) => {
                    let why = std::error::Error::source(&error).map(ToString::to_string);
                    tracing::error!(session = ?id, %error, why, "a session of the store cannot be read: it is lost");
                }
            }
        }
        if all > 0 {
            tracing::info!(restored, of = all, "sessions go on after a restart");
        }
    }

    /// Whether it goes on.
    fn restore_one(self: &Arc<Self>, id: SessionId, sorted: Sorted) -> bool {
        let Sorted { client, session, streams, texts, level, data, records } = sorted;
        let Some(writer) = &self.writer else { return false };
        let now = Instant::now();
        let clocks = Clocks::new(now.into_std(), SystemTime::now());
        let settings = &self.server.settings;
        let terms = Terms {
            limits: settings.limits,
            in_flight: settings.in_flight,
            patience: self.options.patience,
            budget: self.options.budget,
        };
        let interrupted = std::cell::Cell::new(0);
        let outcome = |id: &RequestId, revision| {
            interrupted.set(interrupted.get() + 1);
            outcome_unknown(id, revision)
        };
        let find = |number: u64| texts.get(&number).cloned();
        let machine = match Machine::restore(session, &streams, terms, &clocks, &find, outcome) {
            Ok(machine) => machine,
            Err(error) => {
                tracing::error!(session = ?id, %error, "a session of the store cannot be read: it is lost");
                return false;
            }
        };
        let (is_ready, idle) = (machine.channel().is_ready(), machine.idle_since());
        let link = Arc::new_cyclic(|link| {
            let mirror = Mirror::of(records, &texts);
            let keeping = Keeping::with(Arc::clone(writer), link.clone(), id, mirror);
            SessionLink::new(self, Some(id), client.principal, machine, Some(Box::new(keeping)))
        });
        if self.roster().admit_restored(id, Arc::clone(&link), is_ready, now.into_std()).is_err() {
            tracing::warn!(session = ?id, "there are more sessions in the store than there may be: this one ends");
            writer.conclude(vec![Change::Clear(Place::Session(id))], None);
            return false;
        }
        let way: Arc<dyn Link> = Arc::clone(&link) as _;
        let facts = Session::new(SessionHandle::new(&way, &self.server.hub, client.handshake));
        client.declared.into_iter().for_each(|declared| facts.declare(declared));
        level.into_iter().for_each(|level| facts.set_log_level(level));
        for (name, text) in data {
            if let Some((id, value)) = settings.kept.load(&name, &text) {
                facts.states.put(id, value);
            }
        }
        link.open_session(facts);
        link.go_on();
        self.server.hub.join(&way);
        if let Some(session) = link.session() {
            settings.hooks.restored(&session.handle);
        }
        // Nobody knows what changed while nobody served, nor what was to be said when the server ended.
        let lists = [News::Prompts, News::Resources, News::Tools];
        let subscribed = link.subscribed().into_iter().map(News::Resource);
        lists.into_iter().chain(subscribed).for_each(|news| link.tell_session(&news));
        self.stats.restored(interrupted.get());
        self.options.on_session.tell(SessionEvent::Restored, || link.listing());
        let idle_until =
            idle.and_then(|since| since.checked_add(self.options.session_idle)).map(Instant::from_std);
        // Whoever was there gets the chance to come back, however long the server was away.
        let least = now.checked_add(self.options.patience.grace);
        if let Some(due) = idle_until.max(least) {
            self.watch(id, due);
        }
        true
    }
}

/// Tells the records of a session apart.
fn sort(all: Records) -> Result<Sorted, Lost> {
    let (mut streams, mut texts, mut data) = (Vec::new(), BTreeMap::new(), Vec::new());
    let mut records = BTreeMap::new();
    let (mut client, mut session, mut level) = (None, None, None);
    for (name, value) in all {
        let unreadable = |error| Lost::Record(name.clone(), error);
        if let Some(number) = name.strip_prefix(name::TEXT).and_then(|number| number.parse().ok()) {
            texts.insert(number, Encoded::from(value));
            continue;
        }
        if name == name::CLIENT {
            client = Some(client::read(&value).map_err(unreadable)?);
        } else if name == name::SESSION {
            session = Some(serde_json::from_slice(&value).map_err(unreadable)?);
        } else if name == name::LEVEL {
            level = Some(LoggingLevel::from(&*String::from_utf8_lossy(&value)));
        } else if name.starts_with(name::STREAM) {
            streams.push(serde_json::from_slice::<KeptStream>(&value).map_err(unreadable)?);
        } else if let Some(name) = name.strip_prefix(name::DATA) {
            data.push((name.to_owned(), Arc::clone(&value)));
        }
        records.insert(name, value);
    }
    streams.sort_by_key(KeptStream::number);
    Ok(Sorted {
        client: client.ok_or(Lost::Missing(name::CLIENT))?,
        session: session.ok_or(Lost::Missing(name::SESSION))?,
        streams,
        texts,
        level: level.filter(LoggingLevel::is_known),
        data,
        records,
    })
}
