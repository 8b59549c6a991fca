//! Moving bytes: lines in, verdicts carried out, lines out.

use std::sync::Arc;
use std::time::Duration;

use hermes_proto::channel::{Notified, Verdict};
use hermes_proto::framing::{Line, LineReader};
use hermes_telemetry::server::{init, notification, terminate};
use hermes_telemetry::transport::{self, Connected};
use hermes_types::{Fault, FaultKind, Method, RawJson};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::ask::AskError;
use crate::dispatch::{Carriage, dispatch, handshake};
use crate::error::ServerError;
use crate::facts::Facts;
use crate::link::{Link, StreamLink, Taken};
use crate::server::Server;

/// How much is read at once, in bytes.
const CHUNK: usize = 64 * 1024;

/// How much is read ahead, in bytes, while nothing is looked at because the client does not read its answers.
const AHEAD: usize = 1024 * 1024;

/// How much is written at once, in bytes; a longer message is written as a whole.
const ENOUGH: usize = 64 * 1024;

/// How long reading waits for a call to end when no more may be in flight.
const A_MOMENT: Duration = Duration::from_millis(20);

/// How long a client may take to read the last messages.
const LAST_WORDS: Duration = Duration::from_secs(2);

impl Server {
    /// Serves one connection over any pair of byte streams, one message per line, until the input ends.
    ///
    /// Both eras are served, even at once. When the input ends, handlers get the server's grace time; then
    /// every call that has no outcome yet is answered with an error. Dropping the future stops all handlers.
    ///
    /// ```
    /// use hermes_server::Server;
    /// use tokio::io::{AsyncReadExt, AsyncWriteExt};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let (mut client, server) = tokio::io::duplex(4096);
    /// let (reader, writer) = tokio::io::split(server);
    /// let serving = tokio::spawn(async move { Server::new("demo", "0.1.0").serve(reader, writer).await });
    ///
    /// client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await?;
    /// client.shutdown().await?;
    /// let mut answer = String::new();
    /// client.read_to_string(&mut answer).await?;
    /// assert_eq!(answer, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    /// serving.await??;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ServerError`]: reading or writing failed, or the server has [flaws](Self::check). The end of the input is no error.
    ///
    /// # Cancel safety
    /// Dropping the future drops all handlers of the connection; what was not written is lost.
    pub async fn serve<R, W>(&self, reader: R, writer: W) -> Result<(), ServerError>
    where
        R: AsyncRead,
        W: AsyncWrite,
    {
        self.serve_with(Facts::new(), reader, writer).await
    }

    /// The same as [`serve`](Self::serve) for a transport that knows more of its connections: their handlers are given
    /// the head of the request that opened it, the address at the other end, and whom it was authenticated as.
    ///
    /// ```
    /// use hermes_server::{Facts, Server, ServerError};
    /// use tokio::io::DuplexStream;
    ///
    /// async fn accepted(server: &Server, user: &str, stream: DuplexStream) -> Result<(), ServerError> {
    ///     let (reader, writer) = tokio::io::split(stream);
    ///     server.serve_with(Facts::new().with_principal(user), reader, writer).await
    /// }
    /// ```
    ///
    /// # Errors
    /// [`ServerError`]: reading or writing failed, or the server has [flaws](Self::check). The end of the input is no error.
    ///
    /// # Cancel safety
    /// Dropping the future drops all handlers of the connection; what was not written is lost.
    pub async fn serve_with<R, W>(&self, facts: Facts, reader: R, writer: W) -> Result<(), ServerError>
    where
        R: AsyncRead,
        W: AsyncWrite,
    {
        self.check()?;
        let over = facts.transport();
        let _connected = Connected::begin(over);
        init(&self.settings.info.name, &self.settings.info.version, over);
        let link = Arc::new(StreamLink::new(Arc::clone(&self.settings), facts));
        let joined: Arc<dyn Link> = Arc::clone(&link) as _;
        self.hub.join(&joined);
        let _ending = Ending { link: &link, server: self };
        let mut write = std::pin::pin!(write(&link, writer, over));
        let read = tokio::select! {
            biased;
            // First what is there to be read, then what came of it is written, all of it at once.
            read = self.read(&link, reader) => read,
            written = &mut write => return written,
        };
        match tokio::time::timeout(LAST_WORDS, write).await {
            Ok(written) => written.and(read),
            Err(_) => {
                tracing::warn!("the client does not read: its last messages are lost");
                read
            }
        }
    }

