//! The client's side of a conversation, over whatever carries it.

use std::fmt;
use std::io;
use std::sync::mpsc;
use std::time::Duration;

use hermes::types::Revision;
use hermes_testkit::{Ear, Heard, Partner, Side, Tape};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::carried;

/// What carries messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Carrier {
    Memory,
    Stdio,
    Http,
    HttpSse,
    WebSocket,
    Unix,
    Tcp,
}

pub(crate) const CARRIERS: [Carrier; 7] = [
    Carrier::Memory,
    Carrier::Stdio,
    Carrier::Http,
    Carrier::HttpSse,
    Carrier::WebSocket,
    Carrier::Unix,
    Carrier::Tcp,
];

impl Carrier {
    /// The revisions that it can carry: Streamable HTTP came with 2025-03-26.
    pub(crate) fn revisions(self) -> impl Iterator<Item = Revision> {
        Revision::ALL
            .into_iter()
            .filter(move |revision| self != Self::Http || *revision >= Revision::V2025_03_26)
    }
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::HttpSse => "http+sse",
            Self::WebSocket => "websocket",
            Self::Unix => "unix",
            Self::Tcp => "tcp",
        })
    }
}

/// A client that says what it is told, to a server of its own.
pub(crate) struct Voice {
    said: Option<UnboundedSender<String>>,
    heard: mpsc::Receiver<String>,
    ear: Ear,
    /// Every message of the server is judged on it.
    tape: Tape,
    runtime: Runtime,
}

impl Voice {
    /// Starts a server, and connects to it.
    pub(crate) fn open(carrier: Carrier, revision: Revision) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let (said, to_say) = unbounded_channel();
        let (tell, heard) = mpsc::channel();
        runtime
            .block_on(carried::begin(carrier, revision, to_say, tell))
            .map_err(|error| error.to_string())?;
        let tape = Tape::new(&[Side::Server]);
        Ok(Self { said: Some(said), heard, ear: tape.ear(), tape, runtime })
    }

    /// The conversation is over: nothing is left to be heard.
    pub(crate) fn end(mut self) -> Result<(), String> {
        self.close();
        let left = self.heard.try_recv().ok();
        self.runtime.shutdown_background();
        match (left, self.tape.faults().first()) {
            (Some(left), _) => Err(format!("nobody expected {left}")),
            (None, Some(fault)) => Err(fault.clone()),
            (None, None) => Ok(()),
        }
    }
}

impl Partner for Voice {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.ear.hears(Side::Client, bytes);
        for line in String::from_utf8_lossy(bytes).lines() {
            let said = self.said.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
            said.send(line.to_owned()).map_err(|_| io::ErrorKind::BrokenPipe)?;
        }
        Ok(())
    }

    fn close(&mut self) {
        self.said = None;
    }

    fn hear(&mut self, patience: Duration) -> Heard {
        match self.heard.recv_timeout(patience) {
            Ok(line) => {
                self.ear.hears_line(Side::Server, line.as_bytes());
                Heard::Line(line.into_bytes())
            }
            Err(mpsc::RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(mpsc::RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    fn faults(&self) -> Vec<String> {
        self.tape.faults()
    }
}
