//! One modern request over HTTP and everything on its stream.
//!
//! The modern era has no sessions: a request, its messages and its response live and end together, and the
//! client cancels by closing the stream. Nothing is kept for later, so nothing has a number.

use crate::channel::{CallId, Change, Filter};
use crate::queue::{Class, Outgoing, Queue};

/// One request, from its acceptance to its one outcome.
///
/// ```text
///            settle                    take_due: Response
///  running ----------> answered -------------------------> over
///     |                    |                                 ^
///     +---- cancel --------+---------------------------------+
/// ```
///
/// | stage | input | output | next |
/// |---|---|---|---|
/// | running | `note`, `say`, `tell` | whether it was queued | running |
/// | running | `settle` | `true` | answered |
/// | running | `take_due` | what is queued, in order; then [`Due::Idle`] | running |
/// | answered | `note`, `say`, `tell`, `settle` | `false`: nothing comes after the response | answered |
/// | answered | `take_due` | what is queued; then [`Due::Response`], once | over |
/// | running, answered | `cancel` | `true`; what waits is dropped | over |
/// | over | `take_due` | [`Due::Ended`] | over |
/// | over | anything else | `false` | over |
///
/// Source: `basic/transports/streamable-http`, 2026-07-28.
///
/// ```
/// use hermes_proto::exchange::{Due, Exchange};
///
/// let mut exchange = Exchange::new(16);
/// assert!(exchange.note(b"half".to_vec()) && exchange.settle(b"done".to_vec()));
/// assert_eq!(exchange.take_due(), Due::Message(b"half".to_vec()));
/// assert_eq!(exchange.take_due(), Due::Response(b"done".to_vec()));
/// assert_eq!(exchange.take_due(), Due::Ended);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Exchange {
    queue: Queue,
    stage: Stage,
    /// What a listen stream carries.
    filter: Option<Filter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Stage {
    Running,
    Answered(Vec<u8>),
    Over,
}

/// What is to be written next.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Due {
    /// Nothing more, ever: close.
    Ended,
    /// Nothing yet.
    Idle,
    /// This message.
    Message(Vec<u8>),
    /// The response, which is the last.
    Response(Vec<u8>),
}

impl Exchange {
    /// The call of every exchange: it has just one.
    pub const CALL: CallId = CallId::FIRST;

    /// A request that runs; at most `notes` progress and log messages wait for a client that does not read.
    #[must_use]
    pub fn new(notes: usize) -> Self {
        Self { queue: Queue::new(notes), stage: Stage::Running, filter: None }
    }

    /// Queues progress or a log message. Whether it was queued.
    pub fn note(&mut self, text: Vec<u8>) -> bool {
        self.push(Outgoing { text, class: Class::Note(Some(Self::CALL)) })
    }

    /// The request becomes a listen stream: this acknowledgment first, then what the filter admits. Whether
    /// it was still running.
    pub fn listen(&mut self, filter: Filter, acknowledgment: Vec<u8>) -> bool {
        self.filter = Some(filter);
        self.push(Outgoing { text: acknowledgment, class: Class::Owed })
    }

    /// Whether this is a listen stream that is to hear of the change.
    #[must_use]
    pub fn wants(&self, change: &Change) -> bool {
        self.is_running() && self.filter.as_ref().is_some_and(|filter| filter.admits(change))
    }

    /// Queues the notification of a change. Whether it was queued, now or before.
    pub fn tell(&mut self, text: Vec<u8>) -> bool {
        self.push(Outgoing { text, class: Class::Change })
    }

    fn push(&mut self, message: Outgoing) -> bool {
        let running = self.is_running();
        if running {
            self.queue.push(message);
        }
        running
    }

    /// The request has its outcome. Whether this is it.
    pub fn settle(&mut self, response: Vec<u8>) -> bool {
        let running = self.is_running();
        if running {
            self.stage = Stage::Answered(response);
        }
        running
    }

    /// The client closed the stream. Whether it had not read everything.
    pub fn cancel(&mut self) -> bool {
        let over = std::mem::replace(&mut self.stage, Stage::Over) == Stage::Over;
        self.queue = Queue::new(1);
        !over
    }

    /// What is to be written next.
    pub fn take_due(&mut self) -> Due {
        if let Some(message) = self.queue.pop() {
            return Due::Message(message.text);
        }
        match std::mem::replace(&mut self.stage, Stage::Over) {
            Stage::Running => {
                self.stage = Stage::Running;
                Due::Idle
            }
            Stage::Answered(response) => Due::Response(response),
            Stage::Over => Due::Ended,
        }
    }

