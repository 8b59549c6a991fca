//! What transports tell of themselves, and of the messages that they carry.

use std::net::SocketAddr;
use std::time::Instant;

use crate::names::attribute as at;
use crate::tell::tell;

/// What carries messages; the word that `network.transport` has.
pub mod kind {
    /// HTTP, which is TCP to OpenTelemetry.
    pub const HTTP: &str = "tcp";
    /// Standard input and output, or anything else that is two streams of bytes.
    pub const PIPE: &str = "pipe";
    /// A socket over TCP.
    pub const TCP: &str = "tcp";
    /// A socket of this machine.
    pub const UNIX: &str = "unix";
    /// A WebSocket, which is TCP to OpenTelemetry.
    pub const WEBSOCKET: &str = "tcp";
}

/// Where a server is, for its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What carries the messages there.
    pub transport: &'static str,
    /// Its host, or the path of its socket.
    pub address: Option<String>,
    /// Its port.
    pub port: Option<u16>,
}

impl Place {
    /// At the other end of two streams of bytes: a child, or whatever the host has opened.
    #[must_use]
    pub const fn of_streams() -> Self {
        Self { transport: kind::PIPE, address: None, port: None }
    }

    /// At a host.
    #[must_use]
    pub fn of_host(transport: &'static str, host: impl Into<String>, port: Option<u16>) -> Self {
        Self { transport, address: Some(host.into()), port }
    }
}

/// A connection, from its beginning to its end.
#[derive(Debug)]
#[must_use = "dropping it tells that the connection has ended"]
pub struct Connected {
    transport: &'static str,
    began: Instant,
}

impl Connected {
    /// A connection is there. Its end is told when this is dropped.
    pub fn begin(transport: &'static str) -> Self {
        tell!(DEBUG TRANSPORT TRANSPORT_CONNECT, { at::TRANSPORT } = transport,);
        Self { transport, began: Instant::now() }
    }
}

impl Drop for Connected {
    fn drop(&mut self) {
        tell!(DEBUG TRANSPORT TRANSPORT_DISCONNECT, { at::DURATION } = self.began.elapsed().as_secs_f64(),
            { at::TRANSPORT } = self.transport,);
    }
}

/// A server that listens, from its beginning to its end.
#[derive(Debug)]
#[must_use = "dropping it tells that the server listens no more"]
pub struct Listening {
    transport: &'static str,
    address: Option<SocketAddr>,
}

impl Listening {
    /// A server listens. Its end is told when this is dropped. What is no address of a network is not shown.
    pub fn begin(transport: &'static str, address: Option<SocketAddr>) -> Self {
        tell!(DEBUG TRANSPORT TRANSPORT_INIT, { at::TRANSPORT } = transport,
            { at::ADDRESS } = address.map(display),);
        Self { transport, address }
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        tell!(DEBUG TRANSPORT TRANSPORT_TERMINATE, { at::TRANSPORT } = self.transport,
            { at::ADDRESS } = self.address.map(display),);
    }
}

/// So many bytes of messages were written.
pub fn sent(transport: &'static str, size: usize) {
    tell!(TRACE TRANSPORT TRANSPORT_SEND, { at::SIZE } = size,
        { at::TRANSPORT } = transport,);
}

/// So many bytes of messages were read.
pub fn received(transport: &'static str, size: usize) {
    tell!(TRACE TRANSPORT TRANSPORT_RECEIVE, { at::SIZE } = size,
        { at::TRANSPORT } = transport,);
}

/// A connection broke, or could not be had. `word` is the class of what happened.
pub fn failed(transport: &'static str, word: &str) {
    tell!(DEBUG TRANSPORT TRANSPORT_ERROR, { at::TRANSPORT } = transport,
        { at::ERROR } = word,);
}

/// A client reads a stream of this session: `attached`, or `resumed` after its connection was lost.
pub fn stream(session: Option<&str>, action: &'static str) {
    tell!(DEBUG TRANSPORT TRANSPORT_STREAM, { at::SESSION } = session,
        { at::ACTION } = action,);
}

/// A message was read for what it is.
pub fn decoded(kind: &'static str, method: Option<&str>) {
    tell!(TRACE MESSAGE MESSAGE_DECODE, { at::KIND } = kind,
        { at::METHOD } = method,);
}

/// A message was made.
pub fn encoded(kind: &'static str, size: usize) {
    tell!(TRACE MESSAGE MESSAGE_ENCODE, { at::SIZE } = size,
        { at::KIND } = kind,);
}
