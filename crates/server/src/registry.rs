//! What a server, or one session of it, offers: an immutable snapshot, swapped as a whole when something changes.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use crate::completion::{CompletionEntry, Owner};
use crate::component::{Component, Entry, Part};
use crate::prompt::PromptEntry;
use crate::resource::{ResourceEntry, TemplateEntry};
use crate::tool::ToolEntry;

/// How many names of removed entries are remembered, so that a client that still uses one is told.
const REMEMBERED: usize = 256;

/// Entries of one kind, sorted by the name that clients know them by.
pub(crate) struct Shelf<E> {
    entries: BTreeMap<String, Numbered<E>>,
    /// What was switched on or off, whether or not there is an entry of that name.
    switches: BTreeMap<String, bool>,
    /// Names of entries that were removed, the oldest first.
    gone: VecDeque<String>,
    next: u64,
    declared: bool,
}

/// An entry, with a number that tells which came first and is never used again.
pub(crate) struct Numbered<E> {
    pub(crate) number: u64,
    pub(crate) entry: Arc<E>,
}

impl<E> Clone for Numbered<E> {
    fn clone(&self) -> Self {
        Self { number: self.number, entry: Arc::clone(&self.entry) }
    }
}

impl<E> Clone for Shelf<E> {
    fn clone(&self) -> Self {
        Self {
            entries: self.entries.clone(),
            switches: self.switches.clone(),
            gone: self.gone.clone(),
            next: self.next,
            declared: self.declared,
        }
    }
}

impl<E> Default for Shelf<E> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            switches: BTreeMap::new(),
            gone: VecDeque::new(),
            next: 0,
            declared: false,
        }
    }
}

impl<E> Shelf<E> {
    /// Adds an entry; gives it back when its name is taken.
    fn insert(&mut self, name: String, entry: E) -> Result<(), E> {
        if self.entries.contains_key(&name) {
            return Err(entry);
        }
        self.put(name, entry);
        Ok(())
    }

    /// Adds an entry, or puts it in the place of the one with the same name.
    fn put(&mut self, name: String, entry: E) {
        let number = self.next;
        self.next += 1;
        self.declared = true;
        self.entries.insert(name, Numbered { number, entry: Arc::new(entry) });
    }

    /// Takes an entry out; whether it was there.
    fn remove(&mut self, name: &str) -> bool {
        let Some((name, _)) = self.entries.remove_entry(name) else { return false };
        if self.gone.len() == REMEMBERED {
            self.gone.pop_front();
        }
        self.gone.push_back(name);
        true
    }

    /// The entry with this name.
    pub(crate) fn find(&self, name: &str) -> Option<&Numbered<E>> {
        self.entries.get(name)
    }

    /// The entries after this name (all of them without one), with their names.
    pub(crate) fn after<'a>(
        &'a self,
        name: Option<&str>,
    ) -> impl Iterator<Item = (&'a str, &'a Numbered<E>)> {
        use std::ops::Bound;
        let from = name.map_or(Bound::Unbounded, Bound::Excluded);
        self.entries.range::<str, _>((from, Bound::Unbounded)).map(|(name, entry)| (name.as_str(), entry))
    }

    /// Whether this name was switched on or off.
    pub(crate) fn switch(&self, name: &str) -> Option<bool> {
        // Most shelves have no switches, and this is asked for every call.
        if self.switches.is_empty() { None } else { self.switches.get(name).copied() }
    }

    /// Whether an entry with this name was removed, as far as that is remembered.
    pub(crate) fn has_lost(&self, name: &str) -> bool {
        self.gone.iter().any(|gone| gone == name)
    }

    /// Whether the capability is declared, and its methods answer: there was an entry once, or there will be.
    pub(crate) const fn is_declared(&self) -> bool {
        self.declared
    }

    /// There will be entries.
    pub(crate) const fn declare(&mut self) {
        self.declared = true;
    }
}

/// A shelf, whatever its entries are.
trait AnyShelf {
    fn standing(&self, name: &str) -> Standing;
    fn remove(&mut self, name: &str) -> bool;
    fn set_switch(&mut self, name: &str, on: bool);
}

