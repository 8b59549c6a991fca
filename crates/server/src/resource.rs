//! Resources and templates: what is declared, and the handler behind it.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hermes_types::{
    BlobResourceContents, CacheScope, Fault, RawJson, ReadResourceResult, Resource, ResourceContents,
    ResourceTemplate, TextResourceContents,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::completion::Completions;
use crate::context::Context;
use crate::error::ToolError;
use crate::output::Json;
use crate::template::UriTemplate;
use crate::texts;
use crate::tool::{BoxFuture, Handler};
use crate::view::{Absent, View};

/// What becomes the contents of a resource: text stays text, bytes become Base64, [`Json`] becomes its text.
///
/// A whole [`ReadResourceResult`] is sent as it is, with its `ttl_ms` and its `cache_scope`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the contents of a resource",
    label = "not text, bytes or JSON",
    note = "return a text, `Vec<u8>`, `ResourceContents` or `ReadResourceResult`, or wrap a value that is `serde::Serialize` in `Json(…)`",
    note = "a handler that may fail returns a `Result` of one of them with `ToolError`, into which `?` converts every error"
)]
pub trait IntoResource {
    /// Makes the contents of the resource at `uri`, whose declared media type is `mime_type`.
    ///
    /// # Errors
    /// The handler failed, or the value cannot be written as JSON.
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError>;

    /// Whether the value says itself how long the contents may be kept, and who may be given a kept copy. For all
    /// others the server says it: [`Server::cache`](crate::Server::cache).
    #[must_use]
    fn says_cache() -> bool {
        false
    }
}

impl IntoResource for ReadResourceResult {
    fn into_resource(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(self)
    }

    fn says_cache() -> bool {
        true
    }
}

impl IntoResource for Vec<ResourceContents> {
    fn into_resource(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult::new(self))
    }
}

impl IntoResource for ResourceContents {
    fn into_resource(self, _: &str, _: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        Ok(ReadResourceResult::new(vec![self]))
    }
}

impl IntoResource for String {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let mut contents = TextResourceContents::new(uri, self);
        contents.mime_type = mime_type.map(str::to_owned);
        Ok(ReadResourceResult::new(vec![contents.into()]))
    }
}

impl IntoResource for &str {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.to_owned().into_resource(uri, mime_type)
    }
}

impl IntoResource for Vec<u8> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.as_slice().into_resource(uri, mime_type)
    }
}

impl IntoResource for &[u8] {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let mut contents = BlobResourceContents::new(uri, STANDARD.encode(self));
        contents.mime_type = mime_type.map(str::to_owned);
        Ok(ReadResourceResult::new(vec![contents.into()]))
    }
}

impl<T: Serialize> IntoResource for Json<T> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let text = RawJson::encode(&self.0)?.get().to_owned();
        text.into_resource(uri, Some(mime_type.unwrap_or("application/json")))
    }
}

impl<R: IntoResource> IntoResource for Result<R, ToolError> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        self.and_then(|contents| contents.into_resource(uri, mime_type))
    }

    fn says_cache() -> bool {
        R::says_cache()
    }
}

/// The contents of a resource, and how long clients may keep them (modern era), instead of what
/// [`Server::cache`](crate::Server::cache) says.
///
/// ```
/// use std::time::Duration;
/// use hermes_server::{Cached, Server};
/// use hermes_types::Resource;
///
/// let server = Server::new("demo", "0.1.0").resource(Resource::new("demo://motto", "motto"), |_| async {
///     Cached::new("Festina lente", Duration::from_secs(3600)).public()
/// });
/// ```
///
/// Source: `server/utilities/caching`, 2026-07-28.
#[derive(Clone, Debug)]
#[must_use = "it is the contents of a resource: return it"]
pub struct Cached<R> {
    contents: R,
    ttl: Duration,
    scope: CacheScope,
}

impl<R> Cached<R> {
    /// For so long, by the client alone.
    pub const fn new(contents: R, ttl: Duration) -> Self {
        Self { contents, ttl, scope: CacheScope::Private }
    }

    /// What is kept may be given to anyone: it is the same for all.
    pub fn public(self) -> Self {
        Self { scope: CacheScope::Public, ..self }
    }
}

impl<R: IntoResource> IntoResource for Cached<R> {
    fn into_resource(self, uri: &str, mime_type: Option<&str>) -> Result<ReadResourceResult, ToolError> {
        let mut result = self.contents.into_resource(uri, mime_type)?;
        result.ttl_ms = u64::try_from(self.ttl.as_millis()).unwrap_or(u64::MAX);
        result.cache_scope = self.scope;
        Ok(result)
    }

    fn says_cache() -> bool {
        true
    }
}

/// A resource in the registry.
pub(crate) struct ResourceEntry {
    pub(crate) resource: Resource,
    says_cache: bool,
    handler: Handler<(), ReadResourceResult>,
}

