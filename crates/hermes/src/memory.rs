//! A client and a server in one process.

use hermes_client::{Client, ClientBuilder, ClientError};
use hermes_server::Server;

/// The room between the two ends, in bytes each way; a longer message is passed in parts.
const ROOM: usize = 64 * 1024;

/// Connects a client to a server in this process, over a pipe in memory.
///
/// The server runs as a task of the current runtime and ends when the client is closed or dropped. The two
/// converse as they would over stdio, era detection included, so tests written this way test the real thing.
///
/// ```
/// # #[tokio::main]
/// # async fn main() -> Result<(), hermes::ClientError> {
/// let server = hermes::Server::new("quiet", "1.0.0");
/// let client = hermes::connect_in_memory(hermes::Client::builder(), server).await?;
/// assert_eq!(client.revision(), hermes::types::Revision::LATEST);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`ClientError`]: the two did not come to an agreement, for example because the client was built for a
/// revision that the server does not serve.
///
/// # Cancel safety
/// Dropping the future ends the server and gives up the connection.
pub async fn connect_in_memory(client: ClientBuilder, server: Server) -> Result<Client, ClientError> {
    let (near, far) = tokio::io::duplex(ROOM);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(far);
        // An error here is the client's going away, which the client knows.
        drop(server.serve(reader, writer).await);
    });
    let (reader, writer) = tokio::io::split(near);
    client.connect(reader, writer).await
}
