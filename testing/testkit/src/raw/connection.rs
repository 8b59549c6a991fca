//! One TCP connection.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::raw::error::RawError;
use crate::raw::head::Head;

/// How long a test waits for anything. Nothing here measures speed: it only bounds a test that hangs.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How much is read at once.
const PIECE: usize = 16 * 1024;

/// A connection on which every byte is the test's own.
///
/// Dropping it closes it in the ordinary way, with a FIN, unless bytes were left unread: then the system resets it.
#[derive(Debug)]
pub struct Connection {
    stream: TcpStream,
    /// What was read and not used yet.
    unused: Vec<u8>,
    taken: u64,
}

impl Connection {
    /// Connects.
    ///
    /// # Errors
    /// [`RawError::Cut`] if nobody listens there.
    pub async fn open(address: SocketAddr) -> Result<Self, RawError> {
        Ok(Self::over(TcpStream::connect(address).await?))
    }

    /// Connects with a small receive buffer, so that a sender soon notices that nobody reads.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_narrow(address: SocketAddr, bytes: u32) -> Result<Self, RawError> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_recv_buffer_size(bytes)?;
        Ok(Self::over(socket.connect(address).await?))
    }

    /// Takes a connection that exists.
    #[must_use]
    pub fn over(stream: TcpStream) -> Self {
        // What is written shall leave at once; where that cannot be asked for, pieces may be joined on the way.
        let _ = stream.set_nodelay(true);
        Self { stream, unused: Vec::new(), taken: 0 }
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// [`RawError::Cut`] if the server reads no more; [`RawError::Silent`] if it takes nothing for [`PATIENCE`].
    pub async fn send(&mut self, bytes: &[u8]) -> Result<(), RawError> {
        timeout(PATIENCE, self.stream.write_all(bytes)).await.map_err(|_| RawError::Silent)??;
        Ok(())
    }

    /// Sends bytes in pieces of a size, each in a write of its own.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub async fn send_in_pieces(&mut self, bytes: &[u8], size: usize) -> Result<(), RawError> {
        for piece in bytes.chunks(size.max(1)) {
            self.send(piece).await?;
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Says that nothing more will be sent, and goes on reading.
    ///
    /// # Errors
    /// [`RawError::Cut`] if the connection is gone already.
    pub async fn half_close(&mut self) -> Result<(), RawError> {
        Ok(self.stream.shutdown().await?)
    }

    /// Resets the connection: the server is told that it was cut, and bytes on their way are lost.
    ///
    /// # Errors
    /// [`RawError::Cut`] if the connection is gone already.
    pub fn reset(self) -> Result<(), RawError> {
        Ok(self.stream.set_zero_linger()?)
    }

    /// Waits until the server closes the connection, and gives what it said before.
    ///
    /// # Errors
    /// [`RawError::Silent`] if it does not; [`RawError::Cut`] if it resets the connection instead.
    pub async fn until_closed(&mut self) -> Result<Vec<u8>, RawError> {
        while self.fill().await? {}
        Ok(self.take(self.unused.len()))
    }

    /// Reads the head of the next answer. Interim answers are left out.
    ///
    /// # Errors
    /// The connection ends before, or what comes is no head.
    pub async fn head(&mut self) -> Result<Head, RawError> {
        loop {
            let end = loop {
                if let Some(end) = position(&self.unused, b"\r\n\r\n") {
                    break end + 4;
                }
                self.more().await?;
            };
            let head = Head::parse(&self.take(end))?;
            if head.status / 100 != 1 {
                return Ok(head);
            }
        }
    }

    /// How many bytes of the answer were used so far.
    #[must_use]
    pub const fn taken(&self) -> u64 {
        self.taken
    }

    /// The address of this side.
    ///
    /// # Errors
    /// The connection is gone.
    pub fn local_address(&self) -> Result<SocketAddr, RawError> {
        Ok(self.stream.local_addr()?)
    }

    /// Exactly so many bytes.
    pub(super) async fn exactly(&mut self, bytes: usize) -> Result<Vec<u8>, RawError> {
        while self.unused.len() < bytes {
            self.more().await?;
        }
        Ok(self.take(bytes))
    }

    /// A line, with its line feed.
    pub(super) async fn line(&mut self) -> Result<Vec<u8>, RawError> {
        loop {
            if let Some(end) = position(&self.unused, b"\n") {
                return Ok(self.take(end + 1));
            }
            self.more().await?;
        }
    }

    /// At least one byte and at most so many; none at the end of the connection.
    pub(super) async fn some(&mut self, most: usize) -> Result<Vec<u8>, RawError> {
        if self.unused.is_empty() && most > 0 {
            self.fill().await?;
        }
        Ok(self.take(self.unused.len().min(most)))
    }

    fn take(&mut self, bytes: usize) -> Vec<u8> {
        self.taken += bytes as u64;
        let rest = self.unused.split_off(bytes);
        std::mem::replace(&mut self.unused, rest)
    }

    async fn more(&mut self) -> Result<(), RawError> {
        if self.fill().await? { Ok(()) } else { Err(RawError::ended()) }
    }

    /// Reads once; `false` at the end.
    async fn fill(&mut self) -> Result<bool, RawError> {
        self.unused.reserve(PIECE);
        let read = timeout(PATIENCE, self.stream.read_buf(&mut self.unused)).await;
        Ok(read.map_err(|_| RawError::Silent)?? > 0)
    }
}

fn position(bytes: &[u8], pattern: &[u8]) -> Option<usize> {
    bytes.windows(pattern.len()).position(|window| window == pattern)
}
