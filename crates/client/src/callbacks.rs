//! The host's answers to what a server asks: the same handlers in both eras.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use hermes_telemetry::client::{answer_refused, roots as told};
use hermes_telemetry::{Instrument as _, Span};
use hermes_types::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitAction,
    ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult, ElicitSchema,
    ElicitationCapability, Encode, ErrorObject, Fault, JsonObject, ListRootsResult, Method, RawJson,
    Revision, Root, RootsCapability, SamplingCapability, SamplingMessage, SamplingMessageContentBlock, Wire,
    code, json_words,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::task::JoinSet;

use crate::error::{HandlerError, Refusal};
use crate::schema::{Schema, Unfit};

type Pending<R> = Pin<Box<dyn Future<Output = Result<R, HandlerError>> + Send>>;
type Handler<P, R> = Arc<dyn Fn(P) -> Pending<R> + Send + Sync>;

/// What the host answers. A capability is declared for exactly what is there.
#[derive(Clone, Default)]
pub(crate) struct Handlers {
    pub(crate) form: Option<Handler<ElicitRequestFormParams, ElicitResult>>,
    pub(crate) url: Option<Handler<ElicitRequestUrlParams, ElicitResult>>,
    pub(crate) sample: Option<Handler<CreateMessageRequestParams, CreateMessageResult>>,
    /// Whether the model may be given tools.
    pub(crate) sample_tools: bool,
    pub(crate) roots: Option<Handler<(), Vec<Root>>>,
    /// Whether the roots may change.
    pub(crate) roots_change: bool,
}

