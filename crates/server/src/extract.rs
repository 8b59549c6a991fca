//! What a handler can ask for by the type of a parameter.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::Arc;

use hermes_types::LoggingLevel;
use http::request::Parts;
use serde::Serialize;

use crate::context::Context;
use crate::error::ToolError;
use crate::flaws::Given;
use crate::handle::ServerHandle;
use crate::session_handle::SessionHandle;

/// What is made from a call for its handler, rather than from the arguments.
///
/// | type | gives |
/// |---|---|
/// | [`Context`] | the call itself, and everything below |
/// | [`State<T>`] | what [`Server::state`](crate::Server::state) was given, shared by all calls |
/// | [`SessionData<T>`] | a value of the client's session |
/// | [`ProgressBar`], [`Log`] | ways to speak to the client meanwhile |
/// | [`Http`], [`Peer`] | what the request came with |
/// | [`Extension<T>`] | what a layer of the HTTP service left for this request |
/// | [`SessionHandle`], [`ServerHandle`] | what can be changed while the server runs |
/// | `Option<E>` | any of them, or nothing where it is not to be had |
///
/// Methods under the attributes take them as parameters; a closure asks its context: `ctx.extract::<Log>().await?`.
/// For a type of your own, a parameter is marked with `#[extract]`.
///
/// ```
/// use hermes_server::{Context, FromContext, ToolError};
///
/// struct Caller(String);
///
/// impl FromContext for Caller {
///     async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
///         Ok(Self(ctx.principal().ok_or("log in first")?.to_owned()))
///     }
/// }
///
/// async fn whoami((): (), ctx: Context) -> Result<String, ToolError> {
///     let Caller(name) = ctx.extract().await?;
///     Ok(name)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be made from a call",
    label = "implements no `FromContext`",
    note = "write `impl FromContext for {Self}`",
    note = "if clients are to give it, mark the parameter with `#[argument]`: its name is that of a type which is made from the call"
)]
pub trait FromContext: Sized {
    /// Makes it.
    ///
    /// # Errors
    /// It is not to be had. The call fails with this, before its handler runs.
    ///
    /// # Cancel safety
    /// The future is dropped when the call is cancelled.
    fn from_context(ctx: &Context) -> impl Future<Output = Result<Self, ToolError>> + Send;

    /// What its author has forgotten to give the server, if that is known before any call: it is told when the server
    /// begins to serve, with what to do about it.
    #[must_use]
    fn missing(given: &Given<'_>) -> Option<String> {
        let _ = given;
        None
    }
}

impl FromContext for Context {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(ctx.clone())
    }
}

impl<E: FromContext> FromContext for Option<E> {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(E::from_context(ctx).await.ok())
    }
}

/// A way to change what the server offers.
impl FromContext for ServerHandle {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(ctx.server())
    }
}

/// The session of the client. It fails where there are none, as in the modern era.
impl FromContext for SessionHandle {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        ctx.session().ok_or_else(|| ToolError::new("the client is served without a session"))
    }
}

/// A value that the whole server shares: [`Server::state`](crate::Server::state).
///
/// ```
/// use hermes_server::{Context, Server, State, ToolError};
///
/// struct Database;
///
/// impl Database {
///     async fn count(&self) -> u64 {
///         7
///     }
/// }
///
/// let server = Server::new("demo", "0.1.0").state(Database).tool("count", |(): (), ctx: Context| async move {
///     let db: State<Database> = ctx.extract().await?;
///     Ok::<_, ToolError>(db.count().await)
/// });
/// ```
pub struct State<T>(pub Arc<T>);

impl<T: Send + Sync + 'static> FromContext for State<T> {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        ctx.state().map(Self)
    }

    fn missing(given: &Given<'_>) -> Option<String> {
        let name = std::any::type_name::<T>();
        let what = || format!("the server has no state of the type {name}: give it one with `Server::state`");
        (!given.has_state::<T>()).then(what)
    }
}

/// A value that belongs to the client's session: [`Context::session_data`].
///
/// It is made by `Default` when it is first asked for, lives as long as the session, and is shared with no other. In
/// the modern era there are no sessions, and every call has a value of its own.
///
/// ```
/// use std::sync::Mutex;
/// use hermes_server::{Context, Server, SessionData, ToolError};
///
/// #[derive(Default)]
/// struct Cart(Mutex<Vec<String>>);
///
/// let server = Server::new("shop", "0.1.0").tool("cart", |(): (), ctx: Context| async move {
///     let SessionData(cart): SessionData<Cart> = ctx.extract().await?;
///     Ok::<_, ToolError>(cart.0.lock().map_err(|_| "broken")?.join(", "))
/// });
/// ```
pub struct SessionData<T>(pub Arc<T>);

