//! Connecting to an address.

use std::sync::Arc;

use tokio::sync::watch;

use super::drive::drive;
use super::endpoint::Endpoint;
use crate::builder::{ClientBuilder, client};
use crate::client::Client;
use crate::connection::{Carrier, Connection, Shared};
use crate::error::ClientError;
use crate::open;

impl ClientBuilder {
    /// Sends this header with every request over HTTP, such as `Authorization`. What the protocol itself sends is not
    /// replaced. May be called for several.
    ///
    /// Values are for the server at the address that is connected to, and go nowhere else: not along with a redirect,
    /// and into no log.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Connects to a server over HTTP, at an address such as `https://example.org/mcp`.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), hermes_client::ClientError> {
    /// use hermes_client::Client;
    ///
    /// let client = Client::builder()
    ///     .name("my-host", "1.2.0")
    ///     .header("Authorization", "Bearer 2YotnFZFEjr1zCsicMWpAA")
    ///     .connect_http("https://example.org/mcp")
    ///     .await?;
    /// println!("{}", client.revision());
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ClientError::Address`] when the address or a header cannot be used, [`ClientError::Unreachable`] when nobody
    /// is there, [`ClientError::Unauthorized`] when the server wants other credentials, [`ClientError::Http`] when it
    /// is no server of this protocol; [`ClientError::Negotiation`] and [`ClientError::Timeout`] when there is nothing
    /// to agree on.
    ///
    /// # Cancel safety
    /// Dropping the future ends what was begun; a session is ended in the background.
    ///
    /// Source: `basic/transports/streamable-http`, 2026-07-28; `basic/transports#streamable-http`, 2025-11-25.
    pub async fn connect_http(mut self, url: &str) -> Result<Client, ClientError> {
        let headers = std::mem::take(&mut self.headers);
        let config = self.checked()?;
        let endpoint = Endpoint::new(url, &headers, &super::tls::Trust::default())?;
        let opened = open::over(&config, dial(endpoint, config.shared(Carrier::Exchanges))).await?;
        Ok(client(config, opened))
    }
}

impl Client {
    /// Connects over HTTP, with the defaults of [`ClientBuilder`].
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), hermes_client::ClientError> {
    /// let client = hermes_client::Client::connect_http("http://127.0.0.1:8000/mcp").await?;
    /// let sum: i64 = client.call("add", serde_json::json!({ "a": 2, "b": 3 })).await?.read()?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`ClientBuilder::connect_http`].
    ///
    /// # Cancel safety
    /// As [`ClientBuilder::connect_http`].
    pub async fn connect_http(url: &str) -> Result<Self, ClientError> {
        Self::builder().connect_http(url).await
    }
}

/// A connection to this endpoint, whose messages are sent from now on.
fn dial(endpoint: Endpoint, shared: Shared) -> Connection {
    let shared = Arc::new(shared);
    let (done, written) = watch::channel(());
    tokio::spawn(drive(Arc::clone(&shared), endpoint, done));
    Connection::driven(shared, written)
}
