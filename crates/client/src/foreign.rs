//! What the host brings along to carry messages: a panic in it is an error of the stream. It would otherwise end the
//! task that calls wait on, and they would wait in vain.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A byte stream, or a future, of the host.
#[derive(Debug)]
pub(crate) struct Foreign<T>(pub(crate) T);

/// Runs code of the host. What it leaves half done is its own, and is not used again: the stream is given up.
pub(crate) fn caught<T>(name: &str, run: impl FnOnce() -> T) -> io::Result<T> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|_| {
        tracing::error!(what = name, "a stream of the host panicked");
        io::Error::other(format!("{name} panicked"))
    })
}

/// The same for something that is polled.
fn polled<T>(name: &str, poll: impl FnOnce() -> Poll<io::Result<T>>) -> Poll<io::Result<T>> {
    caught(name, poll).unwrap_or_else(|error| Poll::Ready(Err(error)))
}

impl<F: Future<Output = io::Result<T>> + Unpin, T> Future for Foreign<F> {
    type Output = io::Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        polled("the function that opens it", || Pin::new(&mut self.0).poll(cx))
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Foreign<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        polled("its reader", || Pin::new(&mut self.0).poll_read(cx, buffer))
    }
}

impl<W: AsyncWrite + Unpin> AsyncWrite for Foreign<W> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        polled("its writer", || Pin::new(&mut self.0).poll_write(cx, bytes))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        polled("its writer", || Pin::new(&mut self.0).poll_flush(cx))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        polled("its writer", || Pin::new(&mut self.0).poll_shutdown(cx))
    }
}
