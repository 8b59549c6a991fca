//! What can be offered: a tool, a prompt, a resource or a template, with its handler.
//!
//! The building methods of [`Server`](crate::Server) make components of closures. A [`Component`] is the same as a
//! value, for what is added while a server runs or by a library; a type may be one too, with state of its own.

use std::fmt;
use std::future::Future;
use std::marker::PhantomData;
use std::sync::Arc;

use hermes_proto::channel::Change;
use hermes_types::{Prompt, RawJson, Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::completion::{Completing, CompletionEntry, IntoCompletion};
use crate::context::Context;
use crate::extract::FromContext;
use crate::flaws::Need;
use crate::output::IntoToolResult;
use crate::prompt::{IntoPrompt, PromptEntry};
use crate::resource::{IntoResource, ResourceEntry, TemplateEntry};
use crate::tool::{ToolDef, ToolEntry};

/// Something to offer, with its handler.
///
/// ```
/// use hermes_server::{Component, Context, Server};
///
/// fn greeting(name: &'static str) -> Component {
///     Component::tool(format!("greet_{name}"), move |(): (), _: Context| async move { format!("Hello, {name}") })
/// }
///
/// let server = Server::new("demo", "0.1.0").with(greeting("ada")).with(greeting("bob"));
/// ```
pub struct Component {
    pub(crate) entry: Entry,
    /// What its author has to put right before it can be of use.
    pub(crate) flaws: Vec<String>,
    /// What the server has to be given for it.
    pub(crate) needs: Vec<Need>,
}

pub(crate) enum Entry {
    Prompt(Box<PromptEntry>),
    Resource(Box<ResourceEntry>),
    Template(Box<TemplateEntry>),
    Tool(Box<ToolEntry>),
}

impl Component {
    /// Makes an entry, which notes its flaws.
    fn checked(entry: impl FnOnce(&mut Vec<String>) -> Entry) -> Self {
        let mut flaws = Vec::new();
        Self { entry: entry(&mut flaws), flaws, needs: Vec::new() }
    }

    /// Says that its handler asks for this, such as a [`State`](crate::State): that the server was not given it is told
    /// [before anybody is served](crate::Server::check), not by the first call. The attributes say it by themselves.
    #[must_use]
    pub fn needs<E: FromContext>(mut self) -> Self {
        self.needs.push(E::missing);
        self
    }

    /// A tool whose schemas come from the types of its handler; see [`Server::tool`](crate::Server::tool).
    pub fn tool<T, F, Fut, R>(def: impl Into<ToolDef>, handler: F) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        Self::checked(|flaws| Entry::Tool(Box::new(ToolEntry::typed(def.into(), handler, flaws))))
    }

    /// A tool with its own JSON Schemas; see [`Server::raw_tool`](crate::Server::raw_tool).
    pub fn raw_tool<F, Fut, R>(def: impl Into<ToolDef>, handler: F) -> Self
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        Self::checked(|flaws| Entry::Tool(Box::new(ToolEntry::raw(def.into(), handler, flaws))))
    }

    /// A resource; see [`Server::resource`](crate::Server::resource).
    pub fn resource<F, Fut, R>(resource: Resource, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        Self::checked(|flaws| Entry::Resource(Box::new(ResourceEntry::new(resource, handler, flaws))))
    }

    /// All resources whose URI follows a template; see [`Server::template`](crate::Server::template).
    pub fn template<T, F, Fut, R>(template: ResourceTemplate, handler: F) -> Self
    where
        T: DeserializeOwned + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        Self::checked(|flaws| Entry::Template(Box::new(TemplateEntry::new(template, handler, flaws))))
    }

    /// A prompt; see [`Server::prompt`](crate::Server::prompt).
    pub fn prompt<T, F, Fut, R>(prompt: Prompt, handler: F) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoPrompt + 'static,
    {
        Self::checked(|flaws| Entry::Prompt(Box::new(PromptEntry::new(prompt, handler, flaws))))
    }

    /// Completes an argument of this prompt, or a variable of this template, as
    /// [`Server::complete_prompt`](crate::Server::complete_prompt) does. It comes and goes with the component.
    ///
    /// ```
    /// use hermes_server::{Completing, Component, Context};
    /// use hermes_types::ResourceTemplate;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct City { city: String }
    ///
    /// let weather = Component::template(
    ///     ResourceTemplate::new("weather://{city}", "weather"),
    ///     |City { city }: City, _| async move { format!("{city}: sunny") },
    /// )
    /// .complete("city", |typed: Completing, _: Context| async move { typed.among(["Oslo", "Rome"]) });
    /// ```
    ///
    /// That it has no such argument is a [flaw](crate::Server::check). Those of tools are not completed; an `enum` lists its
    /// values in the schema.
    #[must_use]
    pub fn complete<F, Fut, R>(mut self, argument: impl Into<String>, handler: F) -> Self
    where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        let argument = argument.into();
        let completions = match &mut self.entry {
            Entry::Prompt(entry) if entry.has_argument(&argument) => &mut entry.completions,
            Entry::Template(entry) if entry.has_variable(&argument) => &mut entry.completions,
            _ => {
                self.flaws.push(format!("it has no argument {argument:?} that could be completed"));
                return self;
            }
        };
        completions.insert(argument, Arc::new(CompletionEntry::new(handler)));
        self
    }

    /// Says in the log what is wrong with it.
    pub(crate) fn tell_flaws(&self) {
        for flaw in &self.flaws {
            tracing::error!("{}: {flaw}", self.part());
        }
    }

    /// What clients know it by.
    #[must_use]
    pub fn part(&self) -> Part<'_> {
        match &self.entry {
            Entry::Prompt(entry) => Part::Prompt(&entry.prompt.name),
            Entry::Resource(entry) => Part::Resource(&entry.resource.uri),
            Entry::Template(entry) => Part::Template(&entry.template.uri_template),
            Entry::Tool(entry) => Part::Tool(&entry.tool.name),
        }
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Component").field(&self.part()).finish()
    }
}

