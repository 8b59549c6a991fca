//! Connections that come and then say nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// A connection that is cut when no request has come on it in time. From the first request on, the time limits of
/// HTTP hold instead.
#[derive(Debug)]
pub(crate) struct Arriving {
    stream: TcpStream,
    has_arrived: Arc<AtomicBool>,
    patience: Option<Pin<Box<Sleep>>>,
}

impl Arriving {
    /// Gives the connection, and what is to be set when a request has come on it.
    pub(crate) fn new(stream: TcpStream, patience: Duration) -> (Self, Arc<AtomicBool>) {
        let has_arrived = Arc::new(AtomicBool::new(false));
        let patience = Some(Box::pin(tokio::time::sleep(patience)));
        (Self { stream, has_arrived: Arc::clone(&has_arrived), patience }, has_arrived)
    }

    fn poll_patience(&mut self, cx: &mut Context<'_>) -> Poll<io::Error> {
        let Some(patience) = &mut self.patience else { return Poll::Pending };
        if self.has_arrived.load(Ordering::Relaxed) {
            self.patience = None;
            return Poll::Pending;
        }
        patience
            .as_mut()
            .poll(cx)
            .map(|()| io::Error::new(io::ErrorKind::TimedOut, "no request came in time"))
    }
}

impl AsyncRead for Arriving {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match Pin::new(&mut self.stream).poll_read(cx, buffer) {
            Poll::Ready(read) => Poll::Ready(read),
            Poll::Pending => self.poll_patience(cx).map(Err),
        }
    }
}

impl AsyncWrite for Arriving {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    async fn pair() -> io::Result<(TcpStream, TcpStream)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let client = TcpStream::connect(listener.local_addr()?).await?;
        Ok((client, listener.accept().await?.0))
    }

    #[tokio::test]
    async fn a_connection_without_a_request_is_cut_and_one_with_a_request_is_not() -> io::Result<()> {
        tokio::time::pause();
        let (_client, server) = pair().await?;
        let (mut silent, _) = Arriving::new(server, Duration::from_secs(30));
        let cut = silent.read_u8().await.map_err(|error| error.kind());
        assert_eq!(cut, Err(io::ErrorKind::TimedOut));

        let (_client, server) = pair().await?;
        let (mut heard, has_arrived) = Arriving::new(server, Duration::from_secs(30));
        has_arrived.store(true, Ordering::Relaxed);
        let waits = tokio::time::timeout(Duration::from_secs(3600), heard.read_u8()).await;
        assert!(waits.is_err(), "nothing was sent, and it is still open");
        Ok(())
    }
}
