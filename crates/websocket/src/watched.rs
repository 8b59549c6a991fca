//! A byte stream that remembers its signs of life.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

/// A byte stream that remembers when its other side last sent something, and when it last took something.
///
/// Put it around the connection before the handshake. Bytes count, not messages: a long message over a slow line is a
/// sign of life all the time, in either direction.
///
/// ```
/// use hermes_websocket::Watched;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> std::io::Result<()> {
/// let (near, mut far) = tokio::io::duplex(64);
/// let mut near = Watched::new(near);
/// near.write_all(b"hello").await?;
/// drop(near);
/// let mut heard = String::new();
/// far.read_to_string(&mut heard).await?;
/// assert_eq!(heard, "hello");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Watched<S> {
    inner: S,
    signs: Signs,
}

impl<S> Watched<S> {
    /// Watches a stream. Being there is its first sign of life.
    pub fn new(inner: S) -> Self {
        Self { inner, signs: Signs::new(Instant::now()) }
    }

    pub(crate) const fn signs(&self) -> &Signs {
        &self.signs
    }
}

/// What is known of the other side.
#[derive(Clone, Debug)]
pub(crate) struct Signs(Arc<Mutex<Known>>);

#[derive(Clone, Copy, Debug)]
struct Known {
    heard: Instant,
    taken: Instant,
    is_held: bool,
}

impl Signs {
    fn new(now: Instant) -> Self {
        Self(Arc::new(Mutex::new(Known { heard: now, taken: now, is_held: false })))
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When it last sent something. While nobody here reads it cannot be heard, and is taken to be alive.
    pub(crate) fn heard(&self) -> Instant {
        let known = *self.known();
        if known.is_held { Instant::now() } else { known.heard }
    }

    /// When it last took something of what it is sent.
    pub(crate) fn taken(&self) -> Instant {
        self.known().taken
    }

    /// From now on nobody here reads, until what is returned is dropped.
    pub(crate) fn hold(&self) -> Held<'_> {
        self.known().is_held = true;
        Held(self)
    }
}

/// While this is there, nobody reads.
pub(crate) struct Held<'a>(&'a Signs);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut known = self.0.known();
        known.is_held = false;
        known.heard = Instant::now();
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buffer))?;
        if buffer.filled().len() > before {
            self.signs.known().heard = Instant::now();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let taken = ready!(Pin::new(&mut self.inner).poll_write(cx, bytes))?;
        if taken > 0 {
            self.signs.known().taken = Instant::now();
        }
        Poll::Ready(Ok(taken))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
