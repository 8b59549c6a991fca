//! What waits to be written to one client: in order, responses always, everything else within bounds.

use std::collections::{BTreeSet, VecDeque};

use crate::channel::CallId;

/// One message for the peer: its text without the line's end, and what may happen to it while it waits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Outgoing {
    /// The message.
    pub text: Vec<u8>,
    /// What may happen to it.
    pub class: Class,
}

/// What may happen to a message that waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Says that something changed. An equal one that waits already says it too.
    Change,
    /// Progress or a log message of this call, or a log message of none: the oldest are dropped when too many wait,
    /// and all of a call when it is cancelled.
    Note(Option<CallId>),
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    messages: VecDeque<Outgoing>,
    changes: BTreeSet<Vec<u8>>,
    bytes: usize,
    notes: usize,
    most_notes: usize,
    dropped: u64,
}

impl Queue {
    /// An empty queue that holds at most so many notes, and at least one.
    #[must_use]
    pub fn new(most_notes: usize) -> Self {
        Self {
            messages: VecDeque::new(),
            changes: BTreeSet::new(),
            bytes: 0,
            notes: 0,
            most_notes: most_notes.max(1),
            dropped: 0,
        }
    }

    /// Adds a message.
    pub fn push(&mut self, message: Outgoing) {
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
    pub fn pop_lines(&mut self, buffer: &mut Vec<u8>, enough: usize) -> bool {
        let before = buffer.len();
        while buffer.len() < enough {
            let Some(message) = self.pop() else { break };
            buffer.extend_from_slice(&message.text);
            buffer.push(b'\n');
        }
        buffer.len() > before
    }

    /// Takes the oldest message out.
    pub fn pop(&mut self) -> Option<Outgoing> {
        let message = self.messages.pop_front()?;
        self.forget(&message);
        Some(message)
    }

    /// The message that would leave next.
    #[must_use]
    pub fn first(&self) -> Option<&Outgoing> {
        self.messages.front()
    }

    /// Drops the notes of a call that nobody wants to hear of any more.
    pub fn drop_notes_of(&mut self, call: CallId) {
        if self.notes == 0 {
            return;
        }
        let (kept, dropped) = std::mem::take(&mut self.messages)
            .into_iter()
            .partition(|message| message.class != Class::Note(Some(call)));
        self.messages = kept;
        dropped.iter().for_each(|message: &Outgoing| self.forget(message));
    }

    /// How many bytes wait.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many notes were dropped because too many waited, since this was last asked.
    #[must_use]
    pub const fn take_dropped(&mut self) -> u64 {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::channel::{Channel, Verdict};
    use crate::framing::Line;
    use crate::limits::Limits;

    /// Two calls: their ids are given by a channel only.
    fn calls() -> [CallId; 2] {
        let mut channel = Channel::<()>::new(Limits::SERVER, 2);
        ["1", "2"].map(|id| {
            let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
            match channel.handle(Line::Text(&line)).next() {
                Some(Verdict::Run(call)) => call.call,
                other => panic!("{other:?}"),
            }
        })
    }

    fn push(queue: &mut Queue, class: Class, text: &str) {
        queue.push(Outgoing { text: text.as_bytes().to_vec(), class });
    }

    fn drain(queue: &mut Queue) -> String {
        let mut buffer = Vec::new();
        while queue.pop_lines(&mut buffer, usize::MAX) {}
        assert_eq!((queue.bytes(), queue.notes, queue.changes.len()), (0, 0, 0));
        String::from_utf8(buffer).expect("UTF-8").replace('\n', " ")
    }

    #[test]
    fn messages_leave_in_order_and_enough_is_enough() {
        let (mut queue, [a, _]) = (Queue::new(10), calls());
        for (class, text) in [(Class::Owed, "one"), (Class::Note(Some(a)), "two"), (Class::Change, "three")] {
            push(&mut queue, class, text);
        }
        assert_eq!(queue.bytes(), 11);
        let mut buffer = Vec::new();
        assert!(queue.pop_lines(&mut buffer, 5));
        assert_eq!((buffer.as_slice(), queue.bytes()), (b"one\ntwo\n".as_slice(), 5));
        assert_eq!(drain(&mut queue), "three ");
        assert!(!queue.pop_lines(&mut buffer, usize::MAX));
    }

    #[test]
    fn the_oldest_notes_make_room_and_everything_else_fits() {
        let (mut queue, [a, b]) = (Queue::new(2), calls());
        for (class, text) in [
            (Class::Owed, "r1"),
            (Class::Note(Some(a)), "a1"),
            (Class::Note(Some(b)), "b1"),
            (Class::Owed, "r2"),
            (Class::Note(Some(a)), "a2"),
            (Class::Note(Some(b)), "b2"),
        ] {
            push(&mut queue, class, text);
        }
        assert_eq!((queue.take_dropped(), queue.take_dropped()), (2, 0));
        assert_eq!(drain(&mut queue), "r1 r2 a2 b2 ");
    }

    #[test]
    fn a_change_that_waits_is_not_told_again_until_it_was_written() {
        let mut queue = Queue::new(2);
        for text in ["tools", "prompts", "tools"] {
            push(&mut queue, Class::Change, text);
        }
        assert_eq!(drain(&mut queue), "tools prompts ");
        push(&mut queue, Class::Change, "tools");
        assert_eq!(drain(&mut queue), "tools ");
    }

    #[test]
    fn the_notes_of_a_cancelled_call_are_dropped() {
        let (mut queue, [a, b]) = (Queue::new(9), calls());
        for (class, text) in [
            (Class::Note(Some(a)), "a"),
            (Class::Owed, "r"),
            (Class::Note(Some(b)), "b"),
            (Class::Note(Some(a)), "a"),
        ] {
            push(&mut queue, class, text);
        }
        queue.drop_notes_of(a);
        assert_eq!(queue.take_dropped(), 0, "they are not lost, they are unwanted");
        assert_eq!(drain(&mut queue), "r b ");
    }
}
