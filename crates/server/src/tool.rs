//! Tools: what is declared, and the handler behind it.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use hermes_proto::admit::Mirror;
use hermes_types::{CallToolResult, Icon, JsonPart, MetaObject, RawJson, Tool, ToolAnnotations};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::context::Context;
use crate::error::ToolError;
use crate::output::IntoToolResult;
use crate::schema::{self, Validator};

pub(crate) type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;
pub(crate) type Handler<A, R> = Box<dyn Fn(A, Context) -> BoxFuture<Result<R, ToolError>> + Send + Sync>;

/// What a tool says about itself. The schemas come from the types of its handler.
///
/// ```
/// use hermes_server::ToolDef;
///
/// let add = ToolDef::new("add").description("Adds two integers").read_only();
/// assert_eq!(add.name(), "add");
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct ToolDef {
    tool: Tool,
    deadline: Option<Duration>,
}

impl ToolDef {
    /// A tool with this name: 1 to 128 letters, digits, `_`, `-` and `.`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { tool: Tool::new(name, any_object()), deadline: None }
    }

    /// A tool with the name of a type, in `snake_case` and without the path before it.
    ///
    /// ```
    /// use hermes_server::ToolDef;
    ///
    /// struct SearchNotes;
    /// assert_eq!(ToolDef::of::<SearchNotes>().name(), "search_notes");
    /// ```
    pub fn of<T: ?Sized>() -> Self {
        Self::new(snake(std::any::type_name::<T>()))
    }

    /// The name to call it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.tool.name
    }

    /// Says what it does, for the model.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.tool.description = Some(description.into());
        self
    }

    /// Sets the name to show.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.tool.title = Some(title.into());
        self
    }

    /// Sets the hints about what it does.
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.tool.annotations = Some(annotations);
        self
    }

    /// Hints that it changes nothing.
    pub fn read_only(mut self) -> Self {
        self.tool.annotations.get_or_insert_default().read_only_hint = Some(true);
        self
    }

    /// Sets its icons.
    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.tool.icons = Some(icons);
        self
    }

    /// Adds anything else that clients may want to know.
    pub fn meta(mut self, meta: MetaObject) -> Self {
        self.tool.meta = Some(meta);
        self
    }

    /// Writes out what `$ref` refers to in the schemas of a [raw tool](crate::Server::raw_tool), for clients that cannot
    /// follow references. What refers to itself cannot be written out and stays; so does a schema that would grow too
    /// large. Schemas that are made from types are written out already.
    ///
    /// ```
    /// use hermes_server::ToolDef;
    /// use hermes_types::{RawJson, Tool};
    ///
    /// let schema = r##"{"type":"object","properties":{"to":{"$ref":"#/$defs/city"}},"$defs":{"city":{"type":"string"}}}"##;
    /// let tool = ToolDef::from(Tool::new("travel", RawJson::parse(schema)?)).without_refs();
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    pub fn without_refs(mut self) -> Self {
        self.tool.input_schema = schema::inlined(&self.tool.input_schema);
        self.tool.output_schema = self.tool.output_schema.as_ref().map(schema::inlined);
        self
    }

    /// Sets how long one call may take, instead of the server's own deadline.
    pub const fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }
}

/// `notes::SearchNotes<u8>` becomes `search_notes`, `HTTPGet` becomes `http_get`.
pub(crate) fn snake(path: &str) -> String {
    let path = path.split_once('<').map_or(path, |(path, _)| path);
    let name = path.rsplit_once("::").map_or(path, |(_, name)| name);
    let mut snake = String::with_capacity(name.len() + 4);
    let mut letters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                let ends_capitals = letters.peek().is_some_and(|next| next.is_lowercase());
                before != '_' && (!before.is_uppercase() || ends_capitals)
            });
        if starts {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
        before = Some(letter);
    }
    snake
}

/// The schema of arguments that nothing is known of.
fn any_object() -> RawJson {
    let schema = std::collections::BTreeMap::from([("type", "object")]);
    RawJson::encode(&schema).unwrap_or_else(|_| RawJson::empty_object())
}

impl From<&str> for ToolDef {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}

impl From<String> for ToolDef {
    fn from(name: String) -> Self {
        Self::new(name)
    }
}

/// For [`Server::raw_tool`](crate::Server::raw_tool): the tool brings its own schemas.
impl From<Tool> for ToolDef {
    fn from(tool: Tool) -> Self {
        Self { tool, deadline: None }
    }
}

/// Whether a name is one that all clients accept.
///
/// Source: `server/tools#tool-names`, 2026-07-28.
fn is_orderly(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (1..=128).contains(&name.len()) && name.chars().all(allowed)
}

/// A tool in the registry.
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    pub(crate) deadline: Option<Duration>,
    /// Arguments that a modern request over HTTP repeats in its headers.
    pub(crate) mirrors: Vec<Mirror>,
    output: Option<Validator>,
    handler: Handler<JsonPart, CallToolResult>,
}