impl<E> AnyShelf for Shelf<E> {
    fn standing(&self, name: &str) -> Standing {
        Standing { entry: self.find(name).map(|entry| entry.number), switch: self.switch(name) }
    }

    fn remove(&mut self, name: &str) -> bool {
        Self::remove(self, name)
    }

    fn set_switch(&mut self, name: &str, on: bool) {
        self.switches.insert(name.to_owned(), on);
    }
}

/// How a name stands on a shelf.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The number of its entry.
    entry: Option<u64>,
    switch: Option<bool>,
}

/// What a client sees under a name: the server's entry or its session's own, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Servers(u64),
    Sessions(u64),
}

impl Standing {
    /// Whether nothing switched it off.
    pub(crate) fn is_on(self) -> bool {
        self.switch != Some(false)
    }

    /// Whether there is an entry.
    pub(crate) const fn has_entry(self) -> bool {
        self.entry.is_some()
    }

    /// Whether a session in which a name stands so has it on, when it stands otherwise on its server.
    pub(crate) fn is_on_beside(self, server: Self) -> bool {
        self.switch.or(server.switch) != Some(false)
    }

    /// What a client sees that has no session, or one in which nothing is different.
    pub(crate) fn seen(self) -> Option<Seen> {
        self.entry.filter(|_| self.is_on()).map(Seen::Servers)
    }

    /// What a client sees in whose session the name stands so. The server's own entry comes first; the session's
    /// switch does.
    pub(crate) fn seen_in(self, session: Self) -> Option<Seen> {
        let entry = self.entry.map(Seen::Servers).or_else(|| session.entry.map(Seen::Sessions));
        entry.filter(|_| session.is_on_beside(self))
    }
}

/// Everything that a server, or one session of it, offers.
#[derive(Clone, Default)]
pub(crate) struct Registry {
    pub(crate) tools: Shelf<ToolEntry>,
    pub(crate) resources: Shelf<ResourceEntry>,
    pub(crate) templates: Shelf<TemplateEntry>,
    pub(crate) prompts: Shelf<PromptEntry>,
    pub(crate) completions: HashMap<(Owner, String), Arc<CompletionEntry>>,
}

impl Registry {
    /// Adds a component, unless its name is taken; whether it was added.
    pub(crate) fn insert(&mut self, component: Component) -> bool {
        match component.entry {
            Entry::Prompt(entry) => self.prompts.insert(entry.prompt.name.clone(), *entry).is_ok(),
            Entry::Resource(entry) => self.resources.insert(entry.resource.uri.clone(), *entry).is_ok(),
            Entry::Template(entry) => {
                self.templates.insert(entry.template.uri_template.clone(), *entry).is_ok()
            }
            Entry::Tool(entry) => self.tools.insert(entry.tool.name.clone(), *entry).is_ok(),
        }
    }

    /// Takes a part out; whether it was there.
    pub(crate) fn remove(&mut self, part: Part<'_>) -> bool {
        self.shelf_mut(part).remove(part.name())
    }

    /// Switches a part on or off.
    pub(crate) fn switch(&mut self, part: Part<'_>, on: bool) {
        self.shelf_mut(part).set_switch(part.name(), on);
    }

    /// How a part stands.
    pub(crate) fn standing(&self, part: Part<'_>) -> Standing {
        let shelf: &dyn AnyShelf = match part {
            Part::Prompt(_) => &self.prompts,
            Part::Resource(_) => &self.resources,
            Part::Template(_) => &self.templates,
            Part::Tool(_) => &self.tools,
        };
        shelf.standing(part.name())
    }

    fn shelf_mut(&mut self, part: Part<'_>) -> &mut dyn AnyShelf {
        match part {
            Part::Prompt(_) => &mut self.prompts,
            Part::Resource(_) => &mut self.resources,
            Part::Template(_) => &mut self.templates,
            Part::Tool(_) => &mut self.tools,
        }
    }
}
