//! Running a handler to its outcome: done, failed, suspended, out of time, panicked, cancelled.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::{poll_fn, ready};
use std::panic::AssertUnwindSafe;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex};
use std::task::{self, Poll};
use std::time::{Duration, SystemTime};

use hermes_proto::admit::mirrored;
use hermes_proto::channel::Call;
use hermes_proto::opening::{Beside, Member};
use hermes_telemetry::Instrument as _;
use hermes_telemetry::server::Subject;
use hermes_types::{CallToolResult, CompleteRequestParams, CompleteResult, Fault, JsonPart, Method, RawJson};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::ask::{Asked, Origin, Outcome, Seal, drive};
use crate::completion::{Completing, CompletionEntry, Owner};
use crate::context::{CallState, Context};
use crate::dispatch::{Carriage, decode};
use crate::error::ToolError;
use crate::layer::{Answer, Invocation, Next};
use crate::link::Link;
use crate::list;
use crate::prompt::PromptEntry;
use crate::resource::Found;
use crate::server::Server;
use crate::session::{States, Stop};
use crate::ticket::Ticket;
use crate::tool::{BoxFuture, ToolEntry};
use crate::view::View;

/// What a request asks for, found and with its arguments.
pub(crate) enum Job {
    Complete(Option<Arc<CompletionEntry>>, Owner, Completing),
    /// A page of resources, of which some are files; with the parameters that say which page.
    Files(Option<RawJson>),
    Prompt(Arc<PromptEntry>, BTreeMap<String, String>),
    Read(Found),
    /// Nothing is left to do; it only comes by the layers.
    Ready(Box<Answer>),
    Tool(Arc<ToolEntry>, JsonPart),
}

impl Job {
    /// Finds what a request asks for.
    pub(crate) fn find(
        method: Method,
        view: &View,
        params: Option<&RawValue>,
        beside: &Beside<'_>,
        carriage: &Carriage<'_>,
    ) -> Result<Self, Fault> {
        match method {
            Method::ToolsCall => Self::tool(view, params, beside, carriage),
            Method::PromptsGet => Self::prompt(view, params),
            Method::ResourcesRead => Self::read(view, params),
            Method::CompletionComplete => Self::complete(view, params),
            other => Err(Fault::method_not_found(other.as_str())),
        }
    }

    /// A list of resources that has to be made first.
    pub(crate) fn files(params: Option<&RawValue>) -> Self {
        Self::Files(params.map(RawJson::from))
    }

    /// An answer that is known already.
    pub(crate) fn ready(answer: Answer) -> Self {
        Self::Ready(Box::new(answer))
    }

