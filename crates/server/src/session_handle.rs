//! One legacy session, as the rest of the program sees it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use hermes_proto::channel::Change;
use hermes_proto::opening::Handshake;
use hermes_types::{ClientCapabilities, Implementation, LoggingLevel, Revision};
use serde::Serialize;

use crate::component::{IntoComponent, Part};
use crate::hub::Hub;
use crate::link::Link;
use crate::news::log_message;
use crate::registry::{Registry, Standing};
use crate::session::Session;

/// One session of one client: what is offered in it, what is said in it, and what it keeps.
///
/// A cheap clone, to be used from any task; it does not keep the session alive. Two handles are equal when they are
/// of the same session. In the modern era there are no sessions: what differs between clients there is decided for
/// each request, by a [layer](crate::Server::layer).
///
/// Source: `basic/lifecycle`, up to 2025-11-25.
///
/// ```
/// use hermes_server::{Component, Context, Part, Server, ToolError};
///
/// async fn log_in((): (), ctx: Context) -> Result<&'static str, ToolError> {
///     let session = ctx.session().ok_or("there are no sessions in this revision")?;
///     session.enable(Part::Tool("wipe"));
///     session.add(Component::tool("log_out", |(): (), _: Context| async { "bye" }));
///     Ok("welcome")
/// }
///
/// let server = Server::new("demo", "0.1.0").tool("log_in", log_in).tool("wipe", |(): (), _: Context| async {});
/// server.handle().disable(Part::Tool("wipe"));
/// ```
#[derive(Clone)]
pub struct SessionHandle {
    link: Weak<dyn Link>,
    hub: Weak<Hub>,
    client: Arc<Handshake>,
    number: u64,
}

impl SessionHandle {
    pub(crate) fn new(link: &Arc<dyn Link>, hub: &Arc<Hub>, client: Handshake) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let client = hub.handshakes.one(client);
        Self { link: Arc::downgrade(link), hub: Arc::downgrade(hub), client, number }
    }

    /// What the server offers; `None` once it is gone.
    pub(crate) fn hub(&self) -> Option<Arc<Hub>> {
        self.hub.upgrade()
    }

    /// A number that no other session of this process has. It is no secret, and no id that clients know.
    #[must_use]
    pub const fn number(&self) -> u64 {
        self.number
    }

    /// What traces and logs call the session.
    pub(crate) fn label(&self) -> String {
        let label = self.link.upgrade().and_then(|link| link.session_label());
        label.unwrap_or_else(|| self.number.to_string())
    }

    /// What the session speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.client.revision
    }

    /// Who the client says it is: for display and logs, never for a decision.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        self.client.client_info.as_ref()
    }

    /// What the client can do.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        &self.client.client_capabilities
    }

    /// Whom the client was authenticated as, if something in front of the server did that; nobody once the session
    /// is over.
    #[must_use]
    pub fn principal(&self) -> Option<String> {
        self.link.upgrade()?.principal().map(str::to_owned)
    }

    /// Whether the session goes on.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.link.upgrade().is_some_and(|link| link.is_open())
    }

    /// The value of type `T` that belongs to this session, made by `Default` when first asked for; `None` once the
    /// session is over. No two sessions share one.
    #[must_use]
    pub fn data<T: Default + Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.with(|_, session| session.states.value())
    }

    /// Offers something in this session only. Whether it was added: a name that the server or the session has
    /// already stays what it is.
    ///
    /// The client hears that its list has changed, if it was told of such lists when it came:
    /// [`Server::declare_tools`](crate::Server::declare_tools).
    pub fn add<K>(&self, component: impl IntoComponent<K>) -> bool {
        let component = component.into_component();
        component.tell_flaws();
        let name = component.part().name().to_owned();
        let part = component.part().named(&name);
        self.shift(part, |servers, registry| !servers.has_entry() && registry.insert(component))
    }

    /// Takes back what was offered in this session only; whether it was there.
    pub fn remove(&self, part: Part<'_>) -> bool {
        self.shift(part, |_, registry| registry.remove(part))
    }

    /// Shows a part in this session, although the server has it switched off. Whether that is new.
    pub fn enable(&self, part: Part<'_>) -> bool {
        self.switch(part, true)
    }

    /// Hides a part in this session: it is in no list, and whoever uses it is told that it is disabled. Whether
    /// that is new. Calls in flight go on.
    pub fn disable(&self, part: Part<'_>) -> bool {
        self.switch(part, false)
    }

    fn switch(&self, part: Part<'_>, on: bool) -> bool {
        self.shift(part, |servers, registry| {
            let differs = registry.standing(part).is_on_beside(servers) != on;
            registry.switch(part, on);
            differs
        })
    }

    /// Changes one part of what this session sees, and tells its client if that is something else now. The change is
    /// also given how the part stands on the server.
    fn shift(&self, part: Part<'_>, change: impl FnOnce(Standing, &mut Registry) -> bool) -> bool {
        let Some(hub) = self.hub.upgrade() else { return false };
        let servers = hub.catalog.now().standing(part);
        self.with(|link, session| {
            let (before, result, after) = session.change(|registry| {
                let before = registry.standing(part);
                let result = change(servers, registry);
                (before, result, registry.standing(part))
            });
            if servers.seen_in(before) != servers.seen_in(after) {
                link.tell_session(&part.change());
            }
            result
        })
        .unwrap_or_default()
    }

    /// Says that the contents of a resource changed, to this client if it has subscribed to it.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.with(|link, _| link.tell_session(&Change::Resource(uri.into())));
    }

    /// Sends a log message to this client, if it wants to hear of this level; `data` is any JSON, often a text.
    ///
    /// Never waits: when the client does not read, it is dropped. Never log secrets.
    ///
    /// Source: `server/utilities/logging`, up to 2025-11-25.
    pub fn log<T: Serialize + ?Sized>(&self, level: LoggingLevel, data: &T) {
        self.with(|link, session| {
            if session.wants_log(&level)
                && link.settings().logging
                && let Some(text) = log_message(self.client.revision, level, None, data)
            {
                link.note_session(text);
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&dyn Link, &Session) -> T) -> Option<T> {
        let link = self.link.upgrade().filter(|link| link.is_open())?;
        let session = link.session()?;
        Some(work(&*link, session))
    }
}

impl PartialEq for SessionHandle {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

impl Eq for SessionHandle {}

impl Hash for SessionHandle {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.number.hash(state);
    }
}

impl fmt::Debug for SessionHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionHandle")
            .field("number", &self.number)
            .field("revision", &self.client.revision)
            .finish_non_exhaustive()
    }
}
