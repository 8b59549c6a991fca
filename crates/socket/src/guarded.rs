//! What is read of a connection before it counts as a conversation, and its orderly end.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// Reads a connection up to its end, or up to the moment when the server stops. What begins as no JSON ends at once: a
/// page in a browser can send what it likes to any port of this machine, but only behind the head of an HTTP request.
///
/// ```text
///                  `{`, `[`                        the stream ends, the server stops
///   unknown --------------------> conversing ------------------------------------------> over
///      |                                                                                  ^
///      +----------------------------------------------------------------------------------+
///                  any other letter, which is told
/// ```
pub(crate) struct Guarded<R, S> {
    reader: R,
    /// Resolves when nothing more is to be read.
    stop: S,
    begun: Begun,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Begun {
    Unknown,
    Conversing,
    Over,
}

impl<R, S> Guarded<R, S> {
    pub(crate) const fn new(reader: R, stop: S) -> Self {
        Self { reader, stop, begun: Begun::Unknown }
    }
}

impl<R: AsyncRead + Unpin, S: Future<Output = ()> + Unpin> AsyncRead for Guarded<R, S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.begun == Begun::Over {
            return Poll::Ready(Ok(()));
        }
        if Pin::new(&mut self.stop).poll(cx).is_ready() {
            self.begun = Begun::Over;
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.reader).poll_read(cx, buffer))?;
        if self.begun == Begun::Unknown {
            let read = buffer.filled().get(before..).unwrap_or_default();
            let first = read.iter().find(|byte| !byte.is_ascii_whitespace());
            match first {
                None => {}
                Some(b'{' | b'[') => self.begun = Begun::Conversing,
                Some(_) => {
                    tracing::warn!("a connection begins with something that is no message, and is closed");
                    self.begun = Begun::Over;
                    buffer.set_filled(before);
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::*;

    async fn read(input: &[u8]) -> Vec<u8> {
        let mut read = Vec::new();
        let mut guarded = Guarded::new(input, std::future::pending());
        guarded.read_to_end(&mut read).await.expect("readable");
        read
    }

    #[tokio::test]
    async fn what_begins_as_no_json_is_not_read() {
        for good in ["{\"a\":1}\n", "  \r\n[{}]\nanything", " ", ""] {
            assert_eq!(read(good.as_bytes()).await, good.as_bytes());
        }
        for bad in ["POST / HTTP/1.1\r\n\r\n{}\n", "\n\nGET /", "\u{feff}{}", "\0{}", "\"a\""] {
            assert_eq!(read(bad.as_bytes()).await, b"", "{bad:?}");
        }
    }

    #[tokio::test]
    async fn nothing_is_read_once_the_server_stops() {
        let mut read = Vec::new();
        let mut guarded = Guarded::new(&b"{}\n"[..], std::future::ready(()));
        guarded.read_to_end(&mut read).await.expect("readable");
        assert_eq!(read, b"");
    }
}
