//! What a handler may fail with.

use std::error::Error;
use std::fmt;

use hermes_types::Fault;

use crate::flaws::Flaws;

/// Why serving a connection ended early. The end of the input is no error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// Reading from the client failed; what was in flight had its outcome all the same.
    #[error("reading from the client failed")]
    Read(#[source] std::io::Error),
    /// Writing to the client failed: nobody can be answered any more, and all handlers were stopped.
    #[error("writing to the client failed")]
    Write(#[source] std::io::Error),
    /// The server could not listen; it says where, and its source why.
    #[error(transparent)]
    Listen(Box<dyn Error + Send + Sync>),
    /// Its author has made mistakes; nobody was served.
    #[error(transparent)]
    Flawed(#[from] Flaws),
}

/// What a program that serves ends with: the result of its `main`.
///
/// `?` takes what serving over any transport may fail with. A program that does more before it serves takes an error
/// that holds anything, such as `anyhow::Error`.
///
/// ```no_run
/// use hermes_server::Server;
///
/// #[tokio::main(flavor = "current_thread")]
/// async fn main() -> hermes_server::Result {
///     Server::new("demo", "0.1.0").serve_stdio().await
/// }
/// ```
pub type Result<T = (), E = ServerError> = std::result::Result<T, E>;

/// Why a handler failed.
///
/// Any error converts into it with `?`. It becomes a result with `isError: true` whose text shows the
/// whole chain of sources, so that the model can read what happened. Only [`ToolError::refuse`] makes a
/// JSON-RPC error instead.
///
/// ```
/// use hermes_server::ToolError;
///
/// fn parse(text: &str) -> Result<u8, ToolError> {
///     Ok(text.parse::<u8>()?)
/// }
///
/// assert_eq!(parse("x").unwrap_err().to_string(), "invalid digit found in string");
/// ```
///
/// Like `anyhow::Error` it does not implement `Error` itself; that is what lets it take in every error.
pub struct ToolError(Kind);

enum Kind {
    Failed(Box<dyn Error + Send + Sync>),
    Refused(Fault),
}

impl ToolError {
    /// Refuses the request with a protocol error, which the model does not see.
    ///
    /// So a resource that is not there is told of: the client gets the error that its revision has for it.
    ///
    /// ```
    /// use hermes_server::ToolError;
    /// use hermes_types::Fault;
    ///
    /// fn read(uri: &str) -> Result<String, ToolError> {
    ///     match uri {
    ///         "notes://today" => Ok("Buy milk".to_owned()),
    ///         _ => Err(ToolError::refuse(Fault::resource_not_found(uri))),
    ///     }
    /// }
    ///
    /// assert!(read("notes://yesterday").is_err());
    /// ```
    #[must_use]
    pub const fn refuse(fault: Fault) -> Self {
        Self(Kind::Refused(fault))
    }

    /// The server is not as it should be: an internal error, which the model does not see.
    pub(crate) fn internal(message: String) -> Self {
        Self::refuse(Fault::internal_error(message))
    }

    /// A failure in words.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self(Kind::Failed(message.into().into()))
    }

    /// The protocol error, if this is a refusal; the error itself otherwise.
    pub(crate) fn into_fault(self) -> Result<Fault, Self> {
        match self.0 {
            Kind::Refused(fault) => Ok(fault),
            Kind::Failed(error) => Err(Self(Kind::Failed(error))),
        }
    }
}

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for ToolError {
    fn from(error: E) -> Self {
        Self(Kind::Failed(error.into()))
    }
}

/// What a handler under an attribute may fail with: any error, a text, a [`ToolError`].
///
/// ```
/// use hermes_server::IntoToolError;
///
/// assert_eq!("no such city".into_tool_error().to_string(), "no such city");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler",
    label = "neither an error nor a text",
    note = "write `impl std::error::Error for {Self}`, or return `ToolError`, `anyhow::Error` or a text instead"
)]
pub trait IntoToolError {
    /// Makes the error.
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> IntoToolError for E {
    fn into_tool_error(self) -> ToolError {
        self.into()
    }
}

/// The error and all its sources, joined by colons.
impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let error = match &self.0 {
            Kind::Refused(fault) => return fault.fmt(f),
            Kind::Failed(error) => error,
        };
        let mut shown = error.to_string();
        f.write_str(&shown)?;
        let mut source = error.source();
        while let Some(error) = source {
            let text = error.to_string();
            // Some errors repeat their source in their own text.
            if !shown.contains(&text) {
                write!(f, ": {text}")?;
            }
            shown = text;
            source = error.source();
        }
        Ok(())
    }
}

impl fmt::Debug for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
