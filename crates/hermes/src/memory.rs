//! A client and a server in one process.

use hermes_client::Target;
use hermes_server::Server;

/// The room between the two ends, in bytes each way; a longer message is passed in parts.
const ROOM: usize = 64 * 1024;

/// A server in this process, for a client to connect to over a pipe in memory.
///
/// The server runs as a task of the current runtime and ends when the client is closed or dropped. The two
/// converse as they would over stdio, era detection included, so tests written this way test the real thing.
///
/// ```
/// use hermes::{Client, Server};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), hermes::ClientError> {
/// let server = Server::new("quiet", "1.0.0");
/// let client = Client::connect(hermes::in_memory(server)).await?;
/// assert_eq!(client.revision(), hermes::types::Revision::LATEST);
/// # Ok(())
/// # }
/// ```
pub fn in_memory(server: Server) -> Target {
    Target::streams("the server in this process", move || {
        let server = server.clone();
        async move {
            let (near, far) = tokio::io::duplex(ROOM);
            tokio::spawn(async move {
                let (reader, writer) = tokio::io::split(far);
                // An error here is the client's going away, which the client knows.
                drop(server.serve(reader, writer).await);
            });
            Ok(tokio::io::split(near))
        }
    })
}
