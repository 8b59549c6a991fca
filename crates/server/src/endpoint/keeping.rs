//! What a store has of one session, and who waits for it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::SystemTime;

use hermes_proto::clocks::Clocks;
use hermes_proto::outbox::Encoded;
use hermes_proto::session::{Session as Machine, SessionId};
use serde::Serialize;
use tokio::time::Instant;

use super::session::SessionLink;
use super::writer::Writer;
use crate::store::{Change, Place, Record};

/// How one session is kept. Locked inside the session's own lock, never around it.
///
/// ```text
///   change ──▶ version rises ──▶ listed, written within a moment ──▶ stored rises ──▶ whoever waits goes on
///                   └── somebody waits: written at once
///   rest, end ──▶ final: what happens from now on is not kept, and waits for nothing once the last change is
/// ```
pub(super) struct Keeping {
    writer: Arc<Writer>,
    link: Weak<SessionLink>,
    place: Place,
    progress: Mutex<Progress>,
    /// Touched by the writer, and by whoever makes the session final.
    mirror: Mutex<Mirror>,
}

struct Progress {
    /// Counts what happened in the session. A new one has to be kept before anything is told of it.
    version: u64,
    /// What an answer that cannot be resumed has to wait for.
    needed: u64,
    /// What the store has.
    stored: u64,
    /// Whether the writer will look at the session.
    is_listed: bool,
    is_final: bool,
    waiting: Vec<(u64, Waker)>,
}

/// The records that the store has of a session, or will have when the writer is done.
#[derive(Default)]
pub(super) struct Mirror {
    records: BTreeMap<String, Arc<[u8]>>,
    /// The texts of messages, by where they lie: one that is held cannot move, and no other can lie there.
    texts: BTreeMap<usize, (u64, Encoded)>,
    numbered: u64,
}

/// The names of a session's records.
pub(super) mod name {
    /// Who the client is, and what it was told.
    pub(in super::super) const CLIENT: &str = "client";
    /// The session itself.
    pub(in super::super) const SESSION: &str = "session";
    /// One of its streams: this and its number.
    pub(in super::super) const STREAM: &str = "stream ";
    /// The text of a message: this and its number.
    pub(in super::super) const TEXT: &str = "text ";
    /// The least severe level that its client wants to hear of.
    pub(in super::super) const LEVEL: &str = "log level";
    /// Data of handlers: this and the name that their author gave.
    pub(in super::super) const DATA: &str = "data ";
}

impl Keeping {
    /// Nothing is kept yet.
    pub(super) fn new(writer: Arc<Writer>, link: Weak<SessionLink>, id: SessionId) -> Self {
        Self::with(writer, link, id, Mirror::default())
    }

