//! From an accepted request to its outcome.
//!
//! What is known at once is answered at once; what runs a handler becomes a future that ends with the
//! answer (`run`). Every request holds a [`Ticket`] from here on, so none can end without one.

use std::sync::Arc;

use hermes_proto::admit::Field;
use hermes_proto::channel::{Call, CallId};
use hermes_proto::opening::Handshake;
use hermes_telemetry::carried::Carried;
use hermes_telemetry::server::{Arrival, Watch, session_created};
use hermes_telemetry::transport;
use hermes_types::{
    DiscoverResult, EmptyResult, Fault, InitializeResult, JsonObject, Method, PromptsCapability, RawJson,
    RequestId, ResourcesCapability, Revision, Sender, ServerCapabilities, SetLevelRequestParams,
    ToolsCapability,
};
use http::request::Parts;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::layer::Answer;
use crate::link::Link;
use crate::list;
use crate::run::{Job, Serving};
use crate::schema;
use crate::server::Server;
use crate::session::Session;
use crate::session_handle::SessionHandle;
use crate::subscribe;
use crate::ticket::Ticket;
use crate::tool::BoxFuture;
use crate::view::View;

/// Answers the legacy handshake.
pub(crate) fn handshake(
    server: &Server,
    link: &Arc<dyn Link>,
    call: CallId,
    id: RequestId,
    mut agreed: Handshake,
) {
    let revision = agreed.revision;
    let arrival = Arrival {
        method: Method::Initialize.as_str(),
        id: &id,
        revision,
        transport: transport_of(&**link, None),
    };
    // The session does not keep it.
    let meta = agreed.meta.take();
    let carried = || Carried::in_meta(meta.as_ref().map(RawJson::get));
    let watch = Watch::begin(&arrival, || link.session_label(), carried);
    link.begin(call, revision);
    link.open_session(Session::new(SessionHandle::new(link, &server.hub, agreed)));
    if let Some(session) = link.session().filter(|_| link.is_lasting()) {
        let client = session.handle.client_info().map(|client| client.name.as_str());
        session_created(&session.handle.label(), client, revision);
        server.settings.hooks.opened(&session.handle);
    }
    let view = server.hub.view(&**link, false);
    let capabilities = capabilities(server, &view, link.is_lasting());
    if let Some(session) = link.session() {
        session.declare(capabilities.clone());
    }
    let mut result = InitializeResult::new(revision, capabilities, server.settings.info.clone());
    result.instructions.clone_from(&server.settings.instructions);
    Ticket::new(Arc::clone(link), call, id, revision, watch).answer(&mut result);
}

/// Looks up a header of the request that carried a message.
pub(crate) type Headers<'a> = &'a dyn Fn(&str) -> Field<'a>;

/// What came with a request over HTTP, and nothing otherwise.
#[derive(Default)]
pub(crate) struct Carriage<'a> {
    /// The head of the request.
    pub(crate) head: Option<Arc<Parts>>,
    /// The headers, when they have to agree with the arguments: in the modern era.
    pub(crate) headers: Option<Headers<'a>>,
    /// The text that the request was decoded from, if it can be kept: then nothing of it has to be copied.
    pub(crate) text: Option<&'a Arc<String>>,
}

/// Serves a request. Gives the future that runs its handler, if it has one.
pub(crate) fn dispatch(
    server: &Server,
    link: &Arc<dyn Link>,
    call: Call<'_>,
    carriage: Carriage<'_>,
) -> Option<BoxFuture<()>> {
    let stop = link.begin(call.call, call.revision);
    let watch = watch(&**link, &call, carriage.head.as_deref());
    let mut ticket = Ticket::new(Arc::clone(link), call.call, call.request_id.clone(), call.revision, watch);
    let view = server.hub.view(&**link, call.revision.is_modern());
    let lasting = link.is_lasting();
    let method =
        Method::parse(&call.method).filter(|method| serves(server, &view, *method, call.revision, lasting));
    let Some(method) = method else {
        ticket.refuse(&Fault::method_not_found(&call.method));
        return None;
    };
    let (settings, params) = (&server.settings, call.params);
    match method {
        Method::Ping => ticket.answer(&mut EmptyResult::new()),
        Method::ServerDiscover => ticket.answer(&mut discover(server, &view)),
        Method::LoggingSetLevel => ticket.conclude(set_level(&**link, params)),
        Method::ResourcesSubscribe => ticket.conclude(subscribe::subscribe(&**link, &view, params)),
        Method::ResourcesUnsubscribe => ticket.conclude(subscribe::unsubscribe(&**link, params)),
        Method::SubscriptionsListen => {
            subscribe::listen(&**link, &view, (call.call, &call.request_id), params, ticket);
        }
        other => {
            // What stands around the handlers is to see every list, and files have to be looked for.
            let has_files = other == Method::ResourcesList && !server.hub.sources().is_empty();
            if settings.layers.is_none()
                && !has_files
                && let Some(page) = list::written(settings, &view, (other, call.revision), params)
            {
                ticket.answer_written(page);
                return None;
            }
            let found = match other {
                Method::ToolsList => list::tools(settings, &view, params).map(Answer::Tools).map(Job::ready),
                // What the list says has to be looked for first.
                Method::ResourcesList if !server.hub.sources().is_empty() => Ok(Job::files(params)),
                Method::ResourcesList => {
                    list::resources(settings, &view, params).map(Answer::Resources).map(Job::ready)
                }
                Method::ResourcesTemplatesList => {
                    list::templates(settings, &view, params).map(Answer::Templates).map(Job::ready)
                }
                Method::PromptsList => {
                    list::prompts(settings, &view, params).map(Answer::Prompts).map(Job::ready)
                }
                handled => Job::find(handled, &view, params, &call.meta.beside, &carriage),
            };
            let job = match found {
                // What is known at once is answered at once, unless something of the author's stands around it.
                Ok(Job::Ready(mut answer)) if settings.layers.is_none() => {
                    answer.give(ticket);
                    return None;
                }
                Ok(job) => {
                    ticket.about(&job);
                    job
                }
                Err(fault) => {
                    ticket.refuse(&fault);
                    return None;
                }
            };
            match Serving::enter(server, link, stop, other, call, carriage) {
                Ok(serving) => return Some(serving.run(job, ticket)),
                Err(fault) => ticket.refuse(&fault),
            }
        }
    }
    None
}

