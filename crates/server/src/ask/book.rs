//! The book of one call: what it has asked, what it was answered, which effects it has had.
//!
//! ```text
//!            ask()                    the client repeats the call
//!   (none) ────────▶ open ──────────────────────────────────────▶ answered
//!                     │  ▲                                            │
//!      future dropped │  │ the answer is to another question          │ ask()
//!                     ▼  └────────────────────────────────────────────┤
//!                 withdrawn                                           ▼
//!                                                                  returned
//! ```
//!
//! | | in the book | at the end of the round |
//! |---|---|---|
//! | open | `open`, as long as the asking future lives | sent, its digest kept |
//! | answered | `answers`, with its question's digest | kept |
//! | effect in flight | `in_flight` > 0 | the round does not end |
//! | effect done | `effects`, with a value | kept |
//! | closed | nothing is recorded any more | |

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use hermes_types::{ClientCapabilities, Fault, RawJson};
use tokio::sync::{Notify, OnceCell};

use super::answer::check_shape;
use super::error::{AskError, Capability, OnceError};
use super::kept::{Answer, Kept};
use super::question::Question;
use super::round::Round;

/// How the call that is served can ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// By requests to the client while the handler waits: the legacy era.
    Requests,
    /// By ending the call and being called again: `tools/call`, `prompts/get`, `resources/read` of the
    /// modern era.
    Rounds,
    /// Not at all: everything else of the modern era.
    None,
}

/// What a call has asked and been answered so far, and the effects it has had.
///
/// One for each call; it lives in the call's state and is shared by the handler, the tasks it spawns and
/// [`drive()`](super::drive()).
pub(crate) struct Asked {
    pub(super) way: Way,
    book: Mutex<Book>,
    /// Wakes who waits for the end of the call.
    ended: Notify,
}

#[derive(Default)]
struct Book {
    /// The call has its outcome, or was suspended or dropped.
    closed: bool,
    /// Whoever drives the handler, to be told of questions put by others.
    driver: Option<Waker>,
    /// What is written in it; most calls ask nothing and have no effects.
    pages: Option<Box<Pages>>,
}

#[derive(Default)]
struct Pages {
    /// The keys used in this entry.
    taken: BTreeSet<String>,
    /// What earlier rounds brought.
    kept: Kept,
    /// Answers that came before their questions: with the first entry, which has no state that names any.
    offered: BTreeMap<String, RawJson>,
    /// Questions that some future waits on.
    open: BTreeMap<String, Question>,
    /// Effects begun or done, by key; a done one has a value.
    effects: BTreeMap<String, Arc<OnceCell<RawJson>>>,
    /// Effects that run now.
    in_flight: usize,
    /// Effects that ran and whose values could not be kept, and why.
    unkept: BTreeMap<String, String>,
    /// Capabilities that questions of this call missed.
    unmet: BTreeSet<Capability>,
    /// What was wrong with the last answer.
    bad_answer: Option<String>,
}

impl Asked {
    /// The book of a call that has asked nothing in earlier rounds.
    pub(super) fn new(way: Way) -> Self {
        Self { way, book: Mutex::default(), ended: Notify::new() }
    }

    /// The book of a call that goes on where an earlier round ended.
    pub(super) fn resumed(way: Way, mut kept: Kept) -> Self {
        let done = |(key, value)| (key, Arc::new(OnceCell::new_with(Some(value))));
        let effects = std::mem::take(&mut kept.effects).into_iter().map(done).collect();
        let pages = Some(Box::new(Pages { kept, effects, ..Pages::default() }));
        Self { way, book: Mutex::new(Book { pages, ..Book::default() }), ended: Notify::new() }
    }