/// Makes a handler of a function.
pub(crate) fn handler<P, R, F>(function: impl Fn(P) -> F + Send + Sync + 'static) -> Handler<P, R>
where
    F: Future<Output = Result<R, HandlerError>> + Send + 'static,
{
    Arc::new(move |params| Box::pin(function(params)))
}

impl Handlers {
    /// What is declared to the server.
    pub(crate) fn capabilities(&self) -> ClientCapabilities {
        let is_there = |there: bool| there.then(JsonObject::new);
        ClientCapabilities {
            roots: self.roots.as_ref().map(|_| RootsCapability {
                list_changed: self.roots_change.then_some(true),
                ..RootsCapability::default()
            }),
            sampling: self.sample.as_ref().map(|_| SamplingCapability {
                tools: is_there(self.sample_tools),
                ..SamplingCapability::default()
            }),
            elicitation: (self.form.is_some() || self.url.is_some()).then(|| ElicitationCapability {
                form: is_there(self.form.is_some()),
                url: is_there(self.url.is_some()),
                ..ElicitationCapability::default()
            }),
            ..ClientCapabilities::default()
        }
    }

    /// The names of what is declared, for traces.
    pub(crate) fn names(&self) -> String {
        let names = [
            ("elicitation", self.form.is_some() || self.url.is_some()),
            ("roots", self.roots.is_some()),
            ("sampling", self.sample.is_some()),
        ];
        let names: Vec<_> = names.into_iter().filter(|(_, there)| *there).map(|(name, _)| name).collect();
        names.join(" ")
    }

    /// Answers one question of the server, in the words of this revision.
    ///
    /// # Errors
    /// Why there is no answer.
    ///
    /// # Cancel safety
    /// Dropping it drops the handler.
    pub(crate) async fn answer(
        &self,
        method: &str,
        params: Option<RawJson>,
        revision: Revision,
    ) -> Result<RawJson, Refusal> {
        let answer = self.answer_within(method, params, revision).await;
        if let Err(refusal) = &answer {
            answer_refused(refusal.word());
        }
        answer
    }

    async fn answer_within(
        &self,
        method: &str,
        params: Option<RawJson>,
        revision: Revision,
    ) -> Result<RawJson, Refusal> {
        match Method::parse(method) {
            Some(Method::ElicitationCreate) => self.elicit(&required(params)?, revision).await,
            Some(Method::SamplingCreateMessage) => self.sample(&required(params)?, revision).await,
            Some(Method::RootsList) => {
                let roots = run(self.roots.as_ref(), ()).await?;
                check_roots(&roots).map_err(|uri| {
                    Refusal::Handler(HandlerError::from(format!("the root {uri} is no file:// URI")))
                })?;
                told("list", Some(roots.len()));
                encode(&ListRootsResult::new(roots), revision)
            }
            _ => Err(Refusal::NoHandler),
        }
    }

    async fn elicit(&self, params: &RawJson, revision: Revision) -> Result<RawJson, Refusal> {
        let result = match decode::<ElicitRequestParams>(params)? {
            ElicitRequestParams::Form(form) => {
                let handler = self.form.as_ref().ok_or(Refusal::NotDeclared("elicitation by a form"))?;
                let schema = form.requested_schema.clone();
                let result = filled_in(run(Some(handler), form).await?, &schema);
                check_form(params, &result)?;
                result
            }
            ElicitRequestParams::Url(url) => {
                let handler = self.url.as_ref().ok_or(Refusal::NotDeclared("elicitation by a URL"))?;
                run(Some(handler), url).await?
            }
            _ => return Err(Refusal::NotDeclared("this mode of elicitation")),
        };
        encode(&result, revision)
    }

    async fn sample(&self, params: &RawJson, revision: Revision) -> Result<RawJson, Refusal> {
        let handler = self.sample.as_ref().ok_or(Refusal::NoHandler)?;
        let request = decode::<CreateMessageRequestParams>(params)?;
        if (request.tools.is_some() || request.tool_choice.is_some()) && !self.sample_tools {
            return Err(Refusal::NotDeclared("sampling with tools"));
        }
        check_tool_results(&request.messages)?;
        let result = run(Some(handler), request).await?;
        encode(&result, revision)
    }
}

impl Refusal {
    /// Its class, for traces.
    const fn word(&self) -> &'static str {
        match self {
            Self::NoHandler => "no_handler",
            Self::NotDeclared(_) => "not_declared",
            Self::Malformed(_) => "malformed",
            Self::Handler(_) => "handler",
            Self::Unfit { .. } => "unfit",
            Self::Panicked => "panicked",
        }
    }

    /// What a legacy server is told.
    pub(crate) fn to_error(&self, method: Method, revision: Revision) -> ErrorObject {
        // From 2025-11-25 on a mode that was not declared is an invalid parameter; before there were no modes.
        let has_modes = revision >= Revision::V2025_11_25;
        match self {
            Self::NoHandler => Fault::method_not_found(method.as_str()).to_error(revision),
            Self::NotDeclared(_) if !has_modes && method == Method::ElicitationCreate => {
                Fault::method_not_found(method.as_str()).to_error(revision)
            }
            Self::NotDeclared(_) | Self::Malformed(_) => {
                Fault::invalid_params(self.to_string()).to_error(revision)
            }
            Self::Handler(error) => {
                ErrorObject { code: error.code(), message: error.to_string(), data: None }
            }
            Self::Unfit { .. } | Self::Panicked => {
                ErrorObject { code: code::INTERNAL_ERROR, message: self.to_string(), data: None }
            }
        }
    }
}

/// Runs a handler on a task of its own, so that its panic is an outcome like any other.
async fn run<P, R>(handler: Option<&Handler<P, R>>, params: P) -> Result<R, Refusal>
where
    P: Send + 'static,
    R: Send + 'static,
{
    let handler = Arc::clone(handler.ok_or(Refusal::NoHandler)?);
    // The set ends the task when this is dropped.
    let mut task = JoinSet::new();
    task.spawn(async move { handler(params).await }.instrument(Span::current()));
    match task.join_next().await {
        Some(Ok(Ok(answer))) => Ok(answer),
        Some(Ok(Err(error))) => Err(Refusal::Handler(error)),
        Some(Err(_)) | None => Err(Refusal::Panicked),
    }
}

fn required(params: Option<RawJson>) -> Result<RawJson, Refusal> {
    params.ok_or_else(|| Refusal::Malformed("it has no parameters".to_owned()))
}

