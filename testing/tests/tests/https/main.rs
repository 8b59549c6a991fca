//! The client over HTTPS: whom it trusts, how many connections it needs, what it says when there is none.

mod authority;
mod certificates;
mod connections;
mod program;
mod proxies;
mod server;
mod works;

use hermes::{Client, ClientBuilder, ClientError};

/// Connects.
async fn connect(builder: ClientBuilder, url: &str) -> Result<Client, ClientError> {
    builder.connect(url).await
}
