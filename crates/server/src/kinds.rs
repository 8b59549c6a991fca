//! Components as types: a tool, a prompt, a resource, a template of resources, with state and dependencies of their own.
//!
//! In programs that use the attributes, `#[tool]` above an `impl` block writes the like of this.

use std::future::Future;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::completion::Completing;
use crate::component::{AsPrompt, AsResource, AsTemplate, AsTool, Component, IntoComponent};
use crate::context::Context;
use crate::error::ToolError;
use crate::output::IntoToolResult;
use crate::prompt::IntoPrompt;
use crate::resource::IntoResource;
use crate::tool::{ToolDef, snake};

/// The name of a type as a component bears it: in `snake_case`, and without the path before it.
///
/// ```
/// struct HTTPSearch;
/// assert_eq!(hermes_server::name_of::<HTTPSearch>(), "http_search");
/// ```
#[must_use]
pub fn name_of<T: ?Sized>() -> String {
    snake(std::any::type_name::<T>())
}

/// A tool as a type, with state and dependencies of its own.
///
/// It is added with [`Server::with`](crate::Server::with), and called by the name of its type in `snake_case`
/// unless [`def`](Self::def) says otherwise. All calls share the value. In programs that use the attributes,
/// `#[tool]` above an `impl` block writes this.
///
/// ```
/// use hermes_server::{Context, Server, Tool, ToolDef, ToolError};
///
/// struct SearchNotes {
///     notes: Vec<String>,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Query {
///     /// A word
///     word: String,
/// }
///
/// impl Tool for SearchNotes {
///     type Args = Query;
///     type Output = Result<String, ToolError>;
///
///     fn def(&self) -> ToolDef {
///         ToolDef::of::<Self>().description("Finds a note by a word").read_only()
///     }
///
///     async fn call(&self, query: Query, _: Context) -> Self::Output {
///         let note = self.notes.iter().find(|note| note.contains(&query.word));
///         Ok(note.ok_or("no note has this word")?.clone())
///     }
/// }
///
/// let server = Server::new("notes", "0.1.0").with(SearchNotes { notes: vec!["Buy milk".to_owned()] });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tool",
    note = "write `impl Tool for {Self}`, or `#[tool]` above an `impl {Self}` block with its one method"
)]
pub trait Tool: Send + Sync + Sized + 'static {
    /// What it takes; `()` for nothing.
    type Args: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it gives.
    type Output: IntoToolResult + 'static;

    /// What it says about itself.
    fn def(&self) -> ToolDef {
        ToolDef::of::<Self>()
    }

    /// Serves one call.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn call(&self, args: Self::Args, ctx: Context) -> impl Future<Output = Self::Output> + Send;
}

/// A prompt as a type, with state and dependencies of its own.
///
/// It is added with [`Server::with`](crate::Server::with), and goes by the name of its type in `snake_case` unless
/// [`def`](Self::def) says otherwise. Its arguments are declared from [`Args`](Self::Args). In programs that use the
/// attributes, `#[prompt]` above an `impl` block writes this.
///
/// ```
/// use hermes_server::{Completing, Context, Prompt, Server, ToolError};
///
/// struct Review {
///     languages: Vec<String>,
/// }
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Code {
///     code: String,
///     language: Option<String>,
/// }
///
/// impl Prompt for Review {
///     type Args = Code;
///     type Output = String;
///
///     const COMPLETED: &'static [&'static str] = &["language"];
///
///     async fn get(&self, Code { code, language }: Code, _: Context) -> String {
///         format!("Review this {}: {code}", language.as_deref().unwrap_or("code"))
///     }
///
///     async fn complete(&self, _: &str, typed: Completing, _: Context) -> Result<Vec<String>, ToolError> {
///         Ok(typed.among(self.languages.iter().cloned()))
///     }
/// }
///
/// let server = Server::new("reviews", "0.1.0").with(Review { languages: vec!["Rust".to_owned()] });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no prompt",
    note = "write `impl Prompt for {Self}`, or `#[prompt]` above an `impl {Self}` block with its one method"
)]
pub trait Prompt: Send + Sync + Sized + 'static {
    /// What it takes; `()` for nothing.
    type Args: DeserializeOwned + JsonSchema + Send + 'static;
    /// What it gives: its messages.
    type Output: IntoPrompt + 'static;

    /// The arguments that [`complete`](Self::complete) is asked about.
    const COMPLETED: &'static [&'static str] = &[];

    /// What it says about itself.
    fn def(&self) -> hermes_types::Prompt {
        hermes_types::Prompt::new(name_of::<Self>())
    }

    /// Makes the messages, once.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn get(&self, args: Self::Args, ctx: Context) -> impl Future<Output = Self::Output> + Send;

    /// Proposes values for an argument, one of [`COMPLETED`](Self::COMPLETED).
    ///
    /// # Errors
    /// There is nothing to propose, and the client is to know why.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn complete(
        &self,
        argument: &str,
        typed: Completing,
        ctx: Context,
    ) -> impl Future<Output = Result<Vec<String>, ToolError>> + Send {
        nothing(argument, typed, ctx)
    }
}