impl ResourceEntry {
    pub(crate) fn new<F, Fut, R>(resource: Resource, handler: F, flaws: &mut Vec<String>) -> Self
    where
        F: Fn(Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        if !has_scheme(&resource.uri) {
            flaws.push("it is no URI: a scheme is missing, such as `notes://` before it".to_owned());
        }
        let place: Arc<(String, Option<String>)> =
            Arc::new((resource.uri.clone(), resource.mime_type.clone()));
        let handler: Handler<(), _> = Box::new(move |(), ctx| -> BoxFuture<_> {
            let (reading, place) = (handler(ctx), Arc::clone(&place));
            Box::pin(async move { reading.await.into_resource(&place.0, place.1.as_deref()) })
        });
        Self { resource, says_cache: R::says_cache(), handler }
    }
}

/// Whether a text begins as a URI does.
fn has_scheme(uri: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
    let is_scheme = |scheme: &str| {
        scheme.bytes().next().is_some_and(|first| first.is_ascii_alphabetic()) && scheme.bytes().all(is_part)
    };
    uri.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// A template in the registry.
pub(crate) struct TemplateEntry {
    pub(crate) completions: Completions,
    pub(crate) template: ResourceTemplate,
    /// `None` if it cannot be read: then it fits nothing.
    pattern: Option<UriTemplate>,
    says_cache: bool,
    handler: Handler<(String, BTreeMap<String, String>), ReadResourceResult>,
}

impl TemplateEntry {
    /// A template whose variables are read into a type.
    pub(crate) fn new<T, F, Fut, R>(template: ResourceTemplate, handler: F, flaws: &mut Vec<String>) -> Self
    where
        T: DeserializeOwned + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoResource + 'static,
    {
        let pattern = UriTemplate::parse(&template.uri_template);
        let pattern = pattern.map_err(|error| flaws.push(error.to_string())).ok();
        let mime_type: Option<Arc<str>> = template.mime_type.as_deref().map(Arc::from);
        let handler = Arc::new(handler);
        let handler: Handler<_, _> = Box::new(move |(uri, variables): (String, _), ctx| -> BoxFuture<_> {
            let (handler, mime_type) = (Arc::clone(&handler), mime_type.clone());
            Box::pin(async move {
                // A URI whose variables do not fit names no resource of this template.
                let variables = texts::read::<T>(variables)
                    .map_err(|_| ToolError::refuse(Fault::resource_not_found(&uri)))?;
                handler(variables, ctx).await.into_resource(&uri, mime_type.as_deref())
            })
        });
        Self { completions: Completions::new(), template, pattern, says_cache: R::says_cache(), handler }
    }

    /// The variables in a URI, if it follows the template.
    pub(crate) fn variables_of(&self, uri: &str) -> Option<BTreeMap<String, String>> {
        self.pattern.as_ref()?.read(uri)
    }

    /// Whether the template has this variable.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.pattern.iter().flat_map(UriTemplate::names).any(|variable| variable == name)
    }
}

/// A resource that was found, ready to be read.
pub(crate) enum Found {
    Resource(Arc<ResourceEntry>),
    Template { entry: Arc<TemplateEntry>, uri: String, variables: BTreeMap<String, String> },
}

impl Found {
    /// Looks a URI up: the resources first, then the templates in the order in which they were added. What is
    /// switched off hides what would be found behind it.
    pub(crate) fn find(view: &View, uri: &str) -> Option<Self> {
        match view.resources().find(uri) {
            Ok(entry) => Some(Self::Resource(Arc::clone(entry))),
            Err(Absent::Disabled) => None,
            Err(Absent::Removed | Absent::Unknown) => {
                let (entry, variables) = view.template_of(uri)?;
                Some(Self::Template { entry, uri: uri.to_owned(), variables })
            }
        }
    }

    /// Where it is.
    pub(crate) fn uri(&self) -> &str {
        match self {
            Self::Resource(entry) => &entry.resource.uri,
            Self::Template { uri, .. } => uri,
        }
    }

    /// What it was registered as: its URI, or the template that it was found by.
    pub(crate) fn registered(&self) -> &str {
        match self {
            Self::Resource(entry) => &entry.resource.uri,
            Self::Template { entry, .. } => &entry.template.uri_template,
        }
    }

    /// Whether its handler says how long the contents may be kept.
    pub(crate) fn says_cache(&self) -> bool {
        match self {
            Self::Resource(entry) => entry.says_cache,
            Self::Template { entry, .. } => entry.says_cache,
        }
    }

    /// Reads it once.
    pub(crate) fn read(self, ctx: Context) -> BoxFuture<Result<ReadResourceResult, ToolError>> {
        match self {
            Self::Resource(entry) => (entry.handler)((), ctx),
            Self::Template { entry, uri, variables } => (entry.handler)((uri, variables), ctx),
        }
    }
}
