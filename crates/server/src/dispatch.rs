//! From an accepted request to its outcome.
//!
//! What is known at once is answered at once; what runs a handler becomes a future that ends with the
//! answer. Every request holds a [`Ticket`] from here on, so none can end without one.

use std::borrow::Cow;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, SystemTime};

use hermes_proto::channel::Call;
use hermes_types::{
    CallToolResult, DiscoverResult, EmptyResult, Fault, InitializeResult, Method, RawJson, RequestId,
    Revision, Sender, ServerCapabilities, SetLevelRequestParams, ToolsCapability,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use hermes_proto::channel::CallId;
use hermes_proto::opening::Handshake;

use crate::ask::{Asked, Origin, Outcome, drive};
use crate::context::{CallState, Context};
use crate::error::ToolError;
use crate::link::Link;
use crate::list;
use crate::registry::Registry;
use crate::server::Server;
use crate::stamp::Stamp;
use crate::ticket::Ticket;
use crate::tool::BoxFuture;

/// Answers the legacy handshake.
pub(crate) fn handshake(server: &Server, link: &Arc<Link>, call: CallId, id: RequestId, agreed: Handshake) {
    let revision = agreed.revision;
    link.begin(call, revision);
    link.open_session(agreed);
    let mut result = InitializeResult::new(
        revision,
        capabilities(server, &server.offer.now()),
        server.settings.info.clone(),
    );
    result.instructions.clone_from(&server.settings.instructions);
    Ticket::new(Arc::clone(&server.settings), Arc::clone(link), call, id, revision).answer(result);
}

/// Serves a request. Gives the future that runs its handler, if it has one.
pub(crate) fn dispatch(server: &Server, link: &Arc<Link>, call: Call<'_>) -> Option<BoxFuture<()>> {
    let stop = link.begin(call.call, call.revision);
    let ticket = Ticket::new(
        Arc::clone(&server.settings),
        Arc::clone(link),
        call.call,
        call.request_id.clone(),
        call.revision,
    );
    let offer = server.offer.now();
    let method = Method::parse(&call.method).filter(|method| serves(&offer, *method, call.revision));
    let Some(method) = method else {
        ticket.refuse(&Fault::method_not_found(&call.method));
        return None;
    };
    let settings = &server.settings;
    match method {
        Method::Ping => ticket.answer(EmptyResult::new()),
        Method::ServerDiscover => ticket.answer(discover(server, &offer)),
        Method::ToolsList => ticket.conclude(list::tools(settings, &offer, call.params)),
        Method::LoggingSetLevel => ticket.conclude(set_level(link, call.params)),
        Method::ToolsCall => {
            let request = Running { server, link, stop, method, call };
            return request.call_tool(ticket, &offer);
        }
        // `serves` lets nothing else through.
        other => ticket.refuse(&Fault::method_not_found(other.as_str())),
    }
    None
}

/// Whether the method is served: defined for clients in the revision, and its capability declared.
fn serves(offer: &Registry, method: Method, revision: Revision) -> bool {
    let for_clients = matches!(method.sender(), Sender::Client | Sender::Both);
    for_clients
        && !method.is_notification()
        && method.is_defined(revision)
        && match method {
            Method::ToolsList | Method::ToolsCall => offer.tools.is_used(),
            Method::Ping | Method::ServerDiscover | Method::LoggingSetLevel => true,
            _ => false,
        }
}

/// What the server can do, as far as there is something to it.
fn capabilities(server: &Server, offer: &Registry) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    if server.settings.logging {
        capabilities.logging = Some(Default::default());
    }
    if offer.tools.is_used() {
        let mut tools = ToolsCapability::default();
        tools.list_changed = Some(true);
        capabilities.tools = Some(tools);
    }
    capabilities
}

fn discover(server: &Server, offer: &Registry) -> DiscoverResult {
    let mut result = DiscoverResult::new(&Revision::MODERN, capabilities(server, offer));
    result.instructions.clone_from(&server.settings.instructions);
    (result.ttl_ms, result.cache_scope) = list::cache(&server.settings);
    result
}

fn set_level(link: &Link, params: Option<&RawValue>) -> Result<EmptyResult, Fault> {
    let level = decode::<SetLevelRequestParams>(params)?.level;
    if !level.is_known() {
        return Err(Fault::invalid_params(format!("level: no such level: {level}")));
    }
    if let Some(session) = link.session() {
        *session.log_level.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = level;
    }
    Ok(EmptyResult::new())
}

/// Reads the parameters of a method that needs some.
pub(crate) fn decode<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<T, Fault> {
    let Some(params) = params else { return Err(Fault::invalid_params("params are missing")) };
    serde_json::from_str(params.get()).map_err(|error| Fault::invalid_params(format!("params: {error}")))
}

/// A request whose handler is about to run.
struct Running<'a> {
    server: &'a Server,
    link: &'a Arc<Link>,
    stop: Arc<crate::link::Stop>,
    method: Method,
    call: Call<'a>,
}

