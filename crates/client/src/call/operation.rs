//! What an operation is, and what can be said of it before it is sent.

use std::borrow::Cow;
use std::fmt;
use std::future::IntoFuture;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hermes_types::{JsonObject, Ordered, RawJson};

use super::ask::{Budget, Course};
use crate::client::Inner;
use crate::error::{ClientError, Unsupported};
use crate::headers::Headers;
use crate::line::Line;
use crate::notice::Progress;

/// A request that is sent when it is awaited.
///
/// ```
/// # async fn example(client: hermes_client::Client) -> Result<(), hermes_client::ClientError> {
/// use std::time::Duration;
///
/// let result = client
///     .call("crawl", serde_json::json!({ "url": "https://example.org" }))
///     .timeout(Duration::from_secs(5))
///     .extend_on_progress(Duration::from_secs(60))
///     .on_progress(|progress| println!("{} of {:?}", progress.progress, progress.total))
///     .await?;
/// println!("{}", result.raw.get());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Any [`ClientError`]; the operation that made this says which are special to it.
///
/// # Cancel safety
/// Dropping the future takes the request back: the server is told with `notifications/cancelled`, naming the
/// request that is in flight at that moment, and a late answer is ignored. What the server did until then is done.
#[must_use = "an operation is sent only when it is awaited"]
pub struct Operation<'c, O> {
    pub(super) inner: &'c Arc<Inner>,
    pub(super) method: Cow<'static, str>,
    pub(super) params: Result<Ordered<RawJson>, ClientError>,
    pub(super) budget: Budget,
    pub(super) on_progress: Option<ShowProgress<'c>>,
    pub(super) meta: JsonObject,
    /// `None` when none were said.
    pub(super) headers: Option<Headers>,
    pub(super) check_output: bool,
    /// Whether a result that is kept will not do.
    pub(super) is_fresh: bool,
    /// Whether the caller says that it may be carried out twice.
    pub(super) may_repeat: bool,
    pub(super) course: Course,
    pub(super) decode: Decode<O>,
}

type ShowProgress<'c> = Box<dyn FnMut(&Progress) + Send + 'c>;

/// Makes the outcome of a complete result.
type Decode<O> = fn(&Line, &Done<'_>, RawJson) -> Result<O, ClientError>;

/// What a result answers.
pub(crate) struct Done<'a> {
    pub(crate) method: &'a str,
    pub(crate) params: &'a Ordered<RawJson>,
    pub(crate) check_output: bool,
}

impl<'c, O> Operation<'c, O> {
    pub(crate) fn new(
        inner: &'c Arc<Inner>,
        method: impl Into<Cow<'static, str>>,
        params: Result<Ordered<RawJson>, ClientError>,
        decode: Decode<O>,
    ) -> Self {
        Self {
            inner,
            method: method.into(),
            params,
            budget: Budget { patience: inner.config.patience, waited: Duration::ZERO, asked: Duration::ZERO },
            on_progress: None,
            meta: JsonObject::new(),
            headers: None,
            check_output: true,
            is_fresh: false,
            may_repeat: false,
            course: Course::default(),
            decode,
        }
    }

    /// Refuses the operation before anything is sent, if there is a reason to.
    pub(crate) fn unless(mut self, reason: Option<Unsupported>) -> Self {
        if let (Some(reason), Ok(_)) = (reason, &self.params) {
            self.params = Err(ClientError::Unsupported { method: self.method.clone().into_owned(), reason });
        }
        self
    }

    /// Sets how long to wait for an answer; the client's own limit by default.
    pub const fn timeout(mut self, timeout: Duration) -> Self {
        self.budget.patience.timeout = timeout;
        self
    }

    /// Starts the limit anew with every progress notification, but waits no longer than `maximum` for the server in all.
    /// The time that the host takes to answer questions of the modern era does not count.
    pub const fn extend_on_progress(mut self, maximum: Duration) -> Self {
        self.budget.patience.extended = Some(maximum);
        self
    }

    /// Asks for progress, and shows it. The function is called while the operation is awaited, in order, and
    /// never after the result.
    pub fn on_progress(mut self, show: impl FnMut(&Progress) + Send + 'c) -> Self {
        self.on_progress = Some(Box::new(show));
        self
    }

    /// Adds a member to the request's `_meta`. Names that the protocol itself fills in are overwritten.
    pub fn meta(mut self, name: impl Into<String>, value: RawJson) -> Self {
        self.meta.insert(name.into(), value);
        self
    }

    /// Sends this header with the request over HTTP, such as `Authorization` for somebody else than the client. It takes
    /// the place of one that the client sends with every request; what the protocol itself sends is not replaced.
    ///
    /// The value goes to the server alone, and into no log. A request with headers of its own counts as somebody else's:
    /// private results that are kept are not shown to it, and its own are not kept.
    ///
    /// The operation fails with [`ClientError::Address`] if it cannot be a header, and with
    /// [`ClientError::Unsupported`] over anything else than HTTP.
    pub fn header(mut self, name: impl AsRef<str>, value: impl AsRef<str>) -> Self {
        if let Err(error) = self.headers.get_or_insert_default().set(name.as_ref(), value.as_ref()) {
            // What was wrong first is what is told.
            self.params = self.params.and(Err(error));
        }
        self
    }

    /// Asks the server even if a result is kept that is still good; see [`Caching`](crate::Caching). What it answers is
    /// kept in its place.
    pub const fn fresh(mut self) -> Self {
        self.is_fresh = true;
        self
    }

    /// Says that it does no harm if the server carries this out twice. Should the request be lost, it is sent once more
    /// under a new id, in the time that is left.
    ///
    /// Requests that only read need not be told; a call of a tool is never repeated without this or
    /// [`trust_annotations`](crate::ClientBuilder::trust_annotations).
    ///
    /// ```
    /// # async fn example(client: hermes_client::Client) -> Result<(), hermes_client::ClientError> {
    /// let weather = client.call("weather", serde_json::json!({ "city": "Oslo" })).retry_if_lost().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub const fn retry_if_lost(mut self) -> Self {
        self.may_repeat = true;
        self
    }

    /// Takes a tool's structured result as it comes, whatever its output schema says.
    pub const fn without_output_check(mut self) -> Self {
        self.check_output = false;
        self
    }

    pub(super) fn method(&self) -> String {
        self.method.clone().into_owned()
    }
}

impl<'c, O: 'c> IntoFuture for Operation<'c, O> {
    type Output = Result<O, ClientError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'c>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<O> fmt::Debug for Operation<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("method", &self.method)
            .field("patience", &self.budget.patience)
            .finish_non_exhaustive()
    }
}
