//! Negative control: the server keeps one registered listener per session and sends to it.
//!
//! Hermes MCP, the Elixir SDK that this project follows, hands everything to the process that serves the session's
//! listening connection, the results of calls included. Its repair asks first whether that process is alive,
//! and runs the call again if it is not.

use super::policy::{Frame, Kind, Msg, Policy, Pushed, Read, Step, Told};

/// How careful it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Care {
    /// A connection that ends removes whatever is registered.
    None,
    /// A connection that ends removes itself only.
    OwnEntry,
    /// As `None`; before a result is sent, the process is asked whether it is alive. If not, its entry is removed and
    /// the call is run again, on a stream of its own POST.
    LivenessCheck,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Process {
    Alive,
    /// It has ended, and the registry has not heard of it yet.
    Exited,
    Gone,
}

/// One registered listener.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Registered {
    care: Care,
    listener: Option<usize>,
    /// One per connection.
    processes: Vec<Process>,
    call: Option<usize>,
}

impl Registered {
    pub fn new(care: Care) -> Self {
        Self { care, listener: None, processes: Vec::new(), call: None }
    }

    fn send(&self, msg: Msg) -> Pushed<u8> {
        self.listener.map(|conn| (conn, Frame { id: None, body: Some(msg), gap: 0 })).into_iter().collect()
    }
}

impl Policy for Registered {
    /// It has no ids.
    type Id = u8;
    const PUSHES: bool = true;

    fn get(&mut self, conn: usize, _cursor: Option<u8>) -> Option<Vec<Frame<u8>>> {
        self.listener = Some(conn);
        self.processes.push(Process::Alive);
        Some(Vec::new())
    }

    fn post(&mut self, conn: usize) -> Vec<Frame<u8>> {
        self.call = Some(conn);
        self.processes.push(Process::Alive);
        Vec::new()
    }

    fn append(&mut self, _kind: Kind, msg: Msg) -> Pushed<u8> {
        self.send(msg)
    }

    fn relate(&mut self, _kind: Kind, msg: Msg) -> Pushed<u8> {
        self.send(msg)
    }

    fn respond(&mut self, msg: Msg) -> (Pushed<u8>, bool) {
        let alive = self.listener.map(|conn| self.processes[conn] == Process::Alive);
        let again = self.care == Care::LivenessCheck && alive == Some(false);
        if again {
            self.listener = None;
        }
        let on_its_own =
            self.call.map(|conn| (conn, Frame { id: None, body: Some(msg), gap: 0 })).into_iter();
        let pushed = if self.listener.is_some() { self.send(msg) } else { on_its_own.collect() };
        (pushed, again)
    }

    fn read(&mut self, _conn: usize) -> Read<u8> {
        Read::Idle
    }

    fn readable(&self, _conn: usize) -> bool {
        false
    }

    fn closing(&self, conn: usize) -> Option<Step> {
        match (self.processes.get(conn)?, self.care) {
            (Process::Alive, Care::LivenessCheck) => Some(Step::Exit(conn)),
            (Process::Alive | Process::Exited, _) => Some(Step::Notice(conn)),
            (Process::Gone, _) => None,
        }
    }

    fn close(&mut self, conn: usize) {
        if matches!(self.closing(conn), Some(Step::Exit(_))) {
            self.processes[conn] = Process::Exited;
            return;
        }
        self.processes[conn] = Process::Gone;
        let listens = self.call != Some(conn);
        if listens && (self.care != Care::OwnEntry || self.listener == Some(conn)) {
            self.listener = None;
        }
    }

    fn settle(&mut self, _msg: Msg) {}

    fn can_expire(&self) -> bool {
        false
    }

    fn expire(&mut self) -> Vec<Told> {
        Vec::new()
    }

    fn broken(&self) -> Option<&'static str> {
        None
    }
}
