//! What is in force now, and the connections that hear when it changes.

use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use hermes_proto::channel::Change;
use hermes_proto::opening::Handshake;
use hermes_types::ServerCapabilities;

use crate::alike::Alike;
use crate::component::{Component, Part};
use crate::link::Link;
use crate::registry::{Registry, Standing};
use crate::session_handle::SessionHandle;
use crate::tool::BoxFuture;
use crate::view::View;

/// A registry that is read as a snapshot and changed as a whole.
#[derive(Default)]
pub(crate) struct Catalog(RwLock<Arc<Registry>>);

impl Catalog {
    /// The registry as it is now; later changes do not reach it.
    pub(crate) fn now(&self) -> Arc<Registry> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes the registry. Calls in flight go on with what they have found.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        let mut registry = self.0.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut registry))
    }
}

/// Looks into where resources come from, and tells the hub what has changed there.
pub(crate) type Source = Arc<dyn Fn(Arc<Hub>) -> BoxFuture<()> + Send + Sync>;

/// What a server offers, and everybody who is to hear when that changes.
#[derive(Default)]
pub(crate) struct Hub {
    pub(crate) catalog: Catalog,
    links: Mutex<Links>,
    /// Where more resources come from: directories whose files are offered.
    pub(crate) sources: RwLock<Vec<Source>>,
    /// What clients said of themselves.
    pub(crate) handshakes: Alike<Handshake>,
    /// What clients were told that the server can do.
    pub(crate) declared: Alike<ServerCapabilities>,
}

/// Those who are to hear of changes.
#[derive(Default)]
struct Links {
    all: Vec<Weak<dyn Link>>,
    /// How many there may be before the dead ones are swept out: sweeping at each newcomer would cost as much
    /// as there are links, every time.
    sweep_at: usize,
}

impl Hub {
    /// What the client on this way sees. `modern` clients have no session.
    pub(crate) fn view(&self, link: &dyn Link, modern: bool) -> View {
        let session = link.session().filter(|_| !modern);
        View::new(self.catalog.now(), session.and_then(|session| session.catalog()))
    }

    /// Adds a component unless its name is taken; whether it was added.
    pub(crate) fn add(&self, component: Component) -> bool {
        self.changing(component, Registry::insert)
    }

    /// Adds a component, in the place of the one with the same name if there is one; whether there was.
    pub(crate) fn replace(&self, component: Component) -> bool {
        self.changing(component, |registry, component| {
            let was_there = registry.remove(component.part());
            registry.insert(component);
            was_there
        })
    }

    /// What has to be looked into before resources are listed.
    pub(crate) fn sources(&self) -> Vec<Source> {
        self.sources.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn changing(&self, component: Component, change: impl FnOnce(&mut Registry, Component) -> bool) -> bool {
        let name = component.part().name().to_owned();
        let part = component.part().named(&name);
        self.shift(part, |registry| change(registry, component))
    }

    /// Takes a part out; whether it was there.
    pub(crate) fn remove(&self, part: Part<'_>) -> bool {
        self.shift(part, |registry| registry.remove(part))
    }

    /// Switches a part on or off.
    pub(crate) fn switch(&self, part: Part<'_>, on: bool) -> bool {
        let is_on = |registry: &Registry| registry.standing(part).is_on();
        self.shift(part, |registry| {
            let differs = is_on(registry) != on;
            registry.switch(part, on);
            differs
        })
    }

    /// Changes one part, and tells those who see something else under its name now.
    fn shift<T>(&self, part: Part<'_>, change: impl FnOnce(&mut Registry) -> T) -> T {
        let (before, result, after) = self.catalog.change(|registry| {
            let before = registry.standing(part);
            let result = change(registry);
            (before, result, registry.standing(part))
        });
        if before != after {
            self.tell_shift(part, before, after);
        }
        result
    }

    fn tell_shift(&self, part: Part<'_>, before: Standing, after: Standing) {
        let change = part.change();
        let all_hear = before.seen() != after.seen();
        for link in self.links() {
            let own = link.session().map(|session| session.standing(part));
            if own.is_some_and(|own| before.seen_in(own) != after.seen_in(own)) {
                link.tell_session(&change);
            }
            if all_hear {
                link.tell_listeners(&change);
            }
        }
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

    fn links(&self) -> Vec<Arc<dyn Link>> {
        let links = self.links.lock().unwrap_or_else(PoisonError::into_inner);
        links.all.iter().filter_map(Weak::upgrade).collect()
    }

    /// The sessions that are open, in the order in which they were opened.
    pub(crate) fn sessions(&self) -> Vec<SessionHandle> {
        let handle =
            |link: Arc<dyn Link>| link.session().filter(|_| link.is_open()).map(|it| it.handle.clone());
        let mut sessions: Vec<_> = self.links().into_iter().filter_map(handle).collect();
        sessions.sort_by_key(SessionHandle::number);
        sessions
    }

    /// Tells every connection that the contents of a resource changed; each knows who on it asked for that.
    pub(crate) fn tell_updated(&self, uri: String) {
        let change = Change::Resource(uri);
        for link in self.links() {
            link.tell_session(&change);
            link.tell_listeners(&change);
        }
    }
}
