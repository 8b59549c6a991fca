//! A WebSocket as a byte stream.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio_tungstenite::WebSocketStream;

use crate::{Ended, Manners, Watched, pump};

/// How much waits between the WebSocket and whoever reads or writes lines, in bytes each way. Whoever does not read is
/// not read from.
const ROOM: usize = 64 * 1024;

/// The messages of a WebSocket as lines, both ways.
///
/// Dropping it, or shutting it down, closes the WebSocket in good order once all that was written is sent.
#[derive(Debug)]
pub struct Lines {
    inner: DuplexStream,
    /// How it ended, if not in good order.
    ended: Arc<OnceLock<String>>,
    /// The reader was told so.
    is_told: bool,
}

/// Gives a WebSocket as lines, and what has to run for as long as they are used; its outcome is how it ended.
///
/// ```
/// use hermes_websocket::{Ended, Manners, Watched, lines};
/// use hermes_websocket::tungstenite::WebSocketStream;
/// use hermes_websocket::tungstenite::tungstenite::protocol::Role;
/// use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
///
/// # #[tokio::main]
/// # async fn main() -> std::io::Result<()> {
/// let (near, far) = tokio::io::duplex(1024);
/// let manners = Manners::new(4096);
/// let near = WebSocketStream::from_raw_socket(Watched::new(near), Role::Client, Some(manners.config())).await;
/// let far = WebSocketStream::from_raw_socket(Watched::new(far), Role::Server, Some(manners.config())).await;
/// let (mut client, client_runs) = lines(near, manners);
/// let (server, server_runs) = lines(far, manners);
/// let (client_runs, server_runs) = (tokio::spawn(client_runs), tokio::spawn(server_runs));
/// client.write_all(b"{\"jsonrpc\":\"2.0\"}\n").await?;
/// drop(client);
/// let mut read = BufReader::new(server).lines();
/// assert_eq!(read.next_line().await?.as_deref(), Some("{\"jsonrpc\":\"2.0\"}"));
/// assert_eq!(read.next_line().await?, None);
/// drop(read);
/// assert!(matches!(client_runs.await?, Ended::Closed));
/// assert!(matches!(server_runs.await?, Ended::Closed));
/// # Ok(())
/// # }
/// ```
pub fn lines<S>(
    socket: WebSocketStream<Watched<S>>,
    manners: Manners,
) -> (Lines, impl Future<Output = Ended> + use<S>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (near, far) = tokio::io::duplex(ROOM);
    let ended = Arc::new(OnceLock::new());
    let lines = Lines { inner: near, ended: Arc::clone(&ended), is_told: false };
    (lines, pump::run(socket, far, manners, ended))
}

impl AsyncRead for Lines {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        if buffer.filled().len() == before && buffer.remaining() > 0 && !self.is_told {
            self.is_told = true;
            if let Some(ended) = self.ended.get() {
                return Poll::Ready(Err(io::Error::other(ended.clone())));
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Lines {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
