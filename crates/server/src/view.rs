//! What one client sees: what the server offers, and what is different in the client's session.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use hermes_types::Fault;

use crate::completion::{CompletionEntry, Owner};
use crate::prompt::PromptEntry;
use crate::registry::{Numbered, Registry, Shelf};
use crate::resource::{ResourceEntry, TemplateEntry};
use crate::tool::ToolEntry;

/// A client's view as it is now; later changes do not reach it.
///
/// Two snapshots side by side, never merged: a call looks into both, a list walks along both.
pub(crate) struct View {
    server: Arc<Registry>,
    session: Option<Arc<Registry>>,
}

impl View {
    pub(crate) const fn new(server: Arc<Registry>, session: Option<Arc<Registry>>) -> Self {
        Self { server, session }
    }

    /// The snapshot that everybody sees, if this client sees nothing else.
    pub(crate) const fn shared(&self) -> Option<&Arc<Registry>> {
        match self.session {
            None => Some(&self.server),
            Some(_) => None,
        }
    }

    fn shelves<'a, E>(&'a self, shelf: impl Fn(&'a Registry) -> &'a Shelf<E>) -> Shelves<'a, E> {
        Shelves { server: shelf(&self.server), session: self.session.as_deref().map(shelf) }
    }

    pub(crate) fn tools(&self) -> Shelves<'_, ToolEntry> {
        self.shelves(|registry| &registry.tools)
    }

    pub(crate) fn resources(&self) -> Shelves<'_, ResourceEntry> {
        self.shelves(|registry| &registry.resources)
    }

    pub(crate) fn templates(&self) -> Shelves<'_, TemplateEntry> {
        self.shelves(|registry| &registry.templates)
    }

    pub(crate) fn prompts(&self) -> Shelves<'_, PromptEntry> {
        self.shelves(|registry| &registry.prompts)
    }

    /// Whether resources or templates are declared.
    pub(crate) fn has_resources(&self) -> bool {
        self.resources().is_declared() || self.templates().is_declared()
    }

    /// Whether anything is completed.
    pub(crate) fn has_completions(&self) -> bool {
        !self.server.completions.is_empty()
            || self.prompts().after(None).any(|(_, prompt)| !prompt.completions.is_empty())
            || self.templates().after(None).any(|(_, template)| !template.completions.is_empty())
    }

    /// Who completes an argument: what the server says counts before what the component brought with it.
    pub(crate) fn completion(&self, owner: &Owner, argument: String) -> Option<Arc<CompletionEntry>> {
        let key = (owner.clone(), argument);
        let found = self.server.completions.get(&key).or_else(|| {
            let own = match owner {
                Owner::Prompt(name) => &self.prompts().find(name).ok()?.completions,
                Owner::Template(uri) => &self.templates().find(uri).ok()?.completions,
            };
            own.get(&key.1)
        });
        found.map(Arc::clone)
    }

    /// The template that a URI follows, the first that was added, and the variables in the URI.
    pub(crate) fn template_of(&self, uri: &str) -> Option<(Arc<TemplateEntry>, BTreeMap<String, String>)> {
        let templates = self.templates();
        let of_shelf = |shelf: &Shelf<TemplateEntry>| {
            let fits = |(name, it): (&str, &Numbered<TemplateEntry>)| {
                let variables = it.entry.variables_of(uri)?;
                templates.is_on(name).then(|| (it.number, Arc::clone(&it.entry), variables))
            };
            let first = shelf.after(None).filter_map(fits).min_by_key(|(number, ..)| *number)?;
            Some((first.1, first.2))
        };
        of_shelf(templates.server).or_else(|| of_shelf(templates.session?))
    }
}

/// The entries of one kind that a client sees: the server's own, then those of its session.
pub(crate) struct Shelves<'a, E> {
    server: &'a Shelf<E>,
    session: Option<&'a Shelf<E>>,
}

/// Why a client does not find what it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// It is there, and switched off.
    Disabled,
    /// It was there.
    Removed,
    /// Nobody knows it.
    Unknown,
}

impl Absent {
    /// The same for a client, about a `what` of this name.
    pub(crate) fn fault(self, what: &str, name: &str) -> Fault {
        Fault::invalid_params(match self {
            Self::Disabled => format!("the {what} {name} is disabled"),
            Self::Removed => format!("the {what} {name} was removed; ask for the list again"),
            Self::Unknown => format!("unknown {what}: {name}"),
        })
    }
}

impl<'a, E> Shelves<'a, E> {
    /// The entry with this name.
    pub(crate) fn find(&self, name: &str) -> Result<&'a Arc<E>, Absent> {
        let found = self.server.find(name).or_else(|| self.session?.find(name));
        match found {
            Some(found) if self.is_on(name) => Ok(&found.entry),
            Some(_) => Err(Absent::Disabled),
            None if self.has_lost(name) => Err(Absent::Removed),
            None => Err(Absent::Unknown),
        }
    }

    /// Whether a name is switched on: the session's word counts before the server's.
    fn is_on(&self, name: &str) -> bool {
        let in_session = self.session.and_then(|shelf| shelf.switch(name));
        in_session.or_else(|| self.server.switch(name)).unwrap_or(true)
    }

    fn has_lost(&self, name: &str) -> bool {
        self.server.has_lost(name) || self.session.is_some_and(|shelf| shelf.has_lost(name))
    }

    /// Whether there is an entry with this name or was one, as far as that is remembered.
    pub(crate) fn knows(&self, name: &str) -> bool {
        !matches!(self.find(name), Err(Absent::Unknown))
    }

    /// The entries after this name (all of them without one), sorted by name.
    pub(crate) fn after(&self, name: Option<&str>) -> impl Iterator<Item = (&'a str, &'a Arc<E>)> {
        let merged = Merged {
            server: self.server.after(name).peekable(),
            session: self.session.map(|shelf| shelf.after(name)).into_iter().flatten().peekable(),
        };
        merged.filter(|(name, _)| self.is_on(name)).map(|(name, it)| (name, &it.entry))
    }

    /// Whether the capability is declared, and its methods answer.
    pub(crate) fn is_declared(&self) -> bool {
        self.server.is_declared() || self.session.is_some_and(Shelf::is_declared)
    }
}

/// Two sorted lists as one. Of two entries with one name the server's is given.
struct Merged<A: Iterator, B: Iterator> {
    server: Peekable<A>,
    session: Peekable<B>,
}

impl<'a, T: 'a, A, B> Iterator for Merged<A, B>
where
    A: Iterator<Item = (&'a str, T)>,
    B: Iterator<Item = (&'a str, T)>,
{
    type Item = (&'a str, T);

    fn next(&mut self) -> Option<Self::Item> {
        match (self.server.peek(), self.session.peek()) {
            (Some((server, _)), Some((session, _))) if session < server => self.session.next(),
            (Some((server, _)), Some((session, _))) => {
                if server == session {
                    self.session.next();
                }
                self.server.next()
            }
            (Some(_), None) => self.server.next(),
            (None, _) => self.session.next(),
        }
    }
}
