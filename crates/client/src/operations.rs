//! One method per request of the protocol.

use std::borrow::Cow;
use std::collections::BTreeMap;

use hermes_types::{
    AnyResult, CallToolResult, CompleteRequestParams, CompleteResult, DiscoverResult, EmptyResult, Encode,
    Era, GetPromptResult, JsonObject, LoggingLevel, Method, NotificationParams, Ordered, RawJson,
    ReadResourceResult, SetLevelRequestParams, SubscribeRequestParams, Wire,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::call::Done;
use crate::error::{ClientError, Unsupported};
use crate::line::Line;
use crate::{Client, Operation, Received};

type Params = Result<Ordered<RawJson>, ClientError>;

impl Client {
    /// Calls a tool. The arguments are anything that is written as a JSON object; `()` and `null` send none.
    ///
    /// A tool that fails is no error here: see [`CallToolResult::is_error`]. If the tool was listed before, its
    /// structured result is checked against its output schema. Whatever the server declares, the call is sent: the
    /// server's own refusal says more than ours would.
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// #[derive(serde::Deserialize)]
    /// struct Sum {
    ///     sum: i64,
    /// }
    ///
    /// let Sum { sum } = client.call("add", serde_json::json!({ "a": 2, "b": 3 })).await?.read()?;
    /// assert_eq!(sum, 5);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Besides what any operation may answer, [`ClientError::Output`] for a result that breaks its schema and
    /// [`ClientError::Input`] for a question without a handler.
    ///
    /// Source: `server/tools#calling-tools`, 2026-07-28.
    pub fn call(
        &self,
        tool: impl Into<String>,
        arguments: impl Serialize,
    ) -> Operation<'_, Received<CallToolResult>> {
        let params = object(Method::ToolsCall, &arguments).and_then(|arguments| {
            let mut params = one("name", &tool.into())?;
            if let Some(arguments) = arguments {
                params.insert("arguments", arguments);
            }
            Ok(params)
        });
        Operation::new(&self.0, Method::ToolsCall.as_str(), params, called)
    }

    /// Reads a resource. [`ClientError::is_not_found`] tells a missing one in both eras.
    ///
    /// Source: `server/resources#reading-resources`, 2026-07-28.
    pub fn read(&self, uri: impl Into<String>) -> Operation<'_, Received<ReadResourceResult>> {
        let params = one("uri", &uri.into());
        Operation::new(&self.0, Method::ResourcesRead.as_str(), params, typed)
    }

    /// Fills in a prompt. Its arguments are texts.
    ///
    /// Source: `server/prompts#getting-a-prompt`, 2026-07-28.
    pub fn prompt(
        &self,
        name: impl Into<String>,
        arguments: &BTreeMap<String, String>,
    ) -> Operation<'_, Received<GetPromptResult>> {
        let params = one("name", &name.into()).and_then(|mut params| {
            if !arguments.is_empty() {
                params.insert("arguments", encode(Method::PromptsGet, arguments)?);
            }
            Ok(params)
        });
        Operation::new(&self.0, Method::PromptsGet.as_str(), params, typed)
    }

    /// Completes an argument of a prompt or of a resource template.
    ///
    /// Source: `server/utilities/completion`, 2026-07-28.
    pub fn complete(&self, params: &CompleteRequestParams) -> Operation<'_, Received<CompleteResult>> {
        let params = self.members(Method::CompletionComplete, params);
        Operation::new(&self.0, Method::CompletionComplete.as_str(), params, typed)
    }

    /// Asks for a sign of life: `ping` in the legacy era, and `server/discover` in the modern one, which has no ping.
    ///
    /// Source: `basic/utilities/ping`, 2025-11-25.
    pub fn ping(&self) -> Operation<'_, Received<AnyResult>> {
        let method = match self.era() {
            Era::Legacy => Method::Ping,
            Era::Modern => Method::ServerDiscover,
        };
        Operation::new(&self.0, method.as_str(), Ok(Ordered::new()), typed).fresh()
    }

    /// Asks what the server can do; the modern era only.
    ///
    /// Source: `server/discover`, 2026-07-28.
    pub fn discover(&self) -> Operation<'_, Received<DiscoverResult>> {
        let method = Method::ServerDiscover;
        Operation::new(&self.0, method.as_str(), Ok(Ordered::new()), typed).unless(self.undefined(method))
    }

    /// Asks to hear of changes of a resource; the legacy era only, see [`Client::listen`] for both.
    ///
    /// Source: `server/resources#subscriptions`, 2025-11-25.
    pub fn subscribe(&self, uri: impl Into<String>) -> Operation<'_, Received<EmptyResult>> {
        self.subscription(Method::ResourcesSubscribe, uri.into())
    }

    /// Takes that back.
    pub fn unsubscribe(&self, uri: impl Into<String>) -> Operation<'_, Received<EmptyResult>> {
        self.subscription(Method::ResourcesUnsubscribe, uri.into())
    }

    fn subscription(&self, method: Method, uri: String) -> Operation<'_, Received<EmptyResult>> {
        let declared = self.capabilities().resources.as_ref().and_then(|resources| resources.subscribe);
        let undeclared = (declared != Some(true)).then_some(Unsupported::Capability("resources.subscribe"));
        let params = self.members(method, &SubscribeRequestParams::new(uri));
        Operation::new(&self.0, method.as_str(), params, typed).unless(self.undefined(method).or(undeclared))
    }

    /// Asks for log messages from this level on: once in the legacy era, with every later request in the modern one.
    ///
    /// # Errors
    /// [`ClientError::Unsupported`] when the server does not log, and what any operation may answer.
    ///
    /// # Cancel safety
    /// As [`Operation`]; in the modern era nothing is awaited.
    ///
    /// Source: `server/utilities/logging`, 2026-07-28.
    pub async fn set_log_level(&self, level: LoggingLevel) -> Result<(), ClientError> {
        let method = Method::LoggingSetLevel;
        if self.capabilities().logging.is_none() {
            let reason = Unsupported::Capability("logging");
            return Err(ClientError::Unsupported { method: method.as_str().to_owned(), reason });
        }
        match self.era() {
            Era::Legacy => {
                let params = self.members(method, &SetLevelRequestParams::new(level));
                let done: Operation<'_, Received<EmptyResult>> =
                    Operation::new(&self.0, method.as_str(), params, typed);
                done.await.map(|_| ())
            }
            Era::Modern => {
                self.0.lasting.set_log_level(level);
                Ok(())
            }
        }
    }

    /// Tells the server that the roots have changed. The modern era has no such message: there the server asks when
    /// it needs to know, and nothing is sent.
    ///
    /// # Errors
    /// [`ClientError::Closed`]; [`ClientError::Unsupported`] when the roots cannot change, see
    /// [`on_roots`](crate::ClientBuilder::on_roots).
    ///
    /// Source: `client/roots#root-list-changes`, 2025-11-25.
    pub fn roots_changed(&self) -> Result<(), ClientError> {
        let method = Method::RootsListChanged;
        if !self.0.config.handlers.roots_change {
            let reason = Unsupported::Capability("roots.listChanged");
            return Err(ClientError::Unsupported { method: method.as_str().to_owned(), reason });
        }
        hermes_telemetry::client::roots("changed", None);
        match self.era() {
            Era::Legacy => self
                .0
                .current()
                .shared()
                .notify(method.as_str(), &NotificationParams::default())
                .map_err(ClientError::Closed),
            Era::Modern => Ok(()),
        }
    }

    /// Sends any request, and gives the result as it came. The parameters are a JSON object; what the era requires
    /// in `_meta` is added, and questions are answered as for any other operation.
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) -> Result<(), Box<dyn std::error::Error>> {
    /// use hermes_types::RawJson;
    ///
    /// let params = RawJson::parse(r#"{"taskId":"t-1"}"#)?;
    /// let task = client.request_raw("tasks/get", Some(params)).await?;
    /// println!("{}", task.get());
    /// # Ok(())
    /// # }
    /// ```
    pub fn request_raw(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: Option<RawJson>,
    ) -> Operation<'_, RawJson> {
        let method = method.into();
        let mut meta = None;
        let params = params.map_or_else(
            || Ok(Ordered::new()),
            |params| {
                let not_an_object =
                    |source| ClientError::Arguments { method: method.clone().into_owned(), source };
                let given: Ordered<RawJson> = params.decode().map_err(|error| not_an_object(Some(error)))?;
                let mut members = Ordered::new();
                for (name, value) in given.iter() {
                    match name {
                        "_meta" => {
                            let given = value.decode::<JsonObject>();
                            meta = Some(given.map_err(|error| not_an_object(Some(error)))?);
                        }
                        _ => members.insert(name, value.clone()),
                    }
                }
                Ok(members)
            },
        );
        let operation = Operation::new(&self.0, method, params, |_, _, raw| Ok(raw));
        meta.into_iter().flatten().fold(operation, |operation, (name, value)| operation.meta(name, value))
    }

    /// The reason why a method cannot be used at all.
    pub(crate) fn undefined(&self, method: Method) -> Option<Unsupported> {
        let revision = self.revision();
        (!method.is_defined(revision)).then_some(Unsupported::Revision(revision))
    }

    /// The members of typed parameters, as the revision spells them.
    pub(crate) fn members<T: Encode>(&self, method: Method, params: &T) -> Params {
        let raw = encode(method, &Wire(params, self.revision()))?;
        raw.decode().map_err(|error| arguments(method, Some(error)))
    }
}

