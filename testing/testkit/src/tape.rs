//! Listening to conversations while they run.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::recorder::{Recorder, Side};

/// Records every conversation of a test, and fails the test when it is dropped and a message of a side under test
/// was none of its revision's.
///
/// ```
/// use hermes_testkit::{Side, Tape};
///
/// let tape = Tape::new(&[Side::Client]);
/// // Anything that sees the bytes of one conversation: a stream, or a hook.
/// let ear = tape.ear();
/// ear.hears(Side::Client, b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
/// assert_eq!(tape.faults(), Vec::<String>::new());
/// ```
#[derive(Debug)]
pub struct Tape {
    judged: Vec<Side>,
    faults: Arc<Mutex<Vec<String>>>,
}

/// Hears one conversation, however many clones of it there are.
#[derive(Clone, Debug)]
pub struct Ear {
    recorder: Arc<Mutex<Recorder>>,
    faults: Arc<Mutex<Vec<String>>>,
}

impl Tape {
    /// A tape on which the messages of these sides are judged, see [`Recorder::from_env`].
    ///
    /// # Panics
    /// As [`Recorder::from_env`].
    #[must_use]
    pub fn new(judged: &[Side]) -> Self {
        Self { judged: judged.to_vec(), faults: Arc::default() }
    }

    /// Begins to record one more conversation.
    ///
    /// # Panics
    /// As [`Recorder::from_env`].
    #[must_use]
    pub fn ear(&self) -> Ear {
        let recorder = Recorder::from_env(&self.judged);
        Ear { recorder: Arc::new(Mutex::new(recorder)), faults: Arc::clone(&self.faults) }
    }

    /// Wraps the stream of one side, which is a conversation of its own.
    ///
    /// # Panics
    /// As [`Recorder::from_env`].
    #[must_use]
    pub fn tap<S>(&self, side: Side, stream: S) -> Tapped<S> {
        Tapped { ear: self.ear(), side, stream }
    }

    /// What was wrong so far.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        lock(&self.faults).clone()
    }
}

impl Drop for Tape {
    /// # Panics
    /// A message was wrong, and the test has not failed already.
    fn drop(&mut self) {
        let faults = self.faults();
        assert!(faults.is_empty() || std::thread::panicking(), "{}", faults.join("\n"));
    }
}

impl Ear {
    /// Takes in what a side says, cut anywhere.
    pub fn hears(&self, side: Side, bytes: &[u8]) {
        self.note(lock(&self.recorder).says(side, bytes));
    }

    /// Takes note that a side says no more.
    pub fn hears_the_end(&self, side: Side) {
        self.note(lock(&self.recorder).ends(side));
    }

    /// Takes in a message of a side, as a line without its end.
    pub fn hears_line(&self, side: Side, line: &[u8]) {
        self.note(lock(&self.recorder).says_line(side, line));
    }

    /// Takes in a conversation that was kept as text: `--> ` before each message of the client, `<-- ` before each of
    /// the server.
    pub fn hears_lines(&self, text: &str) {
        for line in text.lines() {
            if let Some(said) = line.strip_prefix("--> ") {
                self.hears_line(Side::Client, said.as_bytes());
            } else if let Some(said) = line.strip_prefix("<-- ") {
                self.hears_line(Side::Server, said.as_bytes());
            }
        }
    }

    fn note(&self, outcome: Result<(), String>) {
        lock(&self.faults).extend(outcome.err());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A byte stream of one side, with a tape running: what is written is what the side says, what is read is what the
/// other says.
#[derive(Debug)]
pub struct Tapped<S> {
    ear: Ear,
    side: Side,
    stream: S,
}

impl<S: AsyncRead + Unpin> AsyncRead for Tapped<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        match buffer.filled().get(before..) {
            Some([]) if buffer.remaining() > 0 => self.ear.hears_the_end(self.side.other()),
            read => self.ear.hears(self.side.other(), read.unwrap_or_default()),
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Tapped<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes))?;
        if let Some(written) = bytes.get(..written) {
            self.ear.hears(self.side, written);
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.ear.hears_the_end(self.side);
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