impl Running<'_> {
    fn call_tool(self, ticket: Ticket, offer: &Registry) -> Option<BoxFuture<()>> {
        #[derive(Deserialize)]
        struct Params<'a> {
            #[serde(borrow)]
            name: Cow<'a, str>,
            #[serde(borrow, default)]
            arguments: Option<&'a RawValue>,
        }
        let found = decode::<Params<'_>>(self.call.params).and_then(|params| {
            let tool = offer.tools.find(&params.name);
            let tool = tool.ok_or_else(|| Fault::invalid_params(format!("unknown tool: {}", params.name)))?;
            match params.arguments {
                Some(arguments) if !arguments.get().starts_with('{') => {
                    Err(Fault::invalid_params("params: arguments has to be an object"))
                }
                arguments => {
                    Ok((Arc::clone(tool), arguments.map_or_else(RawJson::empty_object, RawJson::from)))
                }
            }
        });
        let (tool, arguments) = match found {
            Ok(found) => found,
            Err(fault) => {
                ticket.refuse(&fault);
                return None;
            }
        };
        let deadline = tool.deadline.unwrap_or(self.server.settings.deadline);
        let failed = |error: ToolError| Ok(CallToolResult::error(error.to_string()));
        self.run(ticket, deadline, failed, move |ctx| async move { tool.call(arguments, ctx).await })
    }

    /// Makes the future that runs a handler to its outcome. `failed` says what a failure is answered with.
    fn run<R, F, Fut>(
        self,
        ticket: Ticket,
        deadline: Duration,
        failed: fn(ToolError) -> Result<R, Fault>,
        handler: F,
    ) -> Option<BoxFuture<()>>
    where
        R: Stamp + Send + 'static,
        F: FnOnce(Context) -> Fut + Send + 'static,
        Fut: Future<Output = Result<R, ToolError>> + Send,
    {
        let Self { server, link, stop, method, call } = self;
        let modern = call.revision.is_modern();
        // Only modern requests are repeated, and only their parameters are needed to tell a repetition.
        let params = call.params.filter(|_| modern).map(RawJson::from);
        let origin = Origin { method: method.as_str(), params: params.as_ref(), principal: None };
        let asked = match Asked::enter(call.revision, &origin, &server.seal, SystemTime::now()) {
            Ok(asked) => asked,
            Err(fault) => {
                ticket.refuse(&fault);
                return None;
            }
        };
        let (client_capabilities, client_info, log_level) = match call.meta.modern {
            Some(meta) => (meta.client_capabilities, meta.client_info, meta.log_level),
            None => link.session().map_or_else(Default::default, |session| {
                (session.client.client_capabilities.clone(), session.client.client_info.clone(), None)
            }),
        };
        let ctx = Context::new(CallState {
            call: call.call,
            request_id: call.request_id,
            revision: call.revision,
            meta: call.meta.raw.map(RawJson::from),
            progress_token: call.meta.progress_token,
            progress: Mutex::new(None),
            client_capabilities,
            client_info,
            log_level,
            logging: server.settings.logging,
            states: Mutex::default(),
            asked,
            stop,
            link: Arc::clone(link),
        });
        let seal = Arc::clone(&server.seal);
        Some(Box::pin(async move {
            let stop = ctx.stop();
            let run = tokio::time::timeout(deadline, unless_panics(drive(handler(ctx.clone()), ctx.asked())));
            let outcome = tokio::select! {
                biased;
                () = stop.stopped() => return ticket.lapse(),
                outcome = run => outcome,
            };
            match outcome {
                Err(_) => {
                    ticket.refuse(&Fault::internal_error(format!("the deadline of {deadline:?} passed")))
                }
                Ok(Err(Panicked)) => {
                    tracing::error!(method = method.as_str(), "a handler panicked");
                    ticket.refuse(&Fault::internal_error("the handler panicked"));
                }
                Ok(Ok(Outcome::Finished(Ok(result)))) => ticket.answer(result),
                Ok(Ok(Outcome::Finished(Err(error)))) => {
                    let clients = Some(ctx.asked()).filter(|_| modern).and_then(Asked::clients_fault);
                    ticket.conclude(match (error.into_fault(), clients) {
                        (Ok(fault), _) | (Err(_), Some(fault)) => Err(fault),
                        (Err(error), None) => failed(error),
                    });
                }
                Ok(Ok(Outcome::InputRequired(round))) => {
                    let origin = Origin { method: method.as_str(), params: params.as_ref(), principal: None };
                    ticket.conclude(round.into_result(&seal, &origin, SystemTime::now()));
                }
                Ok(Ok(Outcome::Refused(fault))) => ticket.refuse(&fault),
            }
        }))
    }
}

/// A handler panicked.
struct Panicked;

/// Runs a future; a panic in it ends it and nothing else.
async fn unless_panics<F: Future>(future: F) -> Result<F::Output, Panicked> {
    let mut future = pin!(future);
    std::future::poll_fn(move |cx| {
        // After a panic the future is not polled again, so nobody sees what it left half done.
        match std::panic::catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(cx))) {
            Ok(Poll::Ready(output)) => Poll::Ready(Ok(output)),
            Ok(Poll::Pending) => Poll::Pending,
            Err(_) => Poll::Ready(Err(Panicked)),
        }
    })
    .await
}