    /// Reads until the input ends, then winds the connection down: all calls have their outcome afterwards.
    async fn read<R: AsyncRead>(&self, link: &Arc<StreamLink>, reader: R) -> Result<(), ServerError> {
        let mut reader = std::pin::pin!(reader);
        let mut lines = LineReader::new(self.settings.limits.line_bytes);
        let mut handlers = JoinSet::new();
        // What was read and not looked at yet.
        let mut ahead = Vec::with_capacity(CHUNK);
        let mut patience = A_MOMENT;
        let most = self.settings.unwritten;
        let read = loop {
            // A client that does not read its answers gets no new ones; but that it has gone is to be noticed.
            let read = tokio::select! {
                biased;
                () = link.has_room(most), if !ahead.is_empty() => None,
                read = reader.read_buf(&mut ahead), if ahead.len() < AHEAD => Some(read),
            };
            match read {
                Some(Ok(0)) => break Ok(()),
                Some(Err(error)) => break Err(ServerError::Read(error)),
                Some(Ok(size)) => transport::received(link.transport(), size),
                None => {}
            }
            let mut unread = ahead.as_slice();
            while link.is_roomy(most)
                && let Some(line) = lines.read(&mut unread)
            {
                // Waiting once is enough: answers and cancellations have to be read, or nothing ever ends.
                patience = if link.has_place(patience).await { A_MOMENT } else { Duration::ZERO };
                self.receive(link, line, &mut handlers);
            }
            let looked_at = ahead.len() - unread.len();
            ahead.drain(..looked_at);
            while handlers.try_join_next().is_some() {}
        };
        let mut unread = ahead.as_slice();
        while let Some(line) = lines.read(&mut unread) {
            self.receive(link, line, &mut handlers);
        }
        if let Some(line) = lines.finish() {
            self.receive(link, line, &mut handlers);
        }
        let failure = read.is_err().then_some("read");
        self.wind_down(link, handlers, failure).await;
        read
    }

    /// Carries out what the channel says about a line.
    ///
    /// Each handler is a task of its own: one that keeps its thread, waiting for what this connection is still to
    /// bring, must not be what keeps it from being read.
    fn receive(&self, link: &Arc<StreamLink>, line: Line<'_>, handlers: &mut JoinSet<()>) {
        let way: Arc<dyn Link> = Arc::clone(link) as _;
        for verdict in link.handle(line) {
            match verdict {
                Verdict::Run(call) => {
                    if let Some(handler) = dispatch(self, &way, call, Carriage::default()) {
                        handlers.spawn(handler);
                    }
                }
                Verdict::Refuse { response: text, .. } | Verdict::Reply(text) => link.send(text),
                Verdict::Settle { caller, outcome, .. } => {
                    // Whoever asked may be gone; then nobody wants the answer.
                    let _ = caller.send(outcome.map(RawJson::from).map_err(AskError::Refused));
                }
                Verdict::Cancel { call, reason, released } => {
                    notification(Method::Cancelled.as_str());
                    tracing::debug!(?call, reason = reason.as_deref(), "cancelled");
                    link.cancel(call);
                    released.into_iter().for_each(|array| link.send(array));
                }
                Verdict::Handshake { call, request_id, agreed } => {
                    handshake(self, &way, call, request_id, *agreed);
                }
                Verdict::Notify(notified) => {
                    notification(notified.method().as_str());
                    if matches!(notified, Notified::Initialized) {
                        link.release();
                    }
                }
                Verdict::Ignore(why) => tracing::debug!(%why, "ignored"),
            }
        }
    }

    /// Nothing more can be read: lets the handlers end within the grace time, and answers for the rest.
    async fn wind_down(&self, link: &StreamLink, mut tasks: JoinSet<()>, failure: Option<&'static str>) {
        let now = Instant::now();
        // A grace time beyond all clocks is as good as a day.
        let until =
            now.checked_add(self.settings.shutdown_grace).unwrap_or(now + Duration::from_secs(86_400));
        link.close(until);
        let ended = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout_at(until, ended).await.is_err() {
            tracing::warn!(left = tasks.len(), "the grace time is over: handlers are stopped");
        }
        link.refuse_all(&Fault::new(FaultKind::ServerError, "the server is shutting down"));
        self.end_session(link, failure);
        link.finish();
    }

    fn end_session(&self, link: &StreamLink, failure: Option<&'static str>) {
        if let Some(session) = link.session() {
            session.end(&self.settings, link.facts(), failure);
        }
    }
}

/// However serving ends, the session of the connection ends with it.
struct Ending<'a> {
    link: &'a StreamLink,
    server: &'a Server,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        // Unless it was wound down: then this comes second.
        self.server.end_session(self.link, Some("aborted"));
        self.link.finish();
        terminate(&self.server.settings.info.name, "the connection has ended");
    }
}

/// Writes what the link has until nothing more will come.
async fn write<W: AsyncWrite>(link: &StreamLink, writer: W, over: &'static str) -> Result<(), ServerError> {
    let mut writer = std::pin::pin!(writer);
    let mut buffer = Vec::new();
    let written = async {
        while link.next_lines(&mut buffer, ENOUGH).await {
            writer.write_all(&buffer).await?;
            transport::sent(over, buffer.len());
            buffer.clear();
            while link.take_lines(&mut buffer, ENOUGH) == Taken::Lines {
                writer.write_all(&buffer).await?;
                transport::sent(over, buffer.len());
                buffer.clear();
            }
            // One long message must not cost its memory for ever.
            buffer.shrink_to(2 * ENOUGH);
            writer.flush().await?;
        }
        writer.shutdown().await
    };
    written.await.map_err(ServerError::Write)
}
