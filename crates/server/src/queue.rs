//! What waits to be written: in order, responses always, everything else within bounds.

use std::collections::{HashSet, VecDeque};

use hermes_proto::channel::CallId;

/// One message for the peer: its text without the line's end, and what may happen to it while it waits.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) text: Vec<u8>,
    pub(crate) class: Class,
}

/// What may happen to a message that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    /// Says that something changed. An equal one that waits already says it too.
    Change,
    /// Progress or a log message of this call: the oldest are dropped when too many wait, and all of them
    /// when the call is cancelled.
    Note(CallId),
    /// A response, a request, an acknowledgment: always written.
    Owed,
}

/// The messages that wait for the writer.
///
/// | class | the queue is full of notes | an equal one waits | its call is cancelled |
/// |---|---|---|---|
/// | `Owed` | kept | kept | kept |
/// | `Note` | the oldest note is dropped and counted | kept | dropped |
/// | `Change` | kept | dropped | kept |
#[derive(Debug)]
pub(crate) struct Queue {
    messages: VecDeque<Outgoing>,
    changes: HashSet<Vec<u8>>,
    bytes: usize,
    notes: usize,
    most_notes: usize,
    dropped: u64,
}

impl Queue {
    /// An empty queue that holds at most so many notes, and at least one.
    pub(crate) fn new(most_notes: usize) -> Self {
        Self {
            messages: VecDeque::new(),
            changes: HashSet::new(),
            bytes: 0,
            notes: 0,
            most_notes: most_notes.max(1),
            dropped: 0,
        }
    }

    /// Adds a message.
    pub(crate) fn push(&mut self, message: Outgoing) {
        match message.class {
            Class::Change if !self.changes.insert(message.text.clone()) => return,
            Class::Note(_) => {
                self.notes += 1;
                if self.notes > self.most_notes {
                    self.drop_oldest_note();
                }
            }
            Class::Change | Class::Owed => {}
        }
        self.bytes += message.text.len();
        self.messages.push_back(message);
    }

    /// Moves messages to the end of `buffer`, each as a line, until it holds `enough` bytes or none is left.
    /// Whether there was any.
    pub(crate) fn pop_lines(&mut self, buffer: &mut Vec<u8>, enough: usize) -> bool {
        let before = buffer.len();
        while buffer.len() < enough {
            let Some(message) = self.messages.pop_front() else { break };
            self.forget(&message);
            buffer.extend_from_slice(&message.text);
            buffer.push(b'\n');
        }
        buffer.len() > before
    }

    /// Drops the notes of a call that nobody wants to hear of any more.
    pub(crate) fn drop_notes_of(&mut self, call: CallId) {
        let (kept, dropped) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(|message| message.class != Class::Note(call));
        self.messages = kept;
        dropped.iter().for_each(|message: &Outgoing| self.forget(message));
    }

    /// How many bytes wait.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many notes were dropped because too many waited, since this was last asked.
    pub(crate) const fn take_dropped(&mut self) -> u64 {
        std::mem::replace(&mut self.dropped, 0)
    }

    fn drop_oldest_note(&mut self) {
        let oldest = self.messages.iter().position(|message| matches!(message.class, Class::Note(_)));
        if let Some(message) = oldest.and_then(|at| self.messages.remove(at)) {
            self.forget(&message);
            self.dropped += 1;
        }
    }

    fn forget(&mut self, message: &Outgoing) {
        self.bytes -= message.text.len();
        match message.class {
            Class::Change => {
                self.changes.remove(&message.text);
            }
            Class::Note(_) => self.notes -= 1,
            Class::Owed => {}
        }
    }
}