fn arguments(method: Method, source: Option<serde_json::Error>) -> ClientError {
    ClientError::Arguments { method: method.as_str().to_owned(), source }
}

fn encode<T: Serialize>(method: Method, value: &T) -> Result<RawJson, ClientError> {
    RawJson::encode(value).map_err(|error| arguments(method, Some(error)))
}

/// A value as a JSON object; `null` is none.
fn object<T: Serialize>(method: Method, value: &T) -> Result<Option<RawJson>, ClientError> {
    match encode(method, value)? {
        raw if raw.is_null() => Ok(None),
        raw if raw.is_object() => Ok(Some(raw)),
        _ => Err(arguments(method, None)),
    }
}

/// Parameters with one text.
fn one(name: &str, value: &str) -> Params {
    let mut params = Ordered::new();
    params.insert(name, encode(Method::ToolsCall, &value)?);
    Ok(params)
}

/// Decodes a result as what its method says.
pub(crate) fn typed<T: DeserializeOwned>(
    _: &Line,
    done: &Done<'_>,
    raw: RawJson,
) -> Result<Received<T>, ClientError> {
    let value = decode(done.method, &raw)?;
    Ok(Received { value, raw })
}

/// Decodes, and says where it fails.
pub(crate) fn decode<T: DeserializeOwned>(method: &str, raw: &RawJson) -> Result<T, ClientError> {
    raw.decode().or_else(|_| {
        // Only who has something to tell reads once more with an eye on the path.
        let mut json = serde_json::Deserializer::from_str(raw.get());
        serde_path_to_error::deserialize(&mut json).map_err(|error| ClientError::Decode {
            method: method.to_owned(),
            path: error.path().to_string(),
            source: error.into_inner(),
        })
    })
}

/// Decodes the result of a tool, and holds it against what the tool has promised.
fn called(line: &Line, done: &Done<'_>, raw: RawJson) -> Result<Received<CallToolResult>, ClientError> {
    let result: Received<CallToolResult> = typed(line, done, raw)?;
    let tool: Option<String> = done.params.get("name").and_then(|name| name.decode().ok());
    if let (Some(tool), true) = (tool, done.check_output) {
        let checked = line.shared().schemas.check(&tool, &result);
        checked.map_err(|problem| ClientError::Output { tool, problem })?;
    }
    Ok(result)
}