fn decode<T: DeserializeOwned>(params: &RawJson) -> Result<T, Refusal> {
    params.decode().map_err(|error| Refusal::Malformed(json_words(&error)))
}

fn encode<T: Encode>(result: &T, revision: Revision) -> Result<RawJson, Refusal> {
    RawJson::encode(&Wire(result, revision)).map_err(|error| Refusal::Handler(HandlerError::from(error)))
}

/// Roots are files.
///
/// Source: `client/roots#root`, 2026-07-28.
pub(crate) fn check_roots(roots: &[Root]) -> Result<(), String> {
    roots.iter().find(|root| !root.uri.starts_with("file://")).map_or(Ok(()), |root| Err(root.uri.clone()))
}

/// Gives the fields that have to be there, and were left as the server had filled them in, that value. A field that may
/// be missing is missing because the user wants it so.
///
/// Source: `client/elicitation#supported-schema-types`, 2026-07-28.
fn filled_in(mut result: ElicitResult, schema: &ElicitSchema) -> ElicitResult {
    if result.action != ElicitAction::Accept {
        return result;
    }
    let content = result.content.as_ref().map_or_else(|| Ok(JsonObject::new()), RawJson::decode);
    // What is no object is refused when it is checked.
    let Ok(mut content): Result<JsonObject, _> = content else { return result };
    let mut defaults = schema.defaults();
    let before = content.len();
    for name in schema.required.iter().flatten() {
        if let (false, Some(default)) = (content.contains_key(name), defaults.remove(name)) {
            content.insert(name.clone(), default);
        }
    }
    if let (true, Ok(content)) = (content.len() > before, RawJson::encode(&content)) {
        result.content = Some(content);
    }
    result
}

/// A filled-in form has to fit the fields that were asked for.
///
/// Source: `client/elicitation#form-mode-security`, 2026-07-28.
fn check_form(params: &RawJson, result: &ElicitResult) -> Result<(), Refusal> {
    #[derive(Deserialize)]
    struct Form {
        #[serde(rename = "requestedSchema")]
        schema: RawJson,
    }
    if result.action != ElicitAction::Accept {
        return Ok(());
    }
    // As it came, as the typed form may know less of it than the server.
    let form = decode::<Form>(params)?;
    let schema = Schema::compile(&form.schema).map_err(Refusal::Malformed)?;
    let empty = RawJson::empty_object();
    let content = result.content.as_ref().unwrap_or(&empty);
    schema.check(content).map_err(|Unfit { path, reason }| Refusal::Unfit { path, reason })
}

/// Every use of a tool is answered by the very next message, which holds nothing else.
///
/// Source: `client/sampling#message-content-constraints`, 2025-11-25.
fn check_tool_results(messages: &[SamplingMessage]) -> Result<(), Refusal> {
    use SamplingMessageContentBlock as Block;
    let refuse = |reason: &str| Err(Refusal::Malformed(reason.to_owned()));
    let mut open: Vec<&str> = Vec::new();
    for message in messages {
        let blocks = message.content.blocks();
        let results: Vec<&str> = blocks
            .iter()
            .filter_map(|block| match block {
                Block::ToolResult(result) => Some(result.tool_use_id.as_str()),
                _ => None,
            })
            .collect();
        if !results.is_empty() && results.len() != blocks.len() {
            return refuse("tool results are mixed with other content");
        }
        if open.iter().any(|id| !results.contains(id)) {
            return refuse("a tool result is missing");
        }
        if results.iter().any(|id| !open.contains(id)) {
            return refuse("a tool result answers no tool use");
        }
        open = blocks
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse(tool_use) => Some(tool_use.id.as_str()),
                _ => None,
            })
            .collect();
    }
    if open.is_empty() { Ok(()) } else { refuse("a tool result is missing") }
}

impl fmt::Debug for Handlers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handlers").field("capabilities", &self.capabilities()).finish_non_exhaustive()
    }
}
