//! Model Context Protocol servers on Unix-domain and TCP sockets: every connection is served as standard input and
//! output would be, one message per line.
//!
//! This is a transport of one's own in the sense of the specification: for programs on one machine that want to share a
//! running server instead of starting their own. Who may connect is decided by the operating system, so it is made strict:
//! a [Unix-domain socket](Socket::unix) serves its own user alone, a [TCP socket](Socket::tcp) this machine alone, and what
//! speaks HTTP, as the pages in a browser do, is cut off before anything it sends is read as a message.
//!
//! ```
//! use hermes_client::{Client, Target};
//! use hermes_server::Server;
//! use hermes_socket::Socket;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
//! let socket = Socket::tcp("127.0.0.1:0").await?;
//! let address = socket.address();
//! let serving = tokio::spawn(async move {
//!     socket.serve(&Server::new("shared", "1.0.0"), async { drop(stopped.await) }).await;
//! });
//!
//! let client = Client::connect(Target::from(&address)).await?;
//! assert_eq!(client.server_info().map(|server| server.name).as_deref(), Some("shared"));
//! client.close().await;
//! drop(stop);
//! serving.await?;
//! # Ok(())
//! # }
//! ```
//!
//! Source: `basic/transports#custom-transports`, 2025-11-25 and 2026-07-28.

#[cfg(not(unix))]
compile_error!("hermes_socket serves Unix-domain sockets, which only Unix has");

mod guarded;
mod place;
mod serve;

pub use place::{BindError, Socket};
