//! What a server offers, as its author says it: the building methods of [`Server`].

use std::future::Future;

use hermes_types::{Prompt, RawJson, Resource, ResourceTemplate};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::completion::{Completing, IntoCompletion};
use crate::component::{Component, IntoComponent};
use crate::context::Context;
use crate::extract::FromContext;
use crate::flaws::Flaw;
use crate::output::IntoToolResult;
use crate::prompt::IntoPrompt;
use crate::resource::IntoResource;
use crate::server::Server;
use crate::tool::ToolDef;

impl Server {
    /// Offers a [`Component`], or a type that is one: a [`Tool`](crate::Tool), or what an attribute made of a
    /// function. Of two with one name the first stays.
    ///
    /// ```
    /// use hermes_server::{Component, Context, Server};
    ///
    /// let server = ["red", "green"].into_iter().fold(Server::new("lamps", "0.1.0"), |server, lamp| {
    ///     server.with(Component::tool(lamp, move |(): (), _: Context| async move { format!("{lamp} is on") }))
    /// });
    /// ```
    pub fn with<K>(mut self, component: impl IntoComponent<K>) -> Self {
        let component = component.into_component();
        let part = component.part().to_string();
        let flaw = |what: &String| Flaw { part: part.clone(), what: what.clone() };
        let found: Vec<Flaw> = component.flaws.iter().map(flaw).collect();
        if !(found.is_empty() && component.needs.is_empty()) {
            let needs = component.needs.iter().map(|need| (part.clone(), *need));
            let findings = &mut self.settings().findings;
            findings.needs.extend(needs);
            findings.flaws.extend(found);
        }
        self.handle().insert(component);
        self
    }

    /// Says that this part of the server asks for something, such as a [`State`](crate::State). That it was not given is
    /// told [before anybody is served](Self::check), not by the first call. Methods under the attributes say it by
    /// themselves; `part` is what their author is told.
    pub fn needs<E: FromContext>(mut self, part: impl Into<String>) -> Self {
        self.settings().findings.needs.push((part.into(), E::missing));
        self
    }

    /// Declares tools although there are none yet: they come while the server runs.
    ///
    /// A legacy client learns only when it connects what kinds of things a server offers. What is there by then is
    /// declared without a word.
    ///
    /// ```
    /// use hermes_server::Server;
    ///
    /// let gateway = Server::new("gateway", "0.1.0").declare_tools().declare_prompts();
    /// ```
    pub fn declare_tools(self) -> Self {
        self.hub.catalog.change(|registry| registry.tools.declare());
        self
    }

    /// Declares prompts although there are none yet; see [`declare_tools`](Self::declare_tools).
    pub fn declare_prompts(self) -> Self {
        self.hub.catalog.change(|registry| registry.prompts.declare());
        self
    }

    /// Declares resources although there are none yet; see [`declare_tools`](Self::declare_tools).
    pub fn declare_resources(self) -> Self {
        self.hub.catalog.change(|registry| registry.resources.declare());
        self
    }

