//! What a server offers: immutable snapshots, swapped as a whole when something changes.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use hermes_proto::channel::Change;

use crate::completion::{CompletionEntry, Owner};
use crate::link::Link;
use crate::prompt::PromptEntry;
use crate::resource::{ResourceEntry, TemplateEntry};
use crate::tool::ToolEntry;

/// Entries by name, in the order of their registration.
///
/// Every entry has a number that is never used again, so that a page can go on after the last entry of the
/// page before, whatever was added or removed meanwhile.
pub(crate) struct Shelf<E> {
    by_number: BTreeMap<u64, Arc<E>>,
    by_name: HashMap<String, u64>,
    next: u64,
}

impl<E> Clone for Shelf<E> {
    fn clone(&self) -> Self {
        Self { by_number: self.by_number.clone(), by_name: self.by_name.clone(), next: self.next }
    }
}

impl<E> Default for Shelf<E> {
    fn default() -> Self {
        Self { by_number: BTreeMap::new(), by_name: HashMap::new(), next: 0 }
    }
}

impl<E> Shelf<E> {
    /// Adds an entry, or puts it in the place of the one with the same name; whether there was one.
    pub(crate) fn insert(&mut self, name: String, entry: E) -> bool {
        let next = self.next;
        let number = *self.by_name.entry(name).or_insert(next);
        self.next = self.next.max(number + 1);
        self.by_number.insert(number, Arc::new(entry)).is_some()
    }

    /// Takes an entry out; whether it was there.
    pub(crate) fn remove(&mut self, name: &str) -> bool {
        self.by_name.remove(name).is_some_and(|number| self.by_number.remove(&number).is_some())
    }

    /// The entry with this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Arc<E>> {
        self.by_number.get(self.by_name.get(name)?)
    }

    /// The entries after this number (all of them without one), with their numbers.
    pub(crate) fn after(&self, number: Option<u64>) -> impl Iterator<Item = (u64, &Arc<E>)> {
        let from = number.map_or(0, |number| number.saturating_add(1));
        self.by_number.range(from..).map(|(number, entry)| (*number, entry))
    }

    /// Whether this number was ever given to an entry.
    pub(crate) const fn has_numbered(&self, number: u64) -> bool {
        number < self.next
    }

    /// Whether there was ever an entry: then the capability is declared, and its methods answer.
    pub(crate) const fn is_used(&self) -> bool {
        self.next > 0
    }
}

/// Everything a server offers.
#[derive(Clone, Default)]
pub(crate) struct Registry {
    pub(crate) tools: Shelf<ToolEntry>,
    pub(crate) resources: Shelf<ResourceEntry>,
    pub(crate) templates: Shelf<TemplateEntry>,
    pub(crate) prompts: Shelf<PromptEntry>,
    pub(crate) completions: HashMap<(Owner, String), Arc<CompletionEntry>>,
}

impl Registry {
    /// Whether there was ever a resource or a template.
    pub(crate) const fn has_resources(&self) -> bool {
        self.resources.is_used() || self.templates.is_used()
    }
}

/// The registry in force, and the connections that are to hear when it changes.
#[derive(Default)]
pub(crate) struct Offer {
    registry: RwLock<Arc<Registry>>,
    links: Mutex<Links>,
}

/// Those who are to hear of changes.
#[derive(Default)]
struct Links {
    all: Vec<Weak<dyn Link>>,
    /// How many there may be before the dead ones are swept out: sweeping at each newcomer would cost as much
    /// as there are links, every time.
    sweep_at: usize,
}

impl Offer {
    /// The registry as it is now; later changes do not reach it.
    pub(crate) fn now(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the registry. Calls in flight go on with what they have found.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut registry = self.registry.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut registry))
    }

    /// A connection wants to hear of changes, as long as it lives.
    pub(crate) fn join(&self, link: &Arc<dyn Link>) {
        let mut links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        if links.all.len() >= links.sweep_at {
            links.all.retain(|link| link.strong_count() > 0);
            links.sweep_at = 2 * links.all.len() + 16;
        }
        links.all.push(Arc::downgrade(link));
    }

    /// Tells every connection of a change; each knows who on it asked for that.
    pub(crate) fn tell(&self, change: &Change) {
        let links: Vec<_> = {
            let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
            links.all.iter().filter_map(Weak::upgrade).collect()
        };
        links.iter().for_each(|link| link.tell(change));
    }
}