    /// The book of a call that comes with answers to questions it expects.
    pub(super) fn offered(way: Way, answers: BTreeMap<String, RawJson>) -> Self {
        let asked = Self::new(way);
        asked.book().pages().offered = answers;
        asked
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing under the lock runs foreign code, so a poisoned book is still in order.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a question, or finds its answer. The key is the question's own or made from it; a key that
    /// was used before in this entry gets a number.
    pub(super) fn put(&self, question: Question) -> Result<Found, AskError> {
        let mut book = self.book();
        if book.closed {
            return Err(AskError::Closed);
        }
        let pages = book.pages();
        let key = pages.free_key(&question.key);
        match pages.kept.answers.remove(&key) {
            Some(answer) if answer.digest == question.digest => {
                let value = answer.value.clone();
                pages.kept.answers.insert(key, answer);
                return Ok(Found::Answer(value));
            }
            // The answer to another question under the same name is worth nothing.
            Some(_) | None => {}
        }
        // An answer of another kind is no answer: the client is asked.
        if let Some(value) = pages.offered.remove(&key)
            && check_shape(question.method, &value).is_ok()
        {
            pages.kept.answers.insert(key, Answer { digest: question.digest, value: value.clone() });
            return Ok(Found::Answer(value));
        }
        pages.open.insert(key.clone(), question);
        wake_outside(book);
        Ok(Found::Open(key))
    }

    /// Waits for the end of this entry: in it no answer comes any more.
    pub(super) async fn ended(&self) {
        // Before the look at the book, so that an end between the two is not missed.
        let ended = self.ended.notified();
        if !self.book().closed {
            ended.await;
        }
    }

    /// Takes a question back.
    pub(super) fn withdraw(&self, key: &str) {
        self.book().pages().open.remove(key);
    }

    /// Begins an effect: gives its cell, and marks it as running until the guard is dropped.
    ///
    /// # Errors
    /// The call has ended, or the effect has run already and left no value.
    pub(super) fn begin(&self, key: &str) -> Result<Running<'_>, OnceError> {
        let mut book = self.book();
        if book.closed {
            return Err(OnceError::Closed { key: key.to_owned() });
        }
        let pages = book.pages();
        if let Some(reason) = pages.unkept.get(key) {
            return Err(OnceError::Unkept { key: key.to_owned(), reason: reason.clone() });
        }
        let cell = Arc::clone(pages.effects.entry(key.to_owned()).or_default());
        pages.in_flight += 1;
        Ok(Running { asked: self, cell })
    }

    /// Says that an effect ran but left no value to keep.
    pub(super) fn lose(&self, key: &str, reason: String) -> OnceError {
        self.book().pages().unkept.insert(key.to_owned(), reason.clone());
        OnceError::Unkept { key: key.to_owned(), reason }
    }

    /// The token of this call and all its entries and replays.
    pub(super) fn token(&self, make: impl FnOnce() -> String) -> String {
        self.book().pages().kept.token.get_or_insert_with(make).clone()
    }

    /// Notes that the client cannot be asked.
    pub(super) fn miss(&self, capability: Capability) -> AskError {
        self.book().pages().unmet.insert(capability);
        AskError::Unsupported { capability }
    }

    /// Notes whether an answer fits. A good one makes up for a bad one before it: the handler asked again.
    pub(super) fn note_answer<T>(&self, read: &Result<T, AskError>) {
        self.book().pages().bad_answer = read.as_ref().err().map(ToString::to_string);
    }

    /// What the client is to blame for, if the handler fails: it lacked a capability that the handler
    /// asked for (−32021 with `data.requiredCapabilities`), or answered nonsense (−32602).
    ///
    /// For the modern era. In the legacy era the handler's own error is the answer.
    ///
    /// Source: `basic/index#capabilities` and `basic/patterns/mrtr#error-handling`, 2026-07-28.
    pub(crate) fn clients_fault(&self) -> Option<Fault> {
        let book = self.book();
        let pages = book.pages.as_deref()?;
        if !pages.unmet.is_empty() {
            let mut required = ClientCapabilities::default();
            pages.unmet.iter().for_each(|capability| capability.add_to(&mut required));
            let names: Vec<&str> = pages.unmet.iter().map(|capability| capability.as_str()).collect();
            let message = format!("this request needs the client capability {}", names.join(", "));
            return Some(Fault::missing_client_capability(message, required));
        }
        pages.bad_answer.clone().map(Fault::invalid_params)
    }

