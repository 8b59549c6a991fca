//! What stands around every handler: timing, limits, permissions, traces.
//!
//! The one seam goes from an [`Invocation`] to an [`Answer`]. [`Server::around`] puts a function there, and with the feature
//! `tower` any layer fits.

use std::fmt;
use std::future::{self, Future};
use std::sync::Arc;
use std::task;

use crate::context::Context;
use crate::error::ToolError;
use crate::run::Job;
use crate::server::Server;
use crate::ticket::Ticket;
use crate::tool::BoxFuture;
use hermes_types::{
    CallToolResult, CompleteResult, GetPromptResult, JsonPart, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, Method, RawJson, ReadResourceResult,
};

/// A request on its way to its handler.
///
/// What it names was found; nothing of its arguments was looked at.
pub struct Invocation {
    ctx: Context,
    method: Method,
    job: Job,
}

impl Invocation {
    pub(crate) fn new(ctx: Context, method: Method, job: Job) -> Self {
        Self { ctx, method, job: job.on_its_own() }
    }

    /// What is to be done: `tools/call`, `resources/read`, `prompts/get`, `completion/complete`, or one of the lists.
    #[must_use]
    pub const fn method(&self) -> Method {
        self.method
    }

    /// What it is to be done with: the name of the tool or the prompt, the URI of the resource. Lists have none.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.job.name()
    }

    /// The arguments of a tool, as they came.
    #[must_use]
    pub fn arguments(&self) -> Option<&RawJson> {
        self.job.arguments().and_then(JsonPart::as_raw)
    }

    /// The call: who asks, and everything else that a handler knows.
    #[must_use]
    pub const fn context(&self) -> &Context {
        &self.ctx
    }
}

impl fmt::Debug for Invocation {
    /// Without the arguments: they may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("method", &self.method)
            .field("name", &self.name())
            .finish_non_exhaustive()
    }
}

/// What came of an [`Invocation`], if it did not fail.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Answer {
    /// To `completion/complete`.
    Completion(CompleteResult),
    /// To `prompts/get`.
    Prompt(GetPromptResult),
    /// To `prompts/list`.
    Prompts(ListPromptsResult),
    /// To `resources/read`.
    Resource(ReadResourceResult),
    /// To `resources/list`.
    Resources(ListResourcesResult),
    /// To `resources/templates/list`.
    Templates(ListResourceTemplatesResult),
    /// To `tools/call`; a tool's own failure may be among them.
    Tool(CallToolResult),
    /// To `tools/list`.
    Tools(ListToolsResult),
}

impl Answer {
    /// Whether it is the failure of a tool.
    #[must_use]
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Tool(result) if result.is_error())
    }

    pub(crate) fn give(&mut self, ticket: Ticket) {
        match self {
            Self::Completion(result) => ticket.answer(result),
            Self::Prompt(result) => ticket.answer(result),
            Self::Prompts(result) => ticket.answer(result),
            Self::Resource(result) => ticket.answer(result),
            Self::Resources(result) => ticket.answer(result),
            Self::Templates(result) => ticket.answer(result),
            Self::Tool(result) => ticket.answer(result),
            Self::Tools(result) => ticket.answer(result),
        }
    }
}

/// Everything that stands between a layer and the handler.
pub struct Next(pub(crate) Box<dyn Stage>);

impl Next {
    /// What a stage makes of one call after the other.
    pub(crate) fn at(stage: impl Stage + 'static) -> Self {
        Self(Box::new(stage))
    }

    /// Goes on to the handler.
    ///
    /// # Errors
    /// The handler failed, or a layer before it refused.
    ///
    /// # Cancel safety
    /// Dropping the future drops the handler.
    pub async fn run(mut self, invocation: Invocation) -> Result<Answer, ToolError> {
        future::poll_fn(|cx| self.0.ready(cx)).await?;
        self.0.run(invocation).await
    }
}

impl Clone for Next {
    fn clone(&self) -> Self {
        Self(self.0.copy())
    }
}

/// Something that stands between layers.
pub(crate) trait Stage: Send + Sync {
    /// Waits until it takes a call.
    fn ready(&mut self, cx: &mut task::Context<'_>) -> task::Poll<Result<(), ToolError>>;

    fn run(&mut self, invocation: Invocation) -> BoxFuture<Result<Answer, ToolError>>;

    fn copy(&self) -> Box<dyn Stage>;
}

/// The handlers themselves.
struct Handlers;

impl Stage for Handlers {
    fn ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), ToolError>> {
        task::Poll::Ready(Ok(()))
    }

    fn run(&mut self, invocation: Invocation) -> BoxFuture<Result<Answer, ToolError>> {
        let handling = invocation.job.run(invocation.ctx);
        Box::pin(async move { handling.await.map(|answer| *answer) })
    }

    fn copy(&self) -> Box<dyn Stage> {
        Box::new(Self)
    }
}

/// A function around what comes next.
struct Around<F> {
    function: Arc<F>,
    next: Next,
}

impl<F, Fut> Stage for Around<F>
where
    F: Fn(Invocation, Next) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<Answer, ToolError>> + Send + 'static,
{
    /// What comes next is only asked when the function goes on to it.
    fn ready(&mut self, _: &mut task::Context<'_>) -> task::Poll<Result<(), ToolError>> {
        task::Poll::Ready(Ok(()))
    }

    fn run(&mut self, invocation: Invocation) -> BoxFuture<Result<Answer, ToolError>> {
        Box::pin((self.function)(invocation, self.next.clone()))
    }

    fn copy(&self) -> Box<dyn Stage> {
        Box::new(Self { function: Arc::clone(&self.function), next: self.next.clone() })
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Next")
    }
}

impl Server {
    /// Puts a function around every handler. It sees the [`Invocation`] first and its outcome last, and decides
    /// whether the handler runs at all.
    ///
    /// The function that was added last comes first. It stands around `tools/call`, `resources/read`, `prompts/get`,
    /// `completion/complete` and the lists. A failure is told as a handler's: to the model for a tool, and as a
    /// protocol error if it is [`ToolError::refuse`]. In the modern era a call that asks its client something comes
    /// by once for every round.
    ///
    /// ```
    /// use std::time::Instant;
    /// use hermes_server::{Invocation, Next, Server, ToolError};
    ///
    /// let server = Server::new("demo", "0.1.0")
    ///     .tool("wipe", |(): (), _| async { "all gone" })
    ///     .around(|invocation: Invocation, next: Next| async move {
    ///         let what = format!("{} {}", invocation.method().as_str(), invocation.name().unwrap_or("-"));
    ///         let started = Instant::now();
    ///         let outcome = next.run(invocation).await;
    ///         eprintln!("{what}: {:?}, ok: {}", started.elapsed(), outcome.is_ok());
    ///         outcome
    ///     })
    ///     .around(|invocation: Invocation, next: Next| async move {
    ///         if invocation.name() == Some("wipe") && invocation.context().principal() != Some("root") {
    ///             return Err(ToolError::new("only root may wipe"));
    ///         }
    ///         next.run(invocation).await
    ///     });
    /// ```
    pub fn around<F, Fut>(self, function: F) -> Self
    where
        F: Fn(Invocation, Next) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<Answer, ToolError>> + Send + 'static,
    {
        let function = Arc::new(function);
        self.behind(|next| Next::at(Around { function, next }))
    }

    /// This with one more stage before all others.
    pub(crate) fn behind(mut self, stage: impl FnOnce(Next) -> Next) -> Self {
        let settings = self.settings();
        let next = settings.layers.take().unwrap_or_else(|| Next::at(Handlers));
        settings.layers = Some(stage(next));
        self
    }
}
