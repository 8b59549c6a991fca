//! What can be changed and said while a server runs.

use std::fmt;
use std::future::Future;
use std::sync::Arc;

use hermes_proto::channel::Change;
use hermes_types::{Prompt, RawJson, Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::completion::{Completing, CompletionEntry, IntoCompletion, Owner};
use crate::context::Context;
use crate::output::IntoToolResult;
use crate::prompt::{IntoPrompt, PromptEntry};
use crate::registry::Offer;
use crate::resource::{IntoResource, ResourceEntry, TemplateEntry};
use crate::tool::{ToolDef, ToolEntry};

/// Changes what a running server offers, and tells those who asked for it.
///
/// A cheap clone. Changes reach every connection: legacy sessions, and the modern listen streams that asked
/// for that kind of change. Calls in flight go on with what they have found.
///
/// Inside a handler use [`Context::server`], so that the server does not hold itself.
///
/// ```
/// use hermes_server::Server;
///
/// let server = Server::new("demo", "0.1.0");
/// let handle = server.handle();
/// handle.add_resource(hermes_types::Resource::new("demo://a", "a"), |_| async { "A" });
/// handle.resource_updated("demo://a");
/// assert!(handle.remove_resource("demo://a"));
/// ```
#[derive(Clone)]
pub struct ServerHandle(Arc<Offer>);

impl ServerHandle {
    pub(crate) const fn new(offer: Arc<Offer>) -> Self {
        Self(offer)
    }

    /// Adds a tool, or replaces the one with the same name; see [`Server::tool`](crate::Server::tool).
    ///
    /// # Panics
    /// When the type of the arguments is no struct or map.
    pub fn add_tool<T, F, Fut, R>(&self, def: impl Into<ToolDef>, handler: F)
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.put_tool(ToolEntry::typed(def.into(), handler));
    }

    /// Adds a tool with its own JSON Schemas, or replaces the one with the same name; see
    /// [`Server::raw_tool`](crate::Server::raw_tool).
    pub fn add_raw_tool<F, Fut, R>(&self, def: impl Into<ToolDef>, handler: F)
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.put_tool(ToolEntry::raw(def.into(), handler));
    }

    fn put_tool(&self, entry: ToolEntry) {
        let name = entry.tool.name.clone();
        self.0.change(|registry| registry.tools.insert(name, entry));
        self.0.tell(&Change::Tools);
    }

    /// Removes a tool; whether it was there.
    pub fn remove_tool(&self, name: &str) -> bool {
        self.told_if(&Change::Tools, self.0.change(|registry| registry.tools.remove(name)))
    }

    /// Adds a resource, or replaces the one with the same URI; see
    /// [`Server::resource`](crate::Server::resource).
    pub fn add_resource<F, Fut, R>(&self, resource: Resource, handler: F)
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        let (uri, entry) = (resource.uri.clone(), ResourceEntry::new(resource, handler));
        self.0.change(|registry| registry.resources.insert(uri, entry));
        self.0.tell(&Change::Resources);
    }

    /// Removes a resource; whether it was there.
    pub fn remove_resource(&self, uri: &str) -> bool {
        self.told_if(&Change::Resources, self.0.change(|registry| registry.resources.remove(uri)))
    }

    /// Adds a template, or replaces the one with the same pattern; see
    /// [`Server::template`](crate::Server::template).
    ///
    /// # Panics
    /// When the template has expressions that are not understood.
    pub fn add_template<T, F, Fut, R>(&self, template: ResourceTemplate, handler: F)
    where
        T: DeserializeOwned + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        let (pattern, entry) = (template.uri_template.clone(), TemplateEntry::new(template, handler));
        self.0.change(|registry| registry.templates.insert(pattern, entry));
        self.0.tell(&Change::Resources);
    }

    /// Removes a template, by its pattern; whether it was there.
    pub fn remove_template(&self, uri_template: &str) -> bool {
        self.told_if(&Change::Resources, self.0.change(|registry| registry.templates.remove(uri_template)))
    }

    /// Adds a prompt, or replaces the one with the same name; see [`Server::prompt`](crate::Server::prompt).
    ///
    /// # Panics
    /// When the type of the arguments is no struct or map.
    pub fn add_prompt<T, F, Fut, R>(&self, prompt: Prompt, handler: F)
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoPrompt + 'static,
    {
        let (name, entry) = (prompt.name.clone(), PromptEntry::new(prompt, handler));
        self.0.change(|registry| registry.prompts.insert(name, entry));
        self.0.tell(&Change::Prompts);
    }

    /// Removes a prompt; whether it was there.
    pub fn remove_prompt(&self, name: &str) -> bool {
        self.told_if(&Change::Prompts, self.0.change(|registry| registry.prompts.remove(name)))
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
        self.0.change(|registry| registry.completions.insert((owner, argument), Arc::new(entry)));
    }

    /// Says that the contents of a resource changed, to those who have subscribed to it.
    ///
    /// Several changes that a client has not read of yet are told once.
    pub fn resource_updated(&self, uri: impl Into<String>) {
        self.0.tell(&Change::Resource(uri.into()));
    }

    fn told_if(&self, change: &Change, changed: bool) -> bool {
        if changed {
            self.0.tell(change);
        }
        changed
    }
}

impl fmt::Debug for ServerHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ServerHandle")
    }
}
