//! Who there is, who was, and whom to send away.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::error::Error;
use std::fmt;
use std::time::Instant;

use super::SessionId;
use crate::admit::Gone;

/// How many ended sessions are remembered, so that their clients are told what happened.
const REMEMBERED: usize = 10_000;

/// As many sessions as allowed are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AtCapacity;

impl fmt::Display for AtCapacity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("as many sessions as allowed are in use")
    }
}

impl Error for AtCapacity {}

/// A session has its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Admitted<T> {
    /// The session that had to go for it.
    pub evicted: Option<(SessionId, T)>,
}

/// The sessions of one server.
///
/// | session | input | output | session after |
/// |---|---|---|---|
/// | new | `admit`, room left | its place | unused |
/// | new | `admit`, full, others unused | its place; the idlest unused one is evicted | unused; the evicted one is gone, `Expired` |
/// | new | `admit`, full, all in use | [`AtCapacity`] | none |
/// | kept by a store | `admit_restored`, room left | its place | unused, or in use if it was |
/// | kept by a store | `admit_restored`, full | [`AtCapacity`] | none |
/// | unused | `find` | the session | in use |
/// | in use | `find` | the session | in use |
/// | any | `remove` | the session, once | gone, for the reason given |
/// | ended in an earlier process | `remember` | | gone, for the reason given |
/// | gone | `find`, `remove` | the reason; `Unknown` when it is forgotten | gone |
///
/// A session is unused until something comes for it after its handshake. Such sessions cost a client nothing,
/// so they are the first to go; a session in use never goes for another's sake.
///
/// `T` is whatever stands for a session; copies of it are handed out.
#[derive(Clone, Debug)]
pub struct Roster<T> {
    limit: usize,
    seats: BTreeMap<SessionId, Seat<T>>,
    unused: BTreeSet<(Instant, SessionId)>,
    /// When to look after whom.
    due: BTreeSet<(Instant, SessionId)>,
    gone: BTreeMap<SessionId, Gone>,
    /// The ids of `gone`, oldest first.
    forgetting: VecDeque<SessionId>,
}

#[derive(Clone, Debug)]
struct Seat<T> {
    session: T,
    unused: Option<Instant>,
    due: Option<Instant>,
}

impl<T: Clone> Roster<T> {
    /// No sessions, and room for `limit`.
    #[must_use]
    pub const fn new(limit: usize) -> Self {
        Self {
            limit,
            seats: BTreeMap::new(),
            unused: BTreeSet::new(),
            due: BTreeSet::new(),
            gone: BTreeMap::new(),
            forgetting: VecDeque::new(),
        }
    }

    /// Gives a new session its place.
    ///
    /// # Errors
    /// [`AtCapacity`]; nothing changes.
    pub fn admit(&mut self, id: SessionId, session: T, now: Instant) -> Result<Admitted<T>, AtCapacity> {
        let mut evicted = None;
        if self.seats.len() >= self.limit {
            let idlest = self.unused.first().map(|(_, id)| *id).ok_or(AtCapacity)?;
            evicted = self.remove(idlest, Gone::Expired).map(|session| (idlest, session));
        }
        self.unused.insert((now, id));
        self.seats.insert(id, Seat { session, unused: Some(now), due: None });
        Ok(Admitted { evicted })
    }

    /// Gives a session of an earlier process its place. It makes no room for itself: who was there before it was
    /// there as long.
    ///
    /// # Errors
    /// [`AtCapacity`]; nothing changes.
    pub fn admit_restored(
        &mut self,
        id: SessionId,
        session: T,
        is_used: bool,
        now: Instant,
    ) -> Result<(), AtCapacity> {
        if self.seats.len() >= self.limit {
            return Err(AtCapacity);
        }
        let unused = (!is_used).then_some(now);
        self.unused.extend(unused.map(|since| (since, id)));
        self.seats.insert(id, Seat { session, unused, due: None });
        Ok(())
    }

    /// The session with this id, which is in use from now on.
    ///
    /// # Errors
    /// [`Gone`]: there is none.
    pub fn find(&mut self, id: SessionId) -> Result<T, Gone> {
        let Some(seat) = self.seats.get_mut(&id) else {
            return Err(self.gone.get(&id).copied().unwrap_or(Gone::Unknown));
        };
        if let Some(since) = seat.unused.take() {
            self.unused.remove(&(since, id));
        }
        Ok(seat.session.clone())
    }

    /// Takes a session out, and remembers why. `None` if there is none.
    pub fn remove(&mut self, id: SessionId, why: Gone) -> Option<T> {
        let seat = self.seats.remove(&id)?;
        if let Some(since) = seat.unused {
            self.unused.remove(&(since, id));
        }
        if let Some(due) = seat.due {
            self.due.remove(&(due, id));
        }
        self.remember(id, why);
        Some(seat.session)
    }

    /// Remembers that a session has ended, in this process or an earlier one.
    pub fn remember(&mut self, id: SessionId, why: Gone) {
        if self.gone.insert(id, why).is_none() {
            self.forgetting.push_back(id);
        }
        if self.forgetting.len() > REMEMBERED
            && let Some(oldest) = self.forgetting.pop_front()
        {
            self.gone.remove(&oldest);
        }
    }

    /// Asks to be told of a session by [`Roster::take_due`] at this time, unless that is so earlier anyway.
    /// Whether it is now the first of all to be told of.
    pub fn watch(&mut self, id: SessionId, at: Instant) -> bool {
        let Some(seat) = self.seats.get_mut(&id) else { return false };
        if seat.due.is_some_and(|due| due <= at) {
            return false;
        }
        if let Some(later) = seat.due.replace(at) {
            self.due.remove(&(later, id));
        }
        self.due.insert((at, id));
        self.due.first() == Some(&(at, id))
    }

    /// When the next session is to be looked after.
    #[must_use]
    pub fn next_due(&self) -> Option<Instant> {
        self.due.first().map(|(at, _)| *at)
    }

    /// A session that is to be looked after at `now`, once for each `watch`.
    pub fn take_due(&mut self, now: Instant) -> Option<(SessionId, T)> {
        let (at, id) = *self.due.first()?;
        if at > now {
            return None;
        }
        self.due.pop_first();
        let seat = self.seats.get_mut(&id)?;
        seat.due = None;
        Some((id, seat.session.clone()))
    }

    /// All sessions.
    pub fn iter(&self) -> impl Iterator<Item = (SessionId, &T)> {
        self.seats.iter().map(|(id, seat)| (*id, &seat.session))
    }

    /// How many sessions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seats.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seats.is_empty()
    }
}
