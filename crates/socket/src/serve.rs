//! Serving whoever connects.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hermes_server::{Facts, Server};
use hermes_telemetry::transport::{self, Listening, kind};
use rustix::process::geteuid;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::UnixStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::guarded::Guarded;
use crate::place::{Listener, Socket};

/// How long accepting pauses when the machine has nothing left to accept with.
const A_MOMENT: Duration = Duration::from_millis(50);

/// The two directions of a connection, and what is known of it.
type Accepted = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>, Facts);

impl Socket {
    /// Serves every connection until `until` resolves. Then nobody new is accepted, nothing more is read, and running
    /// handlers get the server's grace time: every call that was accepted is answered.
    ///
    /// # Cancel safety
    /// Dropping the future cuts all connections.
    pub async fn serve(self, server: &Server, until: impl Future<Output = ()>) {
        let (stop, stopped) = watch::channel(false);
        let room = Arc::new(Semaphore::new(self.connections));
        let mut connections = JoinSet::new();
        let over = self.listener.transport();
        let listening = Listening::begin(over, self.listener.address());
        tokio::pin!(until);
        loop {
            // The semaphore is never closed.
            let place = async { Arc::clone(&room).acquire_owned().await.ok() };
            let accepted = async {
                let place = place.await;
                (place, self.listener.accept().await)
            };
            let (place, accepted) = tokio::select! {
                biased;
                () = &mut until => break,
                // What has ended is looked at, so that nothing piles up.
                Some(_) = connections.join_next() => continue,
                accepted = accepted => accepted,
            };
            match accepted {
                Ok(Some((reader, writer, facts))) => {
                    let (server, mut stopped) = (server.clone(), stopped.clone());
                    let stop = Box::pin(async move {
                        // An error says that the server is gone.
                        let _ = stopped.wait_for(|stopped| *stopped).await;
                    });
                    connections.spawn(async move {
                        if let Err(error) = server.serve_with(facts, Guarded::new(reader, stop), writer).await
                        {
                            transport::failed(over, "broken");
                            tracing::debug!(%error, "a connection broke");
                        }
                        drop(place);
                    });
                }
                Ok(None) => {}
                Err(error) => {
                    transport::failed(over, "not_accepted");
                    tracing::warn!(%error, "no connection can be accepted");
                    tokio::time::sleep(A_MOMENT).await;
                }
            }
        }
        let Self { listener, .. } = self;
        drop((listener, listening));
        stop.send_replace(true);
        while connections.join_next().await.is_some() {}
    }
}

impl Listener {
    /// What carries the messages, as traces call it.
    const fn transport(&self) -> &'static str {
        match self {
            Self::Unix { .. } => kind::UNIX,
            Self::Tcp(..) => kind::TCP,
        }
    }

    /// The address, if it is one of a network.
    const fn address(&self) -> Option<SocketAddr> {
        match self {
            Self::Unix { .. } => None,
            Self::Tcp(_, address) => Some(*address),
        }
    }

    /// The next connection; `None` when whoever connects may not.
    async fn accept(&self) -> io::Result<Option<Accepted>> {
        match self {
            Self::Unix { listener, .. } => {
                let (stream, _) = listener.accept().await?;
                if !may_connect(&stream) {
                    transport::failed(kind::UNIX, "refused");
                    tracing::warn!("another user wants to connect, and is refused");
                    return Ok(None);
                }
                let (reader, writer) = stream.into_split();
                // Whoever connects is our own user; there is no address to speak of.
                let facts = Facts::new().with_transport(kind::UNIX);
                Ok(Some((Box::new(reader), Box::new(writer), facts)))
            }
            Self::Tcp(listener, _) => {
                let (stream, peer) = listener.accept().await?;
                // A message that waits for company waits for nothing.
                let _ = stream.set_nodelay(true);
                let (reader, writer) = stream.into_split();
                Ok(Some((Box::new(reader), Box::new(writer), Facts::new().with_peer(peer))))
            }
        }
    }
}

/// Whether it is our own user at the other end, or the superuser.
fn may_connect(stream: &UnixStream) -> bool {
    stream.peer_cred().is_ok_and(|peer| peer.uid() == geteuid().as_raw() || peer.uid() == 0)
}