    /// Registers who is woken when a question is put or an effect ends.
    pub(super) fn driven_by(&self, waker: &Waker) {
        let mut book = self.book();
        if !book.driver.as_ref().is_some_and(|driver| driver.will_wake(waker)) {
            let old = book.driver.replace(waker.clone());
            drop(book);
            drop(old);
        }
    }

    /// Whether nothing but answers can help the handler on: questions are open and no effect runs.
    pub(super) fn is_waiting(&self) -> bool {
        self.book().pages.as_ref().is_some_and(|pages| pages.is_waiting())
    }

    /// Ends this entry with the questions that are open, unless an effect has begun meanwhile. From here
    /// on nothing is recorded, so that what the round holds is all there is.
    ///
    /// # Errors
    /// An effect ran whose value could not be kept: entering again would run it again.
    pub(super) fn suspend(&self) -> Option<Result<Round, Fault>> {
        let mut book = self.book();
        if book.closed || !book.pages().is_waiting() {
            return None;
        }
        book.closed = true;
        let pages = book.pages();
        let open = std::mem::take(&mut pages.open);
        let effects = std::mem::take(&mut pages.effects);
        let mut kept = std::mem::take(&mut pages.kept);
        let unkept = std::mem::take(&mut pages.unkept);
        drop(book);
        self.ended.notify_waiters();

        kept.effects =
            effects.into_iter().filter_map(|(key, cell)| Some((key, cell.get()?.clone()))).collect();
        Some(match unkept.into_keys().next() {
            None => Ok(Round::new(open.into_iter().collect(), kept)),
            Some(key) => Err(Fault::internal_error(format!(
                "the effect `{key}` has run, but its value cannot be kept for the next round"
            ))),
        })
    }

    /// Ends this entry: who still waits for an answer is told so.
    pub(super) fn close(&self) {
        let driver = {
            let mut book = self.book();
            book.closed = true;
            if let Some(pages) = &mut book.pages {
                pages.open.clear();
            }
            book.driver.take()
        };
        drop(driver); // Outside the lock: what a waker owns is not ours to know.
        self.ended.notify_waiters();
    }
}

/// Unlocks, and only then wakes whoever drives the handler: what a waker does is not ours to know.
fn wake_outside(book: MutexGuard<'_, Book>) {
    let driver = book.driver.clone();
    drop(book);
    if let Some(driver) = driver {
        driver.wake();
    }
}

impl Book {
    fn pages(&mut self) -> &mut Pages {
        self.pages.get_or_insert_default()
    }
}

impl Pages {
    /// Whether nothing but answers can help the handler on.
    fn is_waiting(&self) -> bool {
        !self.open.is_empty() && self.in_flight == 0
    }

    fn free_key(&mut self, name: &str) -> String {
        let mut key = name.to_owned();
        let mut use_number = 1_u32;
        while !self.taken.insert(key.clone()) {
            use_number += 1;
            key = format!("{name}-{use_number}");
        }
        key
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let book = self.book();
        f.debug_struct("Asked")
            .field("way", &self.way)
            .field("open", &book.pages.iter().flat_map(|pages| pages.open.keys()).collect::<Vec<_>>())
            .field("in_flight", &book.pages.as_ref().map_or(0, |pages| pages.in_flight))
            .finish_non_exhaustive()
    }
}

/// What came of putting a question.
#[derive(Debug)]
pub(super) enum Found {
    /// An earlier round brought the answer.
    Answer(RawJson),
    /// It is open, under this key.
    Open(String),
}

/// An effect that runs, or waits for the same effect running elsewhere. As long as it lives, the call is
/// not suspended.
pub(super) struct Running<'a> {
    asked: &'a Asked,
    pub(super) cell: Arc<OnceCell<RawJson>>,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let mut book = self.asked.book();
        let pages = book.pages();
        pages.in_flight = pages.in_flight.saturating_sub(1);
        wake_outside(book);
    }
}