impl<T: Default + Send + Sync + 'static> FromContext for SessionData<T> {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(Self(ctx.session_data()))
    }
}

/// A value that a layer in front of the server left in the extensions of this HTTP request: who was authenticated,
/// which tenant is meant. It never outlives the request, and is never shared with another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extension<T>(pub T);

impl<T: Clone + Send + Sync + 'static> FromContext for Extension<T> {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        let found = ctx.http().and_then(|head| head.extensions.get::<T>());
        found.cloned().map(Self).ok_or_else(|| {
            let what = std::any::type_name::<T>();
            ToolError::internal(format!("nothing in front of the server left a {what} for this request"))
        })
    }
}

/// The head of the HTTP request that carried the call: its method, URI with the query, headers and extensions.
///
/// It fails where the call came over anything else; take `Option<Http>` to serve both.
#[derive(Clone)]
pub struct Http(pub Arc<Parts>);

impl FromContext for Http {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        ctx.head().cloned().map(Self).ok_or_else(|| ToolError::new("the call did not come over HTTP"))
    }
}

/// The address that the call came from, as the machine sees it: behind a proxy that is the proxy's.
///
/// Who listens puts it into the extensions of the HTTP request. In a router of your own, do that from what it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub SocketAddr);

impl FromContext for Peer {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        ctx.peer().map(Self).ok_or_else(|| ToolError::new("nobody knows the address that the call came from"))
    }
}

/// Tells the client how far a call has come, if it wants to know; see [`Context::progress`].
///
/// ```
/// use hermes_server::ProgressBar;
///
/// fn copy(files: &[&str], bar: ProgressBar) {
///     let bar = bar.of(files.len() as f64);
///     for (file, done) in files.iter().zip(1_u32..) {
///         bar.tell(done, file);
///     }
/// }
/// ```
#[derive(Clone, Debug)]
pub struct ProgressBar {
    ctx: Context,
    total: Option<f64>,
}

impl ProgressBar {
    /// Says how much there is in all.
    #[must_use]
    pub fn of(self, total: impl Into<f64>) -> Self {
        Self { total: Some(total.into()), ..self }
    }

    /// Reports how much is done.
    pub fn report(&self, done: impl Into<f64>) {
        self.ctx.progress(done.into(), self.total, None);
    }

    /// Reports how much is done, and what.
    pub fn tell(&self, done: impl Into<f64>, message: &str) {
        self.ctx.progress(done.into(), self.total, Some(message));
    }

    /// Whether the client wants to hear of it.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.ctx.wants_progress()
    }
}

impl FromContext for ProgressBar {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(Self { ctx: ctx.clone(), total: None })
    }
}

/// Sends log messages of a call to the client, those that it wants; see [`Context::log`].
///
/// ```
/// use hermes_server::Log;
///
/// fn migrate(log: Log) {
///     let log = log.named("migration");
///     log.info("three tables to go");
///     log.warning(&["orders", "users"]);
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Log {
    ctx: Context,
    logger: Option<Arc<str>>,
}

macro_rules! levels {
    ($($(#[$doc:meta])* $name:ident $level:ident;)*) => {$(
        $(#[$doc])*
        pub fn $name<T: Serialize + ?Sized>(&self, data: &T) {
            self.ctx.log_as(LoggingLevel::$level, self.logger.as_deref(), data);
        }
    )*};
}

impl Log {
    /// Says which part of the server speaks.
    #[must_use]
    pub fn named(self, logger: impl Into<Arc<str>>) -> Self {
        Self { logger: Some(logger.into()), ..self }
    }

    levels! {
        /// For whoever looks for a mistake.
        debug Debug;
        /// All is well, and this happens.
        info Info;
        /// All is well, and this is worth knowing.
        notice Notice;
        /// Something may go wrong.
        warning Warning;
        /// Something went wrong.
        error Error;
    }
}

impl FromContext for Log {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(Self { ctx: ctx.clone(), logger: None })
    }
}

macro_rules! wrapped {
    ($($ty:ident <T>),*) => {$(
        impl<T> Deref for $ty<T> {
            type Target = T;

            fn deref(&self) -> &T {
                &self.0
            }
        }

        impl<T> Clone for $ty<T> {
            fn clone(&self) -> Self {
                Self(Arc::clone(&self.0))
            }
        }

        impl<T: fmt::Debug> fmt::Debug for $ty<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($ty)).field(&self.0).finish()
            }
        }
    )*};
}

wrapped!(State<T>, SessionData<T>);

/// Without the headers and the query: they may hold secrets.
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Http")
            .field("method", &self.0.method)
            .field("path", &self.0.uri.path())
            .finish_non_exhaustive()
    }
}

impl Deref for Http {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}
