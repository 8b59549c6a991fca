//! A client: what is known of its server, and how it is closed.

use std::process::ExitStatus;
use std::sync::Arc;

use hermes_types::{ClientCapabilities, Era, Implementation, RawJson, Revision, ServerCapabilities};
use tokio::io::{AsyncRead, AsyncWrite};

use crate::ClientBuilder;
use crate::child::Command;
use crate::connection::Connection;
use crate::error::{ClientError, Refusal};
use crate::notice::Notices;
use crate::open::{Config, Peer};

/// A connection to one server, ready for use.
///
/// It is cheap to clone, and all clones are the same connection. When the last one is dropped the connection is
/// closed, and a server that was started for it is ended in the background; [`close`](Self::close) waits for that.
///
/// The operations are in three groups: [calls](Self::call) and everything else that is one request give an
/// [`Operation`](crate::Operation), lists come [whole](Self::list_all_tools) or by the page, and
/// [`listen`](Self::listen) opens a stream.
#[derive(Clone, Debug)]
pub struct Client(pub(crate) Arc<Inner>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) connection: Connection,
    pub(crate) peer: Peer,
    pub(crate) config: Config,
}

impl Client {
    /// Says who the client is and what it answers, before it connects.
    pub fn builder() -> ClientBuilder {
        ClientBuilder::new()
    }

    /// Starts a server and connects to it, with the defaults of [`ClientBuilder`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), hermes_client::ClientError> {
    /// use hermes_client::Client;
    /// use hermes_client::child::Command;
    ///
    /// let client = Client::spawn(Command::new("uvx").arg("mcp-server-time")).await?;
    /// for tool in client.list_all_tools().await?.values() {
    ///     println!("{}", tool.display_name());
    /// }
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ClientBuilder::spawn`].
    ///
    /// # Cancel safety
    /// As [`ClientBuilder::spawn`].
    pub async fn spawn(command: Command) -> Result<Self, ClientError> {
        Self::builder().spawn(command).await
    }

    /// Connects over a byte stream, with the defaults of [`ClientBuilder`].
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`].
    ///
    /// # Cancel safety
    /// As [`ClientBuilder::connect`].
    pub async fn connect<R, W>(reader: R, writer: W) -> Result<Self, ClientError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::builder().connect(reader, writer).await
    }

    /// The era that is spoken.
    #[must_use]
    pub fn era(&self) -> Era {
        self.revision().era()
    }

    /// The revision that is spoken.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.peer.revision
    }

    /// Who the server says it is. For display and logs only: it proves nothing.
    #[must_use]
    pub fn server_info(&self) -> Option<&Implementation> {
        self.0.peer.info.as_ref()
    }

    /// What the server says it can do.
    #[must_use]
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.0.peer.capabilities
    }

    /// How to use the server, for a model.
    #[must_use]
    pub fn instructions(&self) -> Option<&str> {
        self.0.peer.instructions.as_deref()
    }

    /// The result of `initialize` or `server/discover` that opened the connection, as it came.
    #[must_use]
    pub fn opening(&self) -> &RawJson {
        &self.0.peer.opening
    }

    /// What this client declares to the server.
    #[must_use]
    pub fn declared(&self) -> ClientCapabilities {
        self.0.config.handlers.capabilities()
    }

    /// How many requests wait for their answers.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.0.connection.shared.pending()
    }

    /// The notifications from now on. Several readers each get all of them; those on a
    /// [listen stream](Self::listen) come there only.
    #[must_use]
    pub fn notifications(&self) -> Notices {
        Notices(self.0.connection.shared.listen())
    }

    /// Closes the connection. Every call that waits fails at once. A server that was started for this client is
    /// given time to exit by itself, then ended with all that it started; how it exited is the outcome.
    ///
    /// Takes at most the two periods of its [`Grace`](crate::child::Grace), and the second of them once more if it
    /// left anything behind. Closing twice is closing once.
    ///
    /// # Cancel safety
    /// The connection is closed as soon as this was polled, and the server ends also when it is dropped.
    pub async fn close(&self) -> Option<ExitStatus> {
        self.0.connection.close().await
    }
}

impl Inner {
    /// Has the host answer a question of the server.
    pub(crate) async fn answer(&self, method: &str, params: Option<RawJson>) -> Result<RawJson, Refusal> {
        self.connection.shared.handlers.answer(method, params, self.peer.revision).await
    }
}