    fn tool(
        view: &View,
        params: Option<&RawValue>,
        beside: &Beside<'_>,
        carriage: &Carriage<'_>,
    ) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
        }
        let Params { name, arguments } = match (beside.name.text(), beside.arguments) {
            (Some(name), Member::Absent) => Params { name, arguments: None },
            (Some(name), Member::One(arguments)) => Params { name, arguments: Some(arguments) },
            // Whoever decodes them says what is wrong.
            (None, _) | (_, Member::Twice) => decode(params)?,
        };
        let arguments = arguments.filter(|arguments| arguments.get() != "null");
        let tool = view.tools().find(&name).map_err(|absent| absent.fault("tool", &name))?;
        if let Some(headers) = carriage.headers {
            mirrored(&tool.mirrors, arguments, headers)?;
        }
        match arguments {
            Some(arguments) if !arguments.get().starts_with('{') => {
                Err(Fault::invalid_params("params: arguments has to be an object"))
            }
            arguments => {
                let kept = arguments.map(|arguments| JsonPart::new(arguments, carriage.text));
                Ok(Self::Tool(Arc::clone(tool), kept.unwrap_or_else(|| RawJson::empty_object().into())))
            }
        }
    }

    fn prompt(view: &View, params: Option<&RawValue>) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(default)]
            arguments: Option<BTreeMap<String, String>>,
        }
        let Params { name, arguments } = decode(params)?;
        let prompt = view.prompts().find(&name).map_err(|absent| absent.fault("prompt", &name))?;
        let arguments = arguments.unwrap_or_default();
        prompt.check(&arguments)?;
        Ok(Self::Prompt(Arc::clone(prompt), arguments))
    }

    fn read(view: &View, params: Option<&RawValue>) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            uri: Cow<'a, str>,
        }
        let Params { uri } = decode(params)?;
        Found::find(view, &uri).map(Self::Read).ok_or_else(|| Fault::resource_not_found(&uri))
    }

    fn complete(view: &View, params: Option<&RawValue>) -> Result<Self, Fault> {
        let CompleteRequestParams { reference, argument, context, .. } = decode(params)?;
        let owner =
            Owner::of(reference).ok_or_else(|| Fault::invalid_params("params: ref is of an unknown kind"))?;
        let (known, what, name) = match &owner {
            Owner::Prompt(name) => {
                let found = view.prompts().find(name);
                (found.map(|prompt| prompt.has_argument(&argument.name)), "prompt", name)
            }
            Owner::Template(uri) => {
                let found = view.templates().find(uri);
                (found.map(|template| template.has_variable(&argument.name)), "resource template", uri)
            }
        };
        if !known.map_err(|absent| absent.fault(what, name))? {
            let message = format!("the {what} {name} has no argument `{}`", argument.name);
            return Err(Fault::invalid_params(message));
        }
        let arguments = context.and_then(|context| context.arguments).unwrap_or_default();
        let entry = view.completion(&owner, argument.name);
        Ok(Self::Complete(entry, owner, Completing { value: argument.value, arguments }))
    }
}

impl Job {
    /// What it is to be done with.
    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::Complete(_, owner, _) => Some(owner.name()),
            Self::Prompt(prompt, _) => Some(&prompt.prompt.name),
            Self::Read(found) => Some(found.uri()),
            Self::Files(_) | Self::Ready(_) => None,
            Self::Tool(tool, _) => Some(&tool.tool.name),
        }
    }

    /// What traces and accounts call it: nothing that a client can make up.
    pub(crate) fn subject(&self) -> Option<Subject<'_>> {
        match self {
            Self::Prompt(prompt, _) => Some(Subject::Prompt(&prompt.prompt.name)),
            Self::Read(found) => Some(Subject::Resource(found.registered())),
            Self::Tool(tool, _) => Some(Subject::Tool(&tool.tool.name)),
            _ => None,
        }
    }

    /// The arguments of a tool.
    pub(crate) const fn arguments(&self) -> Option<&JsonPart> {
        match self {
            Self::Tool(_, arguments) => Some(arguments),
            Self::Complete(..) | Self::Files(_) | Self::Prompt(..) | Self::Read(_) | Self::Ready(_) => None,
        }
    }

    /// The same, with arguments that have a place of their own.
    pub(crate) fn on_its_own(self) -> Self {
        match self {
            Self::Tool(tool, arguments) => Self::Tool(tool, arguments.into_raw().into()),
            other => other,
        }
    }

    /// How long a tool may take, if it says so itself.
    fn deadline(&self) -> Option<Duration> {
        match self {
            Self::Tool(tool, _) => tool.deadline,
            Self::Complete(..) | Self::Files(_) | Self::Prompt(..) | Self::Read(_) | Self::Ready(_) => None,
        }
    }

    /// What runs the handler: nothing of it before it is polled.
    pub(crate) fn run(self, ctx: Context) -> Handling {
        Handling(match self {
            Self::Tool(tool, arguments) => Running::Called(tool, arguments, ctx),
            Self::Ready(answer) => Running::Other(Box::pin(ready(Ok(answer)))),
            Self::Prompt(prompt, arguments) => Running::Other(Box::pin(async move {
                prompt.get(arguments, ctx).await.map(|result| Box::new(Answer::Prompt(result)))
            })),
            Self::Complete(entry, _, completing) => Running::Other(Box::pin(async move {
                let mut result = CompleteResult::new(Vec::new());
                // An argument that nobody completes has no proposals.
                if let Some(entry) = entry {
                    result.completion = entry.complete(completing, ctx).await?;
                }
                Ok(Box::new(Answer::Completion(result)))
            })),
            Self::Read(found) => Running::Other(Box::pin(async move {
                let cache = (!found.says_cache()).then(|| list::cache(ctx.settings()));
                let mut result = found.read(ctx).await?;
                if let Some(cache) = cache {
                    (result.ttl_ms, result.cache_scope) = cache;
                }
                Ok(Box::new(Answer::Resource(result)))
            })),
            Self::Files(params) => Running::Other(Box::pin(async move {
                let view = ctx.fresh_view().await;
                let listed = list::resources(ctx.settings(), &view, params.as_ref().map(RawJson::as_raw));
                listed.map(|result| Box::new(Answer::Resources(result))).map_err(ToolError::refuse)
            })),
        })
    }
}

