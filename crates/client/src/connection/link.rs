//! A connection from its start to its end.

use std::process::ExitStatus;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Mutex, watch};
use tokio::task::AbortHandle;

use super::read::read_loop;
use super::shared::Shared;
use super::write::write_loop;
use crate::Warning;
use crate::child::{Child, Command, SpawnError, spawn};
use crate::foreign::Foreign;

/// The two directions of a byte stream.
pub(crate) struct Streams {
    pub(crate) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) writer: Box<dyn AsyncWrite + Send + Unpin>,
}

impl Streams {
    /// Streams that the host brings along.
    pub(crate) fn of_host<R, W>(reader: R, writer: W) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self { reader: Box::new(Foreign(reader)), writer: Box::new(Foreign(writer)) }
    }
}

/// Owns the tasks of a connection, and the child at its other end if there is one. Dropping it ends all of them.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    /// The task that reads a byte stream.
    reader: Option<AbortHandle>,
    /// Ends when everything is written and the stream is closed.
    written: watch::Receiver<()>,
    child: Option<Mutex<Child>>,
}

impl Connection {
    /// Starts talking over a byte stream.
    pub(crate) fn open(streams: Streams, shared: Shared) -> Self {
        Self::start(streams, None, shared)
    }

    /// Starts a child and talks to it.
    pub(crate) fn spawn(command: &Command, shared: Shared) -> Result<Self, SpawnError> {
        let spawned = spawn(command)?;
        if let Some(error) = spawned.unguarded {
            shared.hooks.warn(&Warning::Unguarded { reason: error.to_string() });
        }
        let streams = Streams { reader: Box::new(spawned.stdout), writer: Box::new(spawned.stdin) };
        Ok(Self::start(streams, Some(spawned.child), shared))
    }

    fn start(streams: Streams, child: Option<Child>, shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let (done, written) = watch::channel(());
        tokio::spawn(write_loop(Arc::clone(&shared), streams.writer, done));
        let view = child.as_ref().map(Child::view);
        let reader = tokio::spawn(read_loop(Arc::clone(&shared), streams.reader, view)).abort_handle();
        Self { shared, reader: Some(reader), written, child: child.map(Mutex::new) }
    }

    /// A connection that somebody else drives: `written` says when all that there was to send is sent.
    pub(crate) const fn driven(shared: Arc<Shared>, written: watch::Receiver<()>) -> Self {
        Self { shared, reader: None, written, child: None }
    }

    /// Closes the connection after what there is to write, and waits for the end of the child. Both are bounded.
    ///
    /// # Cancel safety
    /// The child ends also when this is dropped.
    pub(crate) async fn close(&self) -> Option<ExitStatus> {
        self.shared.finish();
        // Nothing is ever sent on it: its end is the sign.
        let _ = self.written.clone().changed().await;
        match &self.child {
            Some(child) => child.lock().await.close().await,
            None => None,
        }
    }
}

impl Connection {
    /// Closes the connection, and waits until an endpoint has heard of it. A byte stream says so by its own end.
    ///
    /// # Cancel safety
    /// The connection is closed as soon as this was polled.
    pub(crate) async fn leave(&self) {
        self.shared.finish();
        if self.shared.carrier().is_exchanges() {
            // Nothing is ever sent on it: its end is the sign.
            let _ = self.written.clone().changed().await;
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.finish();
        // A child that is closing may still have something to say before it exits: it is read until then.
        if let (Some(reader), None) = (&self.reader, &self.child) {
            reader.abort();
        }
    }
}
