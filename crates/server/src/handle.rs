//! What can be changed and said while a server runs.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use hermes_types::{LoggingLevel, Prompt, RawJson, Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::completion::{Completing, CompletionEntry, IntoCompletion, Owner};
use crate::component::{Component, IntoComponent, Part};
use crate::context::Context;
use crate::hub::Hub;
use crate::output::IntoToolResult;
use crate::prompt::IntoPrompt;
use crate::resource::IntoResource;
use crate::session_handle::SessionHandle;
use crate::tool::ToolDef;

/// Changes what a running server offers, tells those who asked for it, and knows who is connected.
///
/// A cheap clone, to be used from any task. Changes reach every connection: legacy sessions, and the modern listen
/// streams that asked for that kind of change. Whoever sees no difference is told nothing. Calls in flight go on with
/// what they have found.
///
/// Names are unique, and the first to take one keeps it: adding another is refused with `false`, and
/// [`replace`](Self::replace) says that it is meant. Lists are sorted by name.
///
/// Inside a handler use [`Context::server`], so that the server does not hold itself.
///
/// ```
/// use hermes_server::{Component, Part, Server};
/// use hermes_types::{LoggingLevel, Resource};
///
/// let server = Server::new("demo", "0.1.0").tool("wipe", |(): (), _| async { "all gone" });
/// let handle = server.handle();
///
/// // From here on in any task of the program, as long as the server runs.
/// handle.add(Component::resource(Resource::new("demo://a", "a"), |_| async { "A" }));
/// handle.resource_updated("demo://a");
/// handle.disable(Part::Tool("wipe"));
/// for session in handle.sessions() {
///     session.log(LoggingLevel::Notice, "wiping has to wait");
/// }
/// assert!(handle.remove(Part::Resource("demo://a")));
/// ```
#[derive(Clone)]
pub struct ServerHandle(Arc<Hub>);

impl ServerHandle {
    pub(crate) const fn new(hub: Arc<Hub>) -> Self {
        Self(hub)
    }

    /// Adds a component, unless its name is taken; whether it was added. What is wrong with it is told in the log.
    pub fn add<K>(&self, component: impl IntoComponent<K>) -> bool {
        let component = component.into_component();
        component.tell_flaws();
        self.insert(component)
    }

    /// The same for a component whose flaws are told elsewhere.
    pub(crate) fn insert(&self, component: Component) -> bool {
        let name = component.part().name().to_owned();
        let added = self.0.add(component);
        if !added {
            tracing::warn!(name, "the name is taken: the first to have it keeps it");
        }
        added
    }

    /// Adds a component, in the place of the one with the same name if there is one; whether there was. No call
    /// finds the name free meanwhile.
    pub fn replace<K>(&self, component: impl IntoComponent<K>) -> bool {
        let component = component.into_component();
        component.tell_flaws();
        self.0.replace(component)
    }

    /// Takes a part out; whether it was there. Who still uses it is told that it was removed.
    pub fn remove(&self, part: Part<'_>) -> bool {
        self.0.remove(part)
    }

    /// Shows a part again that was switched off. Whether that is new. Sessions that
    /// [have their own word](SessionHandle::disable) about it keep it.
    pub fn enable(&self, part: Part<'_>) -> bool {
        self.0.switch(part, true)
    }

    /// Hides a part: it is in no list, and whoever uses it is told that it is disabled. Whether that is new.
    ///
    /// It may be said before the part is there. [`SessionHandle::enable`] shows it in one session all the same.
    pub fn disable(&self, part: Part<'_>) -> bool {
        self.0.switch(part, false)
    }

    /// Adds a tool, unless its name is taken; whether it was added. See [`Server::tool`](crate::Server::tool).
    pub fn add_tool<T, F, Fut, R>(&self, def: impl Into<ToolDef>, handler: F) -> bool
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.add(Component::tool(def, handler))
    }

    /// Adds a tool with its own JSON Schemas, unless its name is taken; whether it was added. See
    /// [`Server::raw_tool`](crate::Server::raw_tool).
    pub fn add_raw_tool<F, Fut, R>(&self, def: impl Into<ToolDef>, handler: F) -> bool
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.add(Component::raw_tool(def, handler))
    }

    /// Removes a tool; whether it was there.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.remove(Part::Tool(name))
    }

    /// Adds a resource, unless its URI is taken; whether it was added. See
    /// [`Server::resource`](crate::Server::resource).
    pub fn add_resource<F, Fut, R>(&self, resource: Resource, handler: F) -> bool
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        self.add(Component::resource(resource, handler))
    }

    /// Removes a resource; whether it was there.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.remove(Part::Resource(uri))
    }

    /// Adds a template, unless its pattern is taken; whether it was added. See
    /// [`Server::template`](crate::Server::template).
    pub fn add_template<T, F, Fut, R>(&self, template: ResourceTemplate, handler: F) -> bool
    where
        T: DeserializeOwned + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        self.add(Component::template(template, handler))
    }

    /// Removes a template, by its pattern; whether it was there.
    pub fn remove_template(&self, uri_template: &str) -> bool {
        self.remove(Part::Template(uri_template))
    }

    /// Adds a prompt, unless its name is taken; whether it was added. See
    /// [`Server::prompt`](crate::Server::prompt).
    pub fn add_prompt<T, F, Fut, R>(&self, prompt: Prompt, handler: F) -> bool
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoPrompt + 'static,
    {
        self.add(Component::prompt(prompt, handler))
    }

    /// Removes a prompt; whether it was there.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.remove(Part::Prompt(name))
    }

    /// Completes an argument of a prompt; see [`Server::complete_prompt`](crate::Server::complete_prompt).
    pub fn add_prompt_completion<F, Fut, R>(
        &self,
        prompt: impl Into<String>,
        argument: impl Into<String>,
        handler: F,
    ) where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        self.put_completion(Owner::Prompt(prompt.into()), argument.into(), CompletionEntry::new(handler));
    }

    /// Completes a variable of a template; see
    /// [`Server::complete_template`](crate::Server::complete_template).
    pub fn add_template_completion<F, Fut, R>(
        &self,
        uri_template: impl Into<String>,
        variable: impl Into<String>,
        handler: F,
    ) where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        self.put_completion(
            Owner::Template(uri_template.into()),
            variable.into(),
            CompletionEntry::new(handler),
        );
    }

    fn put_completion(&self, owner: Owner, argument: String, entry: CompletionEntry) {
        self.0.catalog.change(|registry| registry.completions.insert((owner, argument), Arc::new(entry)));
    }

    /// Says that the contents of a resource changed, to those who have subscribed to it.
    ///
    /// Several changes that a client has not read of yet are told once.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.0.tell_updated(uri.into());
    }

    /// The sessions that are open, the oldest first, over all connections of this server and its clones.
    ///
    /// Clients of the modern era have none: each of their requests stands alone.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionHandle> {
        self.0.sessions()
    }

    /// Sends a log message to every session that wants to hear of this level; `data` is any JSON, often a text.
    ///
    /// A modern client hears only of what is logged by its own requests: [`Context::log`]. Never waits: for a client
    /// that does not read, it is dropped. Never log secrets: clients may show everything to anybody.
    ///
    /// Source: `server/utilities/logging`, up to 2025-11-25.
    #[expect(clippy::needless_pass_by_value, reason = "a level is given in the same way everywhere")]
    pub fn log<T: Serialize + ?Sized>(&self, level: LoggingLevel, data: &T) {
        for session in self.sessions() {
            session.log(level.clone(), data);
        }
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerHandle")
    }
}
