//! Completion of what a user types for an argument of a prompt or a variable of a template.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;

use hermes_types::{Completion, CompletionReference};

use crate::context::Context;
use crate::error::ToolError;
use crate::tool::{BoxFuture, Handler};

/// What is to be completed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completing {
    /// What the user has typed so far.
    pub value: String,
    /// The arguments that are filled in already, by name.
    pub arguments: BTreeMap<String, String>,
}

impl Completing {
    /// An argument that is filled in already.
    ///
    /// ```
    /// use hermes_server::Completing;
    ///
    /// fn cities(typed: &Completing) -> Vec<&'static str> {
    ///     match typed.argument("country") {
    ///         Some("Norway") => typed.among(["Bergen", "Oslo"]),
    ///         _ => typed.among(["Bern", "Oslo", "Rome"]),
    ///     }
    /// }
    ///
    /// let typed = Completing { value: "b".to_owned(), arguments: [("country".to_owned(), "Norway".to_owned())].into() };
    /// assert_eq!(cities(&typed), ["Bergen"]);
    /// ```
    #[must_use]
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.arguments.get(name).map(String::as_str)
    }

    /// Those that begin with what was typed, capitals or not, in their own order.
    #[must_use]
    pub fn among<S: AsRef<str>>(&self, all: impl IntoIterator<Item = S>) -> Vec<S> {
        let typed = self.value.to_lowercase();
        all.into_iter().filter(|one| one.as_ref().to_lowercase().starts_with(&typed)).collect()
    }
}

/// What becomes a list of proposals: at most 100 are sent, and how many there are in all.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a list of proposals",
    label = "no list of texts",
    note = "return a `Vec` of texts, or `Completion`",
    note = "a handler that may fail returns a `Result` of one of them with `ToolError`, into which `?` converts every error"
)]
pub trait IntoCompletion {
    /// Makes the list.
    ///
    /// # Errors
    /// The handler failed.
    fn into_completion(self) -> Result<Completion, ToolError>;
}

impl IntoCompletion for Completion {
    fn into_completion(self) -> Result<Completion, ToolError> {
        Ok(self)
    }
}

impl<S: AsRef<str>> IntoCompletion for Vec<S> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        Ok(Completion::new(self.iter().map(|one| one.as_ref().to_owned()).collect()))
    }
}

impl<R: IntoCompletion> IntoCompletion for Result<R, ToolError> {
    fn into_completion(self) -> Result<Completion, ToolError> {
        self.and_then(R::into_completion)
    }
}

/// What has the argument: a prompt by name, or a template by its pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Owner {
    Prompt(String),
    Template(String),
}

impl Owner {
    /// The name or the pattern.
    pub(crate) fn name(&self) -> &str {
        let (Self::Prompt(name) | Self::Template(name)) = self;
        name
    }

    /// Who is meant; `None` for a kind of reference that no revision has yet.
    pub(crate) fn of(reference: CompletionReference) -> Option<Self> {
        match reference {
            CompletionReference::Prompt(prompt) => Some(Self::Prompt(prompt.name)),
            CompletionReference::Resource(template) => Some(Self::Template(template.uri)),
            _ => None,
        }
    }
}

/// The completions that belong to a component, by argument.
pub(crate) type Completions = BTreeMap<String, Arc<CompletionEntry>>;

/// A completion in the registry.
pub(crate) struct CompletionEntry(Handler<Completing, Completion>);

impl CompletionEntry {
    pub(crate) fn new<F, Fut, R>(handler: F) -> Self
    where
        F: Fn(Completing, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoCompletion + 'static,
    {
        let handler = Arc::new(handler);
        Self(Box::new(move |completing, ctx| -> BoxFuture<_> {
            let handler = Arc::clone(&handler);
            Box::pin(async move { handler(completing, ctx).await.into_completion() })
        }))
    }

    /// Runs the completion once.
    pub(crate) fn complete(
        &self,
        completing: Completing,
        ctx: Context,
    ) -> BoxFuture<Result<Completion, ToolError>> {
        (self.0)(completing, ctx)
    }
}