    /// Whether the request still waits for its outcome.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.stage == Stage::Running
    }

    /// Whether a message waits that comes before the response.
    #[must_use]
    pub fn has_messages(&self) -> bool {
        self.queue.first().is_some()
    }

    /// How many progress and log messages were dropped because the client did not read, since this was asked.
    #[must_use]
    pub const fn take_dropped(&mut self) -> u64 {
        self.queue.take_dropped()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn drain(exchange: &mut Exchange) -> Vec<String> {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let mut read = Vec::new();
        loop {
            match exchange.take_due() {
                Due::Message(message) => read.push(text(message)),
                Due::Response(response) => read.push(format!("response {}", text(response))),
                Due::Idle => return read,
                Due::Ended => {
                    read.push("ended".to_owned());
                    return read;
                }
            }
        }
    }

    #[test]
    fn the_response_comes_last_and_once() {
        let mut exchange = Exchange::new(2);
        for note in ["1", "2", "3"] {
            assert!(exchange.note(note.into()));
        }
        assert!(exchange.settle(b"A".to_vec()));
        assert!(!exchange.settle(b"B".to_vec()) && !exchange.note(b"late".to_vec()));
        assert_eq!(exchange.take_dropped(), 1);
        assert_eq!(drain(&mut exchange), ["2", "3", "response A", "ended"]);
        assert!(!exchange.cancel(), "it is over already");
    }

    // spec: R222
    #[test]
    fn nothing_is_said_after_the_client_has_closed_the_stream() {
        for answered in [false, true] {
            let mut exchange = Exchange::new(2);
            assert!(exchange.note(b"half".to_vec()));
            assert!(!answered || exchange.settle(b"A".to_vec()));
            assert!(exchange.cancel());
            assert!(!exchange.settle(b"B".to_vec()) && !exchange.note(b"late".to_vec()));
            assert!(!exchange.cancel());
            assert_eq!(drain(&mut exchange), ["ended"]);
        }
    }

    #[test]
    fn a_listen_stream_carries_what_it_asked_for_after_its_acknowledgment() {
        let mut exchange = Exchange::new(2);
        let uris = BTreeSet::from(["demo://a".to_owned()]);
        let filter = Filter { tools: true, uris, ..Filter::default() };
        assert!(!exchange.wants(&Change::Tools), "not yet a listen stream");
        assert!(exchange.listen(filter, b"acknowledged".to_vec()));
        let wants = [
            Change::Tools,
            Change::Prompts,
            Change::Resource("demo://a".to_owned()),
            Change::Resource("demo://b".to_owned()),
        ]
        .map(|change| exchange.wants(&change));
        assert_eq!(wants, [true, false, true, false]);
        for text in ["tools", "a", "tools"] {
            assert!(exchange.tell(text.into()));
        }
        assert_eq!(drain(&mut exchange), ["acknowledged", "tools", "a"]);
        assert!(exchange.settle(b"graceful".to_vec()));
        assert!(!exchange.wants(&Change::Tools));
        assert_eq!(drain(&mut exchange), ["response graceful", "ended"]);
    }

    /// Every sequence of six inputs: the response is read once or never, nothing is read after it, and a
    /// settled exchange is either read or cancelled.
    #[test]
    fn every_sequence_of_inputs_has_one_outcome() {
        for sequence in 0..4_u32.pow(6) {
            let (mut exchange, mut settled, mut responses, mut ended) = (Exchange::new(1), 0, 0, false);
            for step in 0..6 {
                match (sequence / 4_u32.pow(step)) % 4 {
                    0 => assert_eq!(exchange.note(b"n".to_vec()), settled == 0 && !ended),
                    1 => settled += u32::from(exchange.settle(b"r".to_vec())),
                    2 => ended |= exchange.cancel(),
                    _ => match exchange.take_due() {
                        Due::Response(_) => {
                            responses += 1;
                            ended = true;
                        }
                        Due::Ended => assert!(ended),
                        Due::Idle => assert!(!ended && settled == 0),
                        Due::Message(_) => assert!(!ended && responses == 0),
                    },
                }
            }
            assert!(settled <= 1 && responses <= settled, "{sequence}");
        }
    }
}