    /// The store has this much.
    pub(super) fn with(writer: Arc<Writer>, link: Weak<SessionLink>, id: SessionId, mirror: Mirror) -> Self {
        let progress = Progress {
            version: 1,
            needed: 1,
            stored: 0,
            is_listed: false,
            is_final: false,
            waiting: Vec::new(),
        };
        Self {
            writer,
            link,
            place: Place::Session(id),
            progress: Mutex::new(progress),
            mirror: Mutex::new(mirror),
        }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn mirror(&self) -> MutexGuard<'_, Mirror> {
        self.mirror.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed, and the session's lock is held.
    pub(super) fn changed(&self) {
        let is_new = {
            let mut progress = self.progress();
            if progress.is_final {
                return;
            }
            progress.version += 1;
            !std::mem::replace(&mut progress.is_listed, true)
        };
        if is_new && let Some(link) = self.link.upgrade() {
            self.writer.list(link);
        }
    }

    /// Something changed that an answer tells the client of.
    pub(super) fn promised(&self) {
        self.changed();
        let mut progress = self.progress();
        progress.needed = progress.version;
    }

    /// The newest version there is.
    pub(super) fn version(&self) -> u64 {
        self.progress().version
    }

    /// Waits until the store has this version. Then nothing of it can be forgotten.
    pub(super) fn poll_stored(&self, version: u64, cx: &Context<'_>) -> Poll<()> {
        {
            let mut progress = self.progress();
            if progress.stored >= version {
                return Poll::Ready(());
            }
            progress.waiting.retain(|(_, waker)| !waker.will_wake(cx.waker()));
            progress.waiting.push((version, cx.waker().clone()));
        }
        self.writer.hurry();
        Poll::Pending
    }

    /// Waits until the store has what answers count on.
    pub(super) fn poll_promised(&self, cx: &Context<'_>) -> Poll<()> {
        let needed = self.progress().needed;
        self.poll_stored(needed, cx)
    }

    /// The store has it. Whoever waits for that goes on.
    pub(super) fn stored(&self, version: u64) {
        let woken: Vec<_> = {
            let mut progress = self.progress();
            progress.stored = progress.stored.max(version);
            let stored = progress.stored;
            progress.waiting.extract_if(.., |(version, _)| *version <= stored).collect()
        };
        woken.into_iter().for_each(|(_, waker)| waker.wake());
    }

    /// The writer looks at the session, whose lock is held: what changed in its machine since it looked last, and the
    /// version that this is. `None` if it is final.
    pub(super) fn collect<C>(&self, machine: &Machine<C>, changes: &mut Vec<Change>) -> Option<u64> {
        let version = {
            let mut progress = self.progress();
            progress.is_listed = false;
            if progress.is_final {
                return None;
            }
            progress.version
        };
        self.mirror().compare(self.place, machine, changes);
        Some(version)
    }

    /// What changed in records that are no part of the machine. Those without a value stay as they are.
    pub(super) fn compare(&self, records: &[(String, Option<Vec<u8>>)], changes: &mut Vec<Change>) {
        let mut mirror = self.mirror();
        for (name, value) in records {
            if let Some(value) = value {
                mirror.put(self.place, name, value, changes);
            }
        }
    }

    /// Whether this record is kept.
    pub(super) fn has(&self, name: &str) -> bool {
        self.mirror().records.contains_key(name)
    }

    /// What happens from now on is not kept. Whether that is new: then the end is a change too, which can be waited for.
    pub(super) fn finish(&self) -> bool {
        let mut progress = self.progress();
        let is_new = !std::mem::replace(&mut progress.is_final, true);
        progress.version += u64::from(is_new);
        is_new
    }

    /// The session is over: its records go.
    pub(super) fn end(&self) {
        if self.finish() {
            self.conclude(vec![Change::Clear(self.place)]);
        }
    }

    /// The session cannot be kept: its records go, and nothing of it is waited for once they have.
    pub(super) fn forgo(&self, changes: &mut Vec<Change>) {
        if self.finish() {
            changes.push(Change::Clear(self.place));
        }
    }

    /// The last changes of a session that is final.
    pub(super) fn conclude(&self, changes: Vec<Change>) {
        self.writer.conclude(changes, self.link.upgrade());
    }
}

impl Mirror {
    /// What was loaded: records, and texts by their numbers.
    pub(super) fn of(records: BTreeMap<String, Arc<[u8]>>, texts: &BTreeMap<u64, Encoded>) -> Self {
        let numbered = texts.last_key_value().map_or(0, |(number, _)| *number);
        let texts = texts.iter().map(|(number, text)| (address(text), (*number, text.clone())));
        Self { records, texts: texts.collect(), numbered }
    }

    fn put(&mut self, place: Place, name: &str, value: &[u8], changes: &mut Vec<Change>) {
        if self.records.get(name).is_some_and(|kept| **kept == *value) {
            return;
        }
        let value: Arc<[u8]> = Arc::from(value);
        self.records.insert(name.to_owned(), Arc::clone(&value));
        changes.push(Change::Put(Record { place, name: name.to_owned(), value }));
    }

    /// Makes the records of the machine what it is now.
    fn compare<C>(&mut self, place: Place, machine: &Machine<C>, changes: &mut Vec<Change>) {
        let clocks = Clocks::new(Instant::now().into_std(), SystemTime::now());
        let mut texts = BTreeMap::new();
        let mut numbered = self.numbered;
        let mut number = |text: &Encoded| {
            let at = address(text);
            if let Some((number, _)) = texts.get(&at) {
                return *number;
            }
            let number = self.texts.get(&at).map_or_else(
                || {
                    numbered += 1;
                    let name = format!("{}{numbered}", name::TEXT);
                    changes.push(Change::Put(Record { place, name, value: text.clone().into() }));
                    numbered
                },
                |(number, _)| *number,
            );
            texts.insert(at, (number, text.clone()));
            number
        };
        let Some((session, streams)) = machine.keep(&clocks, &mut number) else { return };
        self.numbered = numbered;
        for (at, (number, _)) in std::mem::replace(&mut self.texts, texts) {
            if !self.texts.contains_key(&at) {
                changes.push(Change::Remove { place, name: format!("{}{number}", name::TEXT) });
            }
        }
        let mut there = BTreeSet::new();
        for stream in &streams {
            let name = format!("{}{}", name::STREAM, stream.number());
            self.put(place, &name, &text(stream), changes);
            there.insert(name);
        }
        let is_gone = |name: &String| name.starts_with(name::STREAM) && !there.contains(name);
        let gone: Vec<_> = self.records.keys().filter(|name| is_gone(name)).cloned().collect();
        for name in gone {
            self.records.remove(&name);
            changes.push(Change::Remove { place, name });
        }
        self.put(place, name::SESSION, &text(&session), changes);
    }
}

/// Where the bytes of a text lie.
fn address(text: &Encoded) -> usize {
    text.as_bytes().as_ptr().addr()
}

/// Plain values as JSON.
fn text(value: &impl Serialize) -> Vec<u8> {
    // Numbers, texts and lists of them always encode.
    serde_json::to_vec(value).unwrap_or_default()
}
