//! Standard input and output as byte streams.
//!
//! A read of standard input cannot be interrupted, nor can a write to a pipe that nobody reads. A runtime
//! that had started either would wait for it before the process could end. So each has a thread of its own,
//! which the end of the process does not wait for.

use std::io;
use std::pin::Pin;
use std::sync::mpsc as blocking;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tracing::{Instrument as _, Span};

use crate::error::ServerError;
use crate::server::Server;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

impl Server {
    /// Serves the process's standard input and output until the input ends.
    ///
    /// Nothing else may be written to standard output meanwhile; logs belong on standard error.
    ///
    /// ```no_run
    /// use hermes_server::{Server, ServerError};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), ServerError> {
    /// Server::new("demo", "0.1.0").serve_stdio().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    ///
    /// # Cancel safety
    /// As [`serve`](Self::serve); input that was read already is lost.
    ///
    /// Source: `basic/transports/stdio`, 2026-07-28 (`basic/transports` before).
    pub async fn serve_stdio(&self) -> Result<(), ServerError> {
        let reader = Reader::new("stdin", io::stdin()).map_err(ServerError::Read)?;
        let writer = Writer::new("stdout", io::stdout()).map_err(ServerError::Write)?;
        self.serve_in_a_task(reader, writer).await
    }

    /// Serves in a task: a runtime of many threads starts handlers on the thread of the task that has read their calls,
    /// but has to wake another one for what starts them from outside, as the main function is.
    async fn serve_in_a_task<R, W>(&self, reader: R, writer: W) -> Result<(), ServerError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let server = self.clone();
        let mut serving = JoinSet::new();
        serving.spawn(async move { server.serve(reader, writer).await }.instrument(Span::current()));
        match serving.join_next().await {
            Some(Ok(served)) => served,
            Some(Err(failed)) => match failed.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                // Only the end of the runtime stops it before its time.
                Err(_) => Ok(()),
            },
            None => Ok(()),
        }
    }
}

/// A blocking source, read by a thread.
#[derive(Debug)]
struct Reader {
    chunks: mpsc::Receiver<io::Result<Vec<u8>>>,
    /// What was received and not yet asked for.
    chunk: io::Cursor<Vec<u8>>,
}

impl Reader {
    fn new(name: &str, mut source: impl io::Read + Send + 'static) -> io::Result<Self> {
        // One chunk is being read while another is being worked on.
        let (sender, chunks) = mpsc::channel(1);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let mut buffer = vec![0; CHUNK];
            loop {
                let read = match source.read(&mut buffer) {
                    Ok(0) => return,
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    // Most chunks are small, and hold no more memory than they have bytes.
                    read => read.map(|length| buffer.get(..length).unwrap_or_default().to_vec()),
                };
                let failed = read.is_err();
                if sender.blocking_send(read).is_err() || failed {
                    return;
                }
            }
        })?;
        Ok(Self { chunks, chunk: io::Cursor::default() })
    }
}

impl AsyncRead for Reader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        loop {
            ready!(Pin::new(&mut self.chunk).poll_read(cx, buffer))?;
            if buffer.filled().len() > before || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            match ready!(self.chunks.poll_recv(cx)) {
                Some(chunk) => self.chunk = io::Cursor::new(chunk?),
                None => return Poll::Ready(Ok(())),
            }
        }
    }
}

/// A blocking sink, written by a thread.
///
/// ```text
///         poll_write                  the thread is done
///   idle ------------> writing --------------------------> idle
///                         |
///                         +-- an error, or the thread is gone --> broken
/// ```
#[derive(Debug)]
struct Writer {
    /// Hands a buffer to the thread.
    work: blocking::SyncSender<Vec<u8>>,
    /// Gives it back, written and flushed.
    done: mpsc::Receiver<io::Result<Vec<u8>>>,
    /// The buffer, when the thread does not have it.
    idle: Option<Vec<u8>>,
}

impl Writer {
    fn new(name: &str, mut sink: impl io::Write + Send + 'static) -> io::Result<Self> {
        let (work, jobs) = blocking::sync_channel::<Vec<u8>>(1);
        let (results, done) = mpsc::channel(1);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            for mut buffer in jobs {
                let written = sink.write_all(&buffer).and_then(|()| sink.flush());
                buffer.clear();
                if results.blocking_send(written.map(|()| buffer)).is_err() {
                    return;
                }
            }
        })?;
        Ok(Self { work, done, idle: Some(Vec::new()) })
    }

    /// Waits until the thread has the buffer no more.
    fn poll_idle(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.idle.is_none() {
            let gone = || Err(io::Error::from(io::ErrorKind::BrokenPipe));
            self.idle = Some(ready!(self.done.poll_recv(cx)).unwrap_or_else(gone)?);
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Writer {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_idle(cx))?;
        let mut buffer = self.idle.take().unwrap_or_default();
        buffer.extend_from_slice(bytes);
        let sent = self.work.send(buffer);
        Poll::Ready(sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_idle(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    /// Ends at once, and notes the span that it is read in.
    struct Noting(Arc<Mutex<Option<&'static str>>>);

    impl AsyncRead for Noting {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            let span = Span::current().metadata().map(|metadata| metadata.name());
            *self.0.lock().expect("nobody panics") = span;
            Poll::Ready(Ok(()))
        }
    }

    #[tokio::test]
    async fn the_task_runs_in_the_span_of_whoever_serves() {
        let _collecting = tracing::subscriber::set_default(tracing_subscriber::registry());
        let noted = Arc::default();
        let reader = Noting(Arc::clone(&noted));
        let server = Server::new("demo", "0.1.0");
        let serving = server.serve_in_a_task(reader, tokio::io::sink());
        serving.instrument(tracing::info_span!("the main function")).await.expect("it ends in good order");
        assert_eq!(*noted.lock().expect("nobody panics"), Some("the main function"));
    }

    #[tokio::test]
    async fn bytes_pass_through_the_threads_in_order() -> io::Result<()> {
        let (source, mut feed) = io::pipe()?;
        let (mut drain, sink) = io::pipe()?;
        let (mut reader, mut writer) = (Reader::new("in", source)?, Writer::new("out", sink)?);
        let sent: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
        let expected = sent.clone();
        let feeding = std::thread::spawn(move || io::Write::write_all(&mut feed, &sent));
        let draining = std::thread::spawn(move || {
            let mut received = Vec::new();
            io::Read::read_to_end(&mut drain, &mut received).map(|_| received)
        });
        tokio::io::copy(&mut reader, &mut writer).await?;
        writer.flush().await?;
        drop(writer);
        feeding.join().expect("feeds")?;
        assert!(draining.join().expect("drains")? == expected, "the bytes differ");
        Ok(())
    }

    #[tokio::test]
    async fn a_reader_that_waits_does_not_keep_the_runtime_and_a_broken_sink_is_an_error() -> io::Result<()> {
        let (source, feed) = io::pipe()?;
        let mut reader = Reader::new("in", source)?;
        let waiting = tokio::time::timeout(std::time::Duration::from_millis(1), reader.read_u8()).await;
        assert!(waiting.is_err(), "nothing was sent");
        let (drain, sink) = io::pipe()?;
        let mut writer = Writer::new("out", sink)?;
        drop(drain);
        writer.write_all(b"x").await?;
        assert_eq!(writer.flush().await.map_err(|error| error.kind()), Err(io::ErrorKind::BrokenPipe));
        // The source is still open: its thread is left behind, waiting.
        drop(feed);
        Ok(())
    }
}