/// A part of what a server offers, by what clients know it by.
///
/// ```
/// use hermes_server::{Part, Server};
///
/// let server = Server::new("demo", "0.1.0").tool("wipe", |(): (), _| async { "all gone" });
/// assert!(server.handle().disable(Part::Tool("wipe")));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part<'a> {
    /// A prompt, by its name.
    Prompt(&'a str),
    /// A resource, by its URI.
    Resource(&'a str),
    /// A resource template, by its pattern.
    Template(&'a str),
    /// A tool, by its name.
    Tool(&'a str),
}

/// As people are told of it: `tool "add"`.
impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Self::Prompt(_) => "prompt",
            Self::Resource(_) => "resource",
            Self::Template(_) => "resource template",
            Self::Tool(_) => "tool",
        };
        write!(f, "{kind} {:?}", self.name())
    }
}

impl<'a> Part<'a> {
    /// The name, the URI or the pattern.
    #[must_use]
    pub const fn name(self) -> &'a str {
        let (Self::Prompt(name) | Self::Resource(name) | Self::Template(name) | Self::Tool(name)) = self;
        name
    }

    /// A part of the same kind with this name.
    pub(crate) const fn named(self, name: &str) -> Part<'_> {
        match self {
            Self::Prompt(_) => Part::Prompt(name),
            Self::Resource(_) => Part::Resource(name),
            Self::Template(_) => Part::Template(name),
            Self::Tool(_) => Part::Tool(name),
        }
    }

    /// What is told when it comes or goes.
    pub(crate) const fn change(self) -> Change {
        match self {
            Self::Prompt(_) => Change::Prompts,
            Self::Resource(_) | Self::Template(_) => Change::Resources,
            Self::Tool(_) => Change::Tools,
        }
    }
}

/// What can be added to a server: a [`Component`], a type that is one, or a function that makes either.
///
/// `Kind` only keeps the implementations apart; the compiler finds it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is nothing that a server can offer",
    label = "no component, and no type that is one",
    note = "write `#[tool]`, `#[prompt]` or `#[resource(\"…\")]` above the function, or above an `impl {Self}` block with one method",
    note = "or write `impl Tool for {Self}`, or one of `Prompt`, `Resource` and `Template`",
    note = "a block under `#[hermes::server]` is a whole server already: `value.into_server()`"
)]
pub trait IntoComponent<Kind = Itself> {
    /// Makes the component.
    fn into_component(self) -> Component;
}

/// A [`Component`], or what an attribute made of a function or a type.
#[derive(Clone, Copy, Debug)]
pub struct Itself;

/// A [`Tool`](crate::Tool).
#[derive(Clone, Copy, Debug)]
pub struct AsTool;

/// A [`Prompt`](crate::Prompt).
#[derive(Clone, Copy, Debug)]
pub struct AsPrompt;

/// A [`Resource`](crate::Resource).
#[derive(Clone, Copy, Debug)]
pub struct AsResource;

/// A [`Template`](crate::Template).
#[derive(Clone, Copy, Debug)]
pub struct AsTemplate;

/// A function that makes a `C`, as an attribute leaves it in the place of a function.
#[derive(Clone, Copy, Debug)]
pub struct Made<C, Kind>(PhantomData<(C, Kind)>);

impl<F, C, Kind> IntoComponent<Made<C, Kind>> for F
where
    F: FnOnce() -> C,
    C: IntoComponent<Kind>,
{
    fn into_component(self) -> Component {
        self().into_component()
    }
}

impl IntoComponent for Component {
    fn into_component(self) -> Component {
        self
    }
}