impl ToolEntry {
    /// A tool whose schemas come from the types of its handler.
    pub(crate) fn typed<T, F, Fut, R>(def: ToolDef, handler: F, flaws: &mut Vec<String>) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        let ToolDef { mut tool, deadline } = def;
        tool.input_schema = schema::input_schema::<T>().unwrap_or_else(|error| {
            flaws.push(error.to_string());
            any_object()
        });
        tool.output_schema = R::output_schema();
        // What the author's types say of formats is meant; in a schema of other origin it may be a remark only.
        let input = std::sync::Arc::new(Validator::with_formats(&tool.input_schema));
        if let Some(flaw) = input.flaw() {
            flaws.push(format!("the schema of its arguments cannot be used: {flaw}"));
        }
        let handler = std::sync::Arc::new(handler);
        Self::with_handler(
            tool,
            deadline,
            |flaw| flaws.push(flaw),
            Box::new(move |arguments, ctx| {
                let (input, handler) = (input.clone(), handler.clone());
                // Decoding belongs to the call: it may be long, and it may panic.
                Box::pin(async move {
                    let decoded = input.decode::<T>(arguments.get())?;
                    // The handler may run for long.
                    drop(arguments);
                    handler(decoded, ctx).await.into_tool_result()
                })
            }),
        )
    }

    /// A tool that brings its own schemas and takes its arguments as they come, checked.
    pub(crate) fn raw<F, Fut, R>(def: ToolDef, handler: F, flaws: &mut Vec<String>) -> Self
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        let ToolDef { tool, deadline } = def;
        // Its origin may be elsewhere, and everything beside it be in order.
        let name = tool.name.clone();
        let mut remark = |flaw: String| match schema::IS_COMPLETE {
            true => tracing::warn!(tool = name, "{flaw}"),
            // It may be this build alone that cannot check the schema, which is for the author to mend.
            false => flaws.push(flaw),
        };
        let input = std::sync::Arc::new(Validator::new(&tool.input_schema));
        if let Some(flaw) = input.flaw() {
            remark(format!("the input schema cannot be used, every call will be refused: {flaw}"));
        }
        let handler = std::sync::Arc::new(handler);
        Self::with_handler(
            tool,
            deadline,
            remark,
            Box::new(move |arguments, ctx| {
                let (input, handler) = (input.clone(), handler.clone());
                Box::pin(async move {
                    let arguments = arguments.into_raw();
                    let arguments = input.check(arguments.get())?.unwrap_or(arguments);
                    handler(arguments, ctx).await.into_tool_result()
                })
            }),
        )
    }

    fn with_handler(
        mut tool: Tool,
        deadline: Option<Duration>,
        mut told: impl FnMut(String),
        handler: Handler<JsonPart, CallToolResult>,
    ) -> Self {
        if !is_orderly(&tool.name) {
            told("its name has other than 1 to 128 of A-Z a-z 0-9 _ - . : clients refuse it".to_owned());
        }
        let output = tool.output_schema.as_ref().map(Validator::new);
        if let Some(flaw) = output.as_ref().and_then(Validator::flaw) {
            told(format!("the output schema cannot be used, every result would fail: {flaw}"));
        }
        let schema = tool.input_schema.decode::<serde_json::Value>().unwrap_or_default();
        let mirrors = Mirror::declared(&schema).unwrap_or_else(|flaw| {
            // Clients over HTTP would have to leave the whole tool out.
            told(format!("its arguments go in no headers, the marks are taken away: {flaw}"));
            if let Ok(schema) = RawJson::encode(&schema::unmarked(schema)) {
                tool.input_schema = schema;
            }
            Vec::new()
        });
        Self { tool, deadline, mirrors, output, handler }
    }

    /// Runs the tool once; [`check_output`](Self::check_output) says whether its result is one.
    pub(crate) fn call(
        &self,
        arguments: JsonPart,
        ctx: Context,
    ) -> BoxFuture<Result<CallToolResult, ToolError>> {
        (self.handler)(arguments, ctx)
    }

    /// A success that breaks the tool's own promise is a failure, and says so.
    pub(crate) fn check_output(&self, result: &CallToolResult) -> Result<(), ToolError> {
        let Some(output) = self.output.as_ref().filter(|_| !result.is_error()) else { return Ok(()) };
        let Some(structured) = &result.structured_content else {
            return Err(ToolError::new("the tool promises structured content and gave none"));
        };
        output.check(structured.get()).map(drop).map_err(|invalid| {
            ToolError::new(format!("the result does not fit the output schema: {invalid}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_gives_its_name_to_its_tool() {
        for (path, expected) in [
            ("notes::SearchNotes", "search_notes"),
            ("app::db::HTTPGet<alloc::vec::Vec<u8>>", "http_get"),
            ("echo", "echo"),
            ("a::Already_Snake", "already_snake"),
            ("a::Utf8", "utf8"),
        ] {
            assert_eq!(snake(path), expected);
        }
    }
}