/// A resource as a type, with state and dependencies of its own.
///
/// It is added with [`Server::with`](crate::Server::with). In programs that use the attributes, `#[resource("…")]` above
/// an `impl` block writes this.
///
/// ```
/// use std::time::Instant;
/// use hermes_server::{Context, Resource, Server, name_of};
///
/// struct Uptime {
///     since: Instant,
/// }
///
/// impl Resource for Uptime {
///     type Output = String;
///
///     fn def(&self) -> hermes_types::Resource {
///         hermes_types::Resource::new("demo://uptime", name_of::<Self>()).with_mime_type("text/plain")
///     }
///
///     async fn read(&self, _: Context) -> String {
///         format!("{} s", self.since.elapsed().as_secs())
///     }
/// }
///
/// let server = Server::new("demo", "0.1.0").with(Uptime { since: Instant::now() });
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no resource",
    note = "write `impl Resource for {Self}`, or `#[resource(\"…\")]` above an `impl {Self}` block with its one method"
)]
pub trait Resource: Send + Sync + Sized + 'static {
    /// What it gives: its contents.
    type Output: IntoResource + 'static;

    /// Where it is, and what it says about itself.
    fn def(&self) -> hermes_types::Resource;

    /// Reads it once.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn read(&self, ctx: Context) -> impl Future<Output = Self::Output> + Send;
}

/// All resources whose URI follows a template, as a type with state and dependencies of its own.
///
/// It is added with [`Server::with`](crate::Server::with). In programs that use the attributes, `#[resource("…{…}")]`
/// above an `impl` block writes this.
///
/// ```
/// use std::collections::BTreeMap;
/// use hermes_server::{Completing, Context, Server, Template, ToolError, name_of};
/// use hermes_types::{Fault, ResourceTemplate};
///
/// struct Ages(BTreeMap<String, u8>);
///
/// #[derive(serde::Deserialize)]
/// struct User { name: String }
///
/// impl Template for Ages {
///     type Args = User;
///     type Output = Result<String, ToolError>;
///
///     const COMPLETED: &'static [&'static str] = &["name"];
///
///     fn def(&self) -> ResourceTemplate {
///         ResourceTemplate::new("ages://{name}", name_of::<Self>())
///     }
///
///     async fn read(&self, User { name }: User, _: Context) -> Self::Output {
///         let absent = || ToolError::refuse(Fault::resource_not_found(&format!("ages://{name}")));
///         Ok(self.0.get(&name).ok_or_else(absent)?.to_string())
///     }
///
///     async fn complete(&self, _: &str, typed: Completing, _: Context) -> Result<Vec<String>, ToolError> {
///         Ok(typed.among(self.0.keys().cloned()))
///     }
/// }
///
/// let server = Server::new("demo", "0.1.0").with(Ages([("Ada".to_owned(), 36)].into()));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no template of resources",
    note = "write `impl Template for {Self}`, or `#[resource(\"…\")]` above an `impl {Self}` block with its one method"
)]
pub trait Template: Send + Sync + Sized + 'static {
    /// The variables of the template.
    type Args: DeserializeOwned + Send + 'static;
    /// What it gives: the contents of one resource.
    type Output: IntoResource + 'static;

    /// The variables that [`complete`](Self::complete) is asked about.
    const COMPLETED: &'static [&'static str] = &[];

    /// Where its resources are, and what it says about itself.
    fn def(&self) -> hermes_types::ResourceTemplate;

    /// Reads one resource, once. A decoded variable may hold anything, `../` too.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn read(&self, args: Self::Args, ctx: Context) -> impl Future<Output = Self::Output> + Send;

    /// Proposes values for a variable, one of [`COMPLETED`](Self::COMPLETED).
    ///
    /// # Errors
    /// There is nothing to propose, and the client is to know why.
    ///
    /// # Cancel safety
    /// The future is dropped when its call is cancelled.
    fn complete(
        &self,
        variable: &str,
        typed: Completing,
        ctx: Context,
    ) -> impl Future<Output = Result<Vec<String>, ToolError>> + Send {
        nothing(variable, typed, ctx)
    }
}

/// What is proposed by who completes nothing.
fn nothing(_: &str, _: Completing, _: Context) -> std::future::Ready<Result<Vec<String>, ToolError>> {
    std::future::ready(Ok(Vec::new()))
}

impl<T: Tool> IntoComponent<AsTool> for T {
    fn into_component(self) -> Component {
        let (def, tool) = (self.def(), Arc::new(self));
        Component::tool(def, move |args, ctx| {
            let tool = Arc::clone(&tool);
            async move { tool.call(args, ctx).await }
        })
    }
}

impl<R: Resource> IntoComponent<AsResource> for R {
    fn into_component(self) -> Component {
        let (def, resource) = (self.def(), Arc::new(self));
        Component::resource(def, move |ctx| {
            let resource = Arc::clone(&resource);
            async move { resource.read(ctx).await }
        })
    }
}

/// A prompt that completes an argument which it does not have is its author's mistake, and panics.
impl<P: Prompt> IntoComponent<AsPrompt> for P {
    fn into_component(self) -> Component {
        let (def, prompt) = (self.def(), Arc::new(self));
        let getting = Arc::clone(&prompt);
        let component = Component::prompt(def, move |args, ctx| {
            let prompt = Arc::clone(&getting);
            async move { prompt.get(args, ctx).await }
        });
        P::COMPLETED.iter().fold(component, |component, argument| {
            let completing = Arc::clone(&prompt);
            component.complete(*argument, move |typed, ctx| {
                let prompt = Arc::clone(&completing);
                async move { prompt.complete(argument, typed, ctx).await }
            })
        })
    }
}

/// A template that completes a variable which it does not have is its author's mistake, and panics.
impl<T: Template> IntoComponent<AsTemplate> for T {
    fn into_component(self) -> Component {
        let (def, template) = (self.def(), Arc::new(self));
        let reading = Arc::clone(&template);
        let component = Component::template(def, move |args, ctx| {
            let template = Arc::clone(&reading);
            async move { template.read(args, ctx).await }
        });
        T::COMPLETED.iter().fold(component, |component, variable| {
            let completing = Arc::clone(&template);
            component.complete(*variable, move |typed, ctx| {
                let template = Arc::clone(&completing);
                async move { template.complete(variable, typed, ctx).await }
            })
        })
    }
}