/// Begins to watch over a request. The `_meta` says where it stands in a trace, else the head of its HTTP request.
fn watch(link: &dyn Link, call: &Call<'_>, head: Option<&Parts>) -> Watch {
    transport::decoded("request", Some(&call.method));
    let arrival = Arrival {
        method: &call.method,
        id: &call.request_id,
        revision: call.revision,
        transport: transport_of(link, head),
    };
    let carried = || {
        let in_meta = Carried::in_meta(call.meta.raw.map(RawValue::get));
        match head {
            Some(head) if in_meta.is_empty() => Carried::by_key(|key| {
                head.headers.get(key).and_then(|value| value.to_str().ok()).map(Into::into)
            }),
            _ => in_meta,
        }
    };
    Watch::begin(&arrival, || link.session_label(), carried)
}

/// What carries the messages of a call.
fn transport_of(link: &dyn Link, head: Option<&Parts>) -> &'static str {
    match (head, link.facts()) {
        (Some(_), _) => transport::kind::HTTP,
        (None, Some(facts)) => facts.transport(),
        // Only connections have facts.
        (None, None) => transport::kind::HTTP,
    }
}

/// Whether the method is served: defined for clients in the revision, and its capability declared.
fn serves(server: &Server, view: &View, method: Method, revision: Revision, lasting: bool) -> bool {
    let by_clients = matches!(method.sender(), Sender::Client | Sender::Both);
    by_clients
        && method.is_defined(revision)
        && match method {
            Method::Ping | Method::ServerDiscover | Method::SubscriptionsListen => true,
            Method::LoggingSetLevel => server.settings.logging && lasting,
            Method::ToolsList | Method::ToolsCall => view.tools().is_declared(),
            Method::ResourcesList | Method::ResourcesTemplatesList | Method::ResourcesRead => {
                view.has_resources()
            }
            Method::ResourcesSubscribe | Method::ResourcesUnsubscribe => view.has_resources() && lasting,
            Method::PromptsList | Method::PromptsGet => view.prompts().is_declared(),
            Method::CompletionComplete => view.has_completions(),
            // Notifications sent with an id, a handshake with modern `_meta`, tasks.
            _ => false,
        }
}

/// What the server can do, as far as there is something to it.
///
/// To a client for whom nothing can be remembered, nothing is promised that would have to be.
fn capabilities(server: &Server, view: &View, lasting: bool) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::default();
    if view.tools().is_declared() {
        capabilities.tools =
            Some(ToolsCapability { list_changed: lasting.then_some(true), ..ToolsCapability::default() });
    }
    if view.has_resources() {
        capabilities.resources = Some(ResourcesCapability {
            subscribe: lasting.then_some(true),
            list_changed: lasting.then_some(true),
            ..ResourcesCapability::default()
        });
    }
    if view.prompts().is_declared() {
        capabilities.prompts =
            Some(PromptsCapability { list_changed: lasting.then_some(true), ..PromptsCapability::default() });
    }
    if view.has_completions() {
        capabilities.completions = Some(JsonObject::new());
    }
    if server.settings.logging && lasting {
        capabilities.logging = Some(JsonObject::new());
    }
    capabilities
}

fn discover(server: &Server, view: &View) -> DiscoverResult {
    let mut result = DiscoverResult::new(&Revision::MODERN, capabilities(server, view, true));
    result.instructions.clone_from(&server.settings.instructions);
    (result.ttl_ms, result.cache_scope) = list::cache(&server.settings);
    result
}

fn set_level(link: &dyn Link, params: Option<&RawValue>) -> Result<EmptyResult, Fault> {
    let level = decode::<SetLevelRequestParams>(params)?.level;
    if !level.is_known() {
        return Err(Fault::invalid_params(format!("level: no such level: {level}")));
    }
    if let Some(session) = link.session() {
        session.set_log_level(level);
    }
    Ok(EmptyResult::new())
}

/// Reads the parameters of a method that needs some.
pub(crate) fn decode<'a, T: Deserialize<'a>>(params: Option<&'a RawValue>) -> Result<T, Fault> {
    let Some(params) = params else { return Err(Fault::invalid_params("params are missing")) };
    schema::read(params.get()).map_err(|invalid| Fault::invalid_params(format!("params: {invalid}")))
}
