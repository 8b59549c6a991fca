//! Prompts: what is declared, and the handler behind it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use hermes_types::{Fault, GetPromptResult, Prompt, PromptArgument, PromptMessage};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::completion::Completions;
use crate::context::Context;
use crate::error::ToolError;
use crate::schema;
use crate::texts;
use crate::tool::{BoxFuture, Handler};

/// What becomes the result of a prompt: a text is one message by the user.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a prompt",
    label = "no text and no messages",
    note = "return a text, `PromptMessage`s or `GetPromptResult`",
    note = "a handler that may fail returns a `Result` of one of them with `ToolError`, into which `?` converts every error"
)]
pub trait IntoPrompt {
    /// Makes the result.
    ///
    /// # Errors
    /// The handler failed.
    fn into_prompt(self) -> Result<GetPromptResult, ToolError>;
}

impl IntoPrompt for GetPromptResult {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(self)
    }
}

impl IntoPrompt for Vec<PromptMessage> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        Ok(GetPromptResult::new(self))
    }
}

impl IntoPrompt for PromptMessage {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        vec![self].into_prompt()
    }
}

impl IntoPrompt for String {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_prompt()
    }
}

impl IntoPrompt for &str {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        PromptMessage::user(self).into_prompt()
    }
}

impl<R: IntoPrompt> IntoPrompt for Result<R, ToolError> {
    fn into_prompt(self) -> Result<GetPromptResult, ToolError> {
        self.and_then(R::into_prompt)
    }
}

/// A prompt in the registry.
pub(crate) struct PromptEntry {
    pub(crate) completions: Completions,
    pub(crate) prompt: Prompt,
    handler: Handler<BTreeMap<String, String>, GetPromptResult>,
}

impl PromptEntry {
    /// A prompt whose arguments are read into a type. Unless the prompt declares its arguments itself, they
    /// are declared from the type.
    pub(crate) fn new<T, F, Fut, R>(mut prompt: Prompt, handler: F, flaws: &mut Vec<String>) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoPrompt + 'static,
    {
        if prompt.arguments.is_none() {
            prompt.arguments = Some(arguments::<T>(flaws)).filter(|arguments| !arguments.is_empty());
        }
        if prompt.name.is_empty() {
            flaws.push("it has no name".to_owned());
        }
        let handler = Arc::new(handler);
        let handler: Handler<_, _> = Box::new(move |arguments, ctx| -> BoxFuture<_> {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let arguments = texts::read::<T>(arguments).map_err(|misfit| {
                    ToolError::refuse(Fault::invalid_params(format!("the prompt's arguments: {misfit}")))
                })?;
                handler(arguments, ctx).await.into_prompt()
            })
        });
        Self { completions: Completions::new(), prompt, handler }
    }

    /// Whether the prompt has this argument.
    pub(crate) fn has_argument(&self, name: &str) -> bool {
        self.prompt.arguments.iter().flatten().any(|argument| argument.name == name)
    }

    /// Refuses arguments that lack a required one.
    pub(crate) fn check(&self, arguments: &BTreeMap<String, String>) -> Result<(), Fault> {
        let required = self.prompt.arguments.iter().flatten().filter(|it| it.required == Some(true));
        match required.into_iter().find(|argument| !arguments.contains_key(&argument.name)) {
            Some(missing) => {
                let message =
                    format!("the prompt {} needs the argument `{}`", self.prompt.name, missing.name);
                Err(Fault::invalid_params(message))
            }
            None => Ok(()),
        }
    }

    /// Runs the prompt once.
    pub(crate) fn get(
        &self,
        arguments: BTreeMap<String, String>,
        ctx: Context,
    ) -> BoxFuture<Result<GetPromptResult, ToolError>> {
        (self.handler)(arguments, ctx)
    }
}

/// The arguments that a type stands for: its members, in order.
fn arguments<T: JsonSchema>(flaws: &mut Vec<String>) -> Vec<PromptArgument> {
    #[derive(Deserialize)]
    struct Object {
        #[serde(default)]
        properties: serde_json::Map<String, serde_json::Value>,
        #[serde(default)]
        required: Vec<String>,
    }
    let schema = match schema::input_schema::<T>() {
        Ok(schema) => schema,
        Err(error) => {
            flaws.push(error.to_string());
            return Vec::new();
        }
    };
    // The schema was written by this crate, with these members.
    let Ok(Object { properties, required }) = schema.decode() else { return Vec::new() };
    for (name, schema) in &properties {
        if let Some(kind) = composite(schema) {
            flaws.push(format!(
                "its argument `{name}` is {kind}, and clients give texts: take a `String` and read it, or a number, a `bool` \
                 or an `enum`"
            ));
        }
    }
    let argument = |(name, schema): (String, serde_json::Value)| {
        let mut argument = PromptArgument::new(name.as_str());
        argument.description = schema.get("description").and_then(|it| it.as_str()).map(str::to_owned);
        argument.required = Some(required.contains(&name));
        argument
    };
    properties.into_iter().map(argument).collect()
}

/// What a value of this schema is that no single text stands for.
fn composite(schema: &serde_json::Value) -> Option<&'static str> {
    let types = schema.get("type")?;
    let is = |kind: &str| {
        *types == kind || types.as_array().is_some_and(|types| types.iter().any(|one| one == kind))
    };
    let or_text = ["string", "number", "integer", "boolean"].iter().any(|kind| is(kind));
    match (is("array"), is("object")) {
        _ if or_text => None,
        (true, _) => Some("a list"),
        (_, true) => Some("an object"),
        _ => None,
    }
}
