//! Negative control: one primary listener, later ones are shadows that get nothing; a replay begins with the event
//! that the cursor names; a call's stream is forgotten when its response has been sent.
//!
//! That is how rmcp 3.11, the official Rust SDK, keeps a session, as far as reading it and trying it shows.

use super::policy::{Frame, Kind, Msg, Policy, Pushed, Read, Step, Told};

/// Stream 0 is the common one, stream 1 that of the call.
type Id = (u8, u8);

/// One primary listener and its shadows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shadowed {
    primary: Option<usize>,
    /// Whether the server believes that the connection is open.
    open: Vec<bool>,
    /// Everything ever said on the common stream.
    common: Vec<Msg>,
    /// The call's stream while it runs: its connection and what was said.
    call: Option<(usize, Vec<Msg>)>,
}

impl Shadowed {
    pub fn new() -> Self {
        Self { primary: None, open: Vec::new(), common: Vec::new(), call: None }
    }
}

fn frames(stream: u8, log: &[Msg], from: u8) -> Vec<Frame<Id>> {
    // Place 0 is the priming event's.
    let numbered = (1..).zip(log);
    numbered
        .filter(|(at, _)| *at >= from)
        .map(|(at, msg)| Frame { id: Some((stream, at)), body: Some(*msg), gap: 0 })
        .collect()
}

impl Policy for Shadowed {
    type Id = Id;
    const PUSHES: bool = true;

    fn get(&mut self, conn: usize, cursor: Option<Id>) -> Option<Vec<Frame<Id>>> {
        if let Some((1, from)) = cursor {
            let Some((reader, log)) = &mut self.call else {
                // It answers with an empty stream. The client, having got nothing, gives up.
                self.open.push(false);
                return None;
            };
            *reader = conn;
            self.open.push(true);
            return Some(frames(1, log, from));
        }
        self.open.push(true);
        if self.primary.is_some() {
            return Some(Vec::new());
        }
        self.primary = Some(conn);
        Some(frames(0, &self.common, cursor.map_or(0, |(_, from)| from)))
    }

    fn post(&mut self, conn: usize) -> Vec<Frame<Id>> {
        self.open.push(true);
        self.call = Some((conn, Vec::new()));
        vec![Frame { id: Some((1, 0)), body: None, gap: 0 }]
    }

    fn append(&mut self, _kind: Kind, msg: Msg) -> Pushed<Id> {
        self.common.push(msg);
        let frame = frames(0, &self.common, 0).pop();
        self.primary.into_iter().zip(frame).collect()
    }

    fn relate(&mut self, _kind: Kind, msg: Msg) -> Pushed<Id> {
        let Some((conn, log)) = &mut self.call else { return Vec::new() };
        log.push(msg);
        let frame = frames(1, log, 0).pop();
        self.open[*conn].then_some(*conn).into_iter().zip(frame).collect()
    }

    fn respond(&mut self, msg: Msg) -> (Pushed<Id>, bool) {
        let pushed = self.relate(Kind::Response, msg);
        self.call = None;
        (pushed, false)
    }

    fn read(&mut self, _conn: usize) -> Read<Id> {
        Read::Idle
    }

    fn readable(&self, _conn: usize) -> bool {
        false
    }

    fn closing(&self, conn: usize) -> Option<Step> {
        self.open.get(conn).is_some_and(|open| *open).then_some(Step::Notice(conn))
    }

    fn close(&mut self, conn: usize) {
        self.open[conn] = false;
        if self.primary == Some(conn) {
            self.primary = None;
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
