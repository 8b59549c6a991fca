//! Who on this channel wants to hear of which change.

use std::collections::{BTreeMap, BTreeSet};

use hermes_types::{Method, RequestId};

use super::CallId;

/// Something that changed on the server.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The list of prompts.
    Prompts,
    /// The contents of the resource with this URI.
    Resource(String),
    /// The list of resources, or that of the templates.
    Resources,
    /// The list of tools.
    Tools,
}

impl Change {
    /// The notification that tells of it.
    #[must_use]
    pub const fn method(&self) -> Method {
        match self {
            Self::Prompts => Method::PromptsListChanged,
            Self::Resource(_) => Method::ResourcesUpdated,
            Self::Resources => Method::ResourcesListChanged,
            Self::Tools => Method::ToolsListChanged,
        }
    }
}

/// What one listen stream carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Changes of the list of prompts.
    pub prompts: bool,
    /// Changes of the lists of resources and templates.
    pub resources: bool,
    /// Changes of the list of tools.
    pub tools: bool,
    /// Changes of the contents of these resources.
    pub uris: BTreeSet<String>,
}

impl Filter {
    /// Whether nothing is asked for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !(self.prompts || self.resources || self.tools) && self.uris.is_empty()
    }

    /// Whether the change is asked for.
    #[must_use]
    pub fn admits(&self, change: &Change) -> bool {
        match change {
            Change::Prompts => self.prompts,
            Change::Resource(uri) => self.uris.contains(uri),
            Change::Resources => self.resources,
            Change::Tools => self.tools,
        }
    }
}

/// The most resources that one channel may be subscribed to, over its session and all listen streams.
pub const MAX_SUBSCRIBED: usize = 4096;

/// The channel is subscribed to [`MAX_SUBSCRIBED`] resources already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManySubscriptions;

impl std::fmt::Display for TooManySubscriptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "more than {MAX_SUBSCRIBED} resources subscribed to on one connection")
    }
}

impl std::error::Error for TooManySubscriptions {}

/// The subscriptions of one channel: resources of the legacy session, and the modern listen streams.
///
/// Sources: `server/resources#subscriptions` (up to 2025-11-25), `basic/patterns/subscriptions` (2026-07-28).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Subscriptions {
    session: BTreeSet<String>,
    listens: BTreeMap<CallId, (RequestId, Filter)>,
}

impl Subscriptions {
    pub(super) const fn new() -> Self {
        Self { session: BTreeSet::new(), listens: BTreeMap::new() }
    }

    pub(super) fn subscribe(&mut self, uri: String) -> Result<(), TooManySubscriptions> {
        self.admit(usize::from(!self.session.contains(&uri)))?;
        self.session.insert(uri);
        Ok(())
    }

    pub(super) fn unsubscribe(&mut self, uri: &str) {
        self.session.remove(uri);
    }

    /// What the legacy session wants to hear of.
    pub(super) fn of_session(&self) -> impl Iterator<Item = &str> {
        self.session.iter().map(String::as_str)
    }

    pub(super) fn listen(
        &mut self,
        call: CallId,
        id: RequestId,
        filter: Filter,
    ) -> Result<(), TooManySubscriptions> {
        self.admit(filter.uris.len())?;
        self.listens.insert(call, (id, filter));
        Ok(())
    }

    fn admit(&self, more: usize) -> Result<(), TooManySubscriptions> {
        let listened: usize = self.listens.values().map(|(_, filter)| filter.uris.len()).sum();
        let subscribed = self.session.len().saturating_add(listened).saturating_add(more);
        if subscribed > MAX_SUBSCRIBED { Err(TooManySubscriptions) } else { Ok(()) }
    }

    pub(super) fn end(&mut self, call: CallId) {
        self.listens.remove(&call);
    }

    /// Whether the legacy session is to hear of it: lists by capability, resources by subscription.
    pub(super) fn session_wants(&self, change: &Change) -> bool {
        match change {
            Change::Resource(uri) => self.session.contains(uri),
            Change::Prompts | Change::Resources | Change::Tools => true,
        }
    }

    /// The listen streams that asked for it, by the id of their request.
    pub(super) fn listeners<'a>(&'a self, change: &'a Change) -> impl Iterator<Item = &'a RequestId> {
        self.listens.values().filter(|(_, filter)| filter.admits(change)).map(|(id, _)| id)
    }

    pub(super) fn listens(&self) -> impl Iterator<Item = (CallId, &RequestId)> {
        self.listens.iter().map(|(call, (id, _))| (*call, id))
    }
}