    /// Offers a tool.
    ///
    /// The handler takes the arguments, read into a type of its own, and the [`Context`]. The schemas are
    /// made from the types, once. Arguments that do not fit are answered with what is wrong and where, and
    /// the handler does not run. Of two tools with one name the first stays.
    ///
    /// ```
    /// use hermes_server::{Context, Json, Server, ToolDef, ToolError};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Add { a: i64, b: i64 }
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Sum { sum: i64 }
    ///
    /// let server = Server::new("demo", "0.1.0").tool(
    ///     ToolDef::new("add").description("Adds two integers"),
    ///     |args: Add, _: Context| async move {
    ///         let sum = args.a.checked_add(args.b).ok_or("the sum is too large")?;
    ///         Ok(Json(Sum { sum }))
    ///     },
    /// );
    /// ```
    ///
    /// That the type of the arguments is no struct or map is a [flaw](Self::check).
    pub fn tool<T, F, Fut, R>(self, def: impl Into<ToolDef>, handler: F) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.with(Component::tool(def, handler))
    }

    /// Offers a tool that brings its own JSON Schemas, such as one from another server. The handler gets the
    /// arguments as their text, checked against the schema.
    ///
    /// A schema that cannot be used (an unresolved or remote `$ref`) has every call refused with the reason.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use hermes_types::{RawJson, Tool};
    ///
    /// let schema = RawJson::parse(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#)?;
    /// let server = Server::new("demo", "0.1.0")
    ///     .raw_tool(Tool::new("raw", schema), |arguments: RawJson, _| async move { arguments.get().to_owned() });
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn raw_tool<F, Fut, R>(self, def: impl Into<ToolDef>, handler: F) -> Self
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.with(Component::raw_tool(def, handler))
    }

    /// Offers a resource: text, bytes, or anything else that [`IntoResource`] knows. Of two
    /// resources with one URI the first stays.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use hermes_types::Resource;
    ///
    /// let server = Server::new("demo", "0.1.0").resource(
    ///     Resource::new("demo://greeting", "greeting").with_mime_type("text/plain"),
    ///     |_| async { "Hello" },
    /// );
    /// ```
    pub fn resource<F, Fut, R>(self, resource: Resource, handler: F) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        self.with(Component::resource(resource, handler))
    }

    /// Offers all resources whose URI follows a template: `{name}` is a piece of one path segment, `{+name}`
    /// may hold slashes, `{#name}` is a fragment. The handler takes the variables, percent-decoded, in a type of its own.
    ///
    /// A decoded variable may hold anything, `../` too: check it before it becomes part of a path.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use hermes_types::ResourceTemplate;
    ///
    /// #[derive(serde::Deserialize)]
    /// struct User { name: String }
    ///
    /// let server = Server::new("demo", "0.1.0").template(
    ///     ResourceTemplate::new("demo://users/{name}", "user"),
    ///     |user: User, _| async move { format!("{} is a user", user.name) },
    /// );
    /// ```
    ///
    /// Expressions other than these, and two variables side by side, are a [flaw](Self::check).
    pub fn template<T, F, Fut, R>(self, template: ResourceTemplate, handler: F) -> Self
    where
        T: DeserializeOwned + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        self.with(Component::template(template, handler))
    }

    /// Offers a prompt. The handler takes the arguments in a type of its own, from which they are also
    /// declared, unless the prompt declares them itself. Of two prompts with one name the first stays.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use hermes_types::Prompt;
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Greet {
    ///     /// Whom to greet
    ///     name: String,
    ///     times: Option<u8>,
    /// }
    ///
    /// let server = Server::new("demo", "0.1.0").prompt(Prompt::new("greet"), |args: Greet, _| async move {
    ///     format!("Greet {} {} times", args.name, args.times.unwrap_or(1))
    /// });
    /// ```
    ///
    /// That the type of the arguments is no struct or map is a [flaw](Self::check).
    pub fn prompt<T, F, Fut, R>(self, prompt: Prompt, handler: F) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoPrompt + 'static,
    {
        self.with(Component::prompt(prompt, handler))
    }

    /// Completes an argument of a prompt. At most 100 proposals are sent, the best first.
    ///
    /// ```
    /// use hermes_server::{Completing, Server};
    ///
    /// let languages = ["python", "ruby", "rust"];
    /// let server = Server::new("demo", "0.1.0").complete_prompt(
    ///     "review",
    ///     "language",
    ///     move |typed: Completing, _| async move {
    ///         languages.into_iter().filter(|it| it.starts_with(&typed.value)).collect::<Vec<_>>()
    ///     },
    /// );
    /// ```
    pub fn complete_prompt<F, Fut, R>(
        self,
        prompt: impl Into<String>,
        argument: impl Into<String>,
        handler: F,
    ) -> Self
    where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        self.handle().add_prompt_completion(prompt, argument, handler);
        self
    }

    /// Completes a variable of a resource template. At most 100 proposals are sent, the best first.
    pub fn complete_template<F, Fut, R>(
        self,
        uri_template: impl Into<String>,
        variable: impl Into<String>,
        handler: F,
    ) -> Self
    where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        self.handle().add_template_completion(uri_template, variable, handler);
        self
    }
}