/// What comes of a handler.
type Handled = Result<Box<Answer>, ToolError>;

/// A handler that runs. Its answer is large, and stays where it is on its way out; so does the handler itself, which is
/// handed along as a few pointers.
pub(crate) struct Handling(Running);

enum Running {
    /// It was not called yet.
    Called(Arc<ToolEntry>, JsonPart, Context),
    Tool(Arc<ToolEntry>, BoxFuture<Result<CallToolResult, ToolError>>),
    Other(BoxFuture<Handled>),
}

impl Handling {
    /// A handler that something of the author's stands around.
    fn behind(next: Next, invocation: Invocation) -> Self {
        Self(Running::Other(Box::pin(async move { next.run(invocation).await.map(Box::new) })))
    }
}

impl Future for Handling {
    type Output = Handled;

    fn poll(mut self: Pin<&mut Self>, cx: &mut task::Context<'_>) -> Poll<Self::Output> {
        if let Running::Called(tool, arguments, ctx) = &self.0 {
            let handler = tool.call(arguments.clone(), ctx.clone());
            self.0 = Running::Tool(Arc::clone(tool), handler);
        }
        match &mut self.0 {
            Running::Other(handler) => handler.as_mut().poll(cx),
            Running::Tool(tool, handler) => {
                let result = std::task::ready!(handler.as_mut().poll(cx))?;
                tool.check_output(&result)?;
                Poll::Ready(Ok(Box::new(Answer::Tool(result))))
            }
            // It was called above.
            Running::Called(..) => Poll::Ready(Err(ToolError::new("the tool was not called"))),
        }
    }
}

/// A request whose handler is about to run.
pub(crate) struct Serving {
    ctx: Context,
    stop: Arc<Stop>,
    seal: Arc<Seal>,
    method: Method,
    /// The parameters of a modern request: only those are repeated, and have to be told again.
    params: Option<JsonPart>,
}

impl Serving {
    /// Makes the context of a call, with what earlier rounds of it have kept.
    pub(crate) fn enter(
        server: &Server,
        link: &Arc<dyn Link>,
        stop: Arc<Stop>,
        method: Method,
        call: Call<'_>,
        carriage: Carriage<'_>,
    ) -> Result<Self, Fault> {
        let params = call.params.filter(|_| call.revision.is_modern());
        let params = params.map(|params| JsonPart::new(params, carriage.text));
        let origin = origin(method, params.as_ref(), link.principal());
        let asked = Asked::enter(call.revision, &origin, &call.meta.beside, &server.seal, SystemTime::now)?;
        let ctx = Context::new(CallState {
            call: call.call,
            request_id: call.request_id,
            revision: call.revision,
            meta: call.meta.raw.map(RawJson::from),
            progress_token: call.meta.progress_token,
            progress: Mutex::new(None),
            modern: call.meta.modern,
            states: States::default(),
            asked,
            stop: Arc::clone(&stop),
            link: Arc::clone(link),
            hub: Arc::clone(&server.hub),
            head: carriage.head,
        });
        Ok(Self { ctx, stop, seal: Arc::clone(&server.seal), method, params })
    }

    /// The future that runs the handler, behind the server's layers, and answers.
    pub(crate) fn run(self, job: Job, ticket: Ticket) -> BoxFuture<()> {
        let settings = self.ctx.settings();
        let deadline = job.deadline().unwrap_or(settings.deadline);
        let span = ticket.span().clone();
        let handling = match settings.layers.clone() {
            None => job.run(self.ctx.clone()),
            Some(next) => Handling::behind(next, Invocation::new(self.ctx.clone(), self.method, job)),
        };
        let serving = async move {
            let (ctx, stop) = (self.ctx.clone(), Arc::clone(&self.stop));
            // Each has a reference to what it runs: by value, every one of them would keep room for it twice.
            let driven = pin!(drive(handling, ctx.asked()));
            let guarded = pin!(unless_panics(driven));
            let outcome = within(deadline, &stop, guarded).await;
            // Answered before what is left of the handler is dropped, which may take its time.
            self.conclude(outcome, deadline, ticket);
        };
        Box::pin(serving.instrument(span))
    }

    /// Answers with what came of the handler.
    fn conclude(
        self,
        outcome: Result<Result<Outcome<Handled>, Panicked>, Cut>,
        deadline: Duration,
        ticket: Ticket,
    ) {
        let Self { ctx, seal, method, params, .. } = self;
        let asked = ctx.asked();
        match outcome {
            Err(Cut::Over) => ticket.lapse(),
            Err(Cut::Late) => {
                ticket.refuse(&Fault::internal_error(format!("the deadline of {deadline:?} passed")));
            }
            Ok(Ok(Outcome::Finished(Ok(mut answer)))) => answer.give(ticket),
            Ok(Ok(Outcome::Finished(Err(error)))) => {
                let clients =
                    Some(asked).filter(|_| ctx.revision().is_modern()).and_then(Asked::clients_fault);
                match (error.into_fault(), clients) {
                    (Ok(fault), _) | (Err(_), Some(fault)) => ticket.refuse(&fault),
                    // What goes wrong inside a tool is for the model to read.
                    (Err(error), None) if method == Method::ToolsCall => {
                        ticket.answer(&mut CallToolResult::error(error.to_string()));
                    }
                    (Err(error), None) => ticket.refuse(&Fault::internal_error(error.to_string())),
                }
            }
            Ok(Ok(Outcome::InputRequired(round))) => {
                let origin = origin(method, params.as_ref(), ctx.principal());
                ticket.conclude(round.into_result(&seal, &origin, SystemTime::now()));
            }
            Ok(Ok(Outcome::Refused(fault))) => ticket.refuse(&fault),
            Ok(Err(Panicked)) => {
                tracing::error!(method = method.as_str(), "a handler panicked");
                ticket.refuse(&Fault::internal_error("the handler panicked"));
            }
        }
    }
}

/// The request that `requestState` is bound to.
fn origin<'a>(method: Method, params: Option<&'a JsonPart>, principal: Option<&'a str>) -> Origin<'a> {
    Origin { method: method.as_str(), params: params.map(JsonPart::get), principal }
}

/// Why a handler is not run to its end.
enum Cut {
    /// Its time is over.
    Late,
    /// Its call is over.
    Over,
}

/// Runs a future until it ends, its time is over or its call is. Leaving drops it.
///
/// What watches for the latter two is made for a future that has to wait: most end when they are first asked.
async fn within<F: Future>(deadline: Duration, stop: &Stop, future: F) -> Result<F::Output, Cut> {
    let mut future = pin!(future);
    let mut cut = None;
    poll_fn(|cx| {
        if stop.is_stopped() {
            return Poll::Ready(Err(Cut::Over));
        }
        if let Poll::Ready(output) = future.as_mut().poll(cx) {
            return Poll::Ready(Ok(output));
        }
        let watching = || async {
            tokio::select! {
                biased;
                () = stop.stopped() => Cut::Over,
                () = tokio::time::sleep(deadline) => Cut::Late,
            }
        };
        cut.get_or_insert_with(|| Box::pin(watching())).as_mut().poll(cx).map(Err)
    })
    .await
}

/// A handler panicked.
struct Panicked;

/// Runs a future; a panic in it ends it and nothing else.
async fn unless_panics<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    poll_fn(move |cx| {
        // After a panic the future is not polled again, so nobody sees what it left half done.
        match std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}
