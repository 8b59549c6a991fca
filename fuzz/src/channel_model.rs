//! A channel, and beside it the plainest account of what it owes.

use std::collections::BTreeMap;

use hermes_proto::channel::{Call, CallId, Change, Channel, Filter, Settled, Verdict};
use hermes_proto::framing::{Line, LineReader};
use hermes_proto::limits::Limits;
use hermes_types::{Message, Method, OutgoingResponse, RequestId, Response, Revision, split_batch};
use serde_json::json;

use crate::json::{Id, Object};

/// Small, so that a fuzzer gets beyond them.
const LIMITS: Limits = Limits { line_bytes: 512, depth: 8 };
const IN_FLIGHT: usize = 3;

/// A channel under watch: it panics when the channel breaks a promise.
pub(crate) struct Watched {
    channel: Channel<usize>,
    reader: LineReader,
    /// The requests that were accepted, in their order.
    calls: Vec<Accepted>,
    /// What the server asked; each with whether it still waits.
    asked: Vec<(RequestId, bool)>,
}

struct Accepted {
    call: CallId,
    id: RequestId,
    state: State,
    /// How many responses to it were sent.
    answers: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Running,
    Settled,
    Cancelled,
}

impl Watched {
    pub(crate) fn new() -> Self {
        Self {
            channel: Channel::new(LIMITS, IN_FLIGHT),
            reader: LineReader::new(LIMITS.line_bytes),
            calls: Vec::new(),
            asked: Vec::new(),
        }
    }

    /// The client sends a line.
    pub(crate) fn line(&mut self, bytes: &[u8]) {
        let mut reader = std::mem::replace(&mut self.reader, LineReader::new(0));
        let ended = [bytes, b"\n"].concat();
        let mut unread = &ended[..];
        while let Some(line) = reader.read(&mut unread) {
            self.handle(line);
        }
        self.reader = reader;
    }

    fn handle(&mut self, line: Line<'_>) {
        let text = if let Line::Text(text) = line { text } else { "" };
        let object = Object::read(text).filter(|object| !object.is_doubled());
        let before = (self.channel.session(), self.in_flight());
        let verdicts: Vec<_> = self.channel.handle(line.clone()).collect();

        let batch = text.trim_start().starts_with('[') && before.0 == Some(Revision::V2025_03_26);
        if !batch {
            assert_eq!(
                verdicts.len().min(2),
                1 + usize::from(verdicts.len() > 1),
                "a line without a verdict"
            );
            // The second one completes the batch of a call that was cancelled.
            let cancels = matches!(verdicts.first(), Some(Verdict::Cancel { .. }));
            assert!(verdicts.len() == 1 || (cancels && verdicts.len() == 2), "{verdicts:?}");
        }
        if let Some(object) = object.filter(|_| !batch) {
            judge(&object, &before.1, &verdicts);
        }
        let handshakes =
            verdicts.iter().filter(|verdict| matches!(verdict, Verdict::Handshake { .. })).count();
        match before.0 {
            Some(revision) => {
                assert_eq!(self.channel.session(), Some(revision), "a session is never replaced")
            }
            None => assert_eq!(usize::from(self.channel.session().is_some()), handshakes),
        }
        for verdict in verdicts {
            self.take(verdict, before.0);
        }
        self.settled_accounts();
    }

    fn take(&mut self, verdict: Verdict<'_, usize>, session: Option<Revision>) {
        match verdict {
            Verdict::Run(Call { call, request_id, revision, method, meta, .. }) => {
                assert_eq!(meta.modern.is_some(), revision.is_modern());
                if !revision.is_modern() {
                    assert!(session == Some(revision) || (session.is_none() && method == "ping"), "{method}");
                }
                self.accepted(call, request_id);
            }
            Verdict::Handshake { call, request_id, agreed } => {
                assert_eq!((session, self.channel.session()), (None, Some(agreed.revision)));
                assert!(!agreed.revision.is_modern());
                self.accepted(call, request_id);
            }
            Verdict::Cancel { call, .. } => {
                let found = self.calls.iter_mut().find(|accepted| accepted.call == call);
                let cancelled = found.expect("what is cancelled was accepted");
                assert_eq!(cancelled.state, State::Running, "cancelled after its end");
                cancelled.state = State::Cancelled;
            }
            Verdict::Settle { caller, .. } => {
                let (_, waits) = &mut self.asked[caller];
                assert!(std::mem::take(waits), "settled twice");
            }
            Verdict::Refuse { response, .. } | Verdict::Reply(response) => self.sent(&response),
            Verdict::Ignore(_) | Verdict::Notify(_) => {}
        }
    }

    fn accepted(&mut self, call: CallId, id: RequestId) {
        assert!(self.calls.iter().all(|earlier| earlier.call != call), "a call's name is used twice");
        let twice = self.calls.iter().any(|earlier| earlier.id == id && earlier.state == State::Running);
        assert!(!twice, "{id} was in flight");
        self.calls.push(Accepted { call, id, state: State::Running, answers: 0 });
        assert!(self.in_flight().len() <= IN_FLIGHT, "more than there is room for");
    }

    /// The handler of the n-th call, running or not, comes to its end.
    pub(crate) fn settle(&mut self, n: usize) {
        let Some(accepted) = self.calls.get_mut(n) else { return };
        let response = OutgoingResponse { id: Some(&accepted.id), outcome: Ok(json!({ "call": n })) };
        let response = serde_json::to_vec(&response).expect("a response can be written");
        match (self.channel.settle(accepted.call, response), accepted.state) {
            (Settled::Send(text), State::Running) => {
                accepted.state = State::Settled;
                self.sent(&text);
            }
            (Settled::Held, State::Running) => accepted.state = State::Settled,
            (Settled::Late, State::Settled | State::Cancelled) => {}
            (settled, state) => panic!("{settled:?} for a call that is {state:?}"),
        }
        self.settled_accounts();
    }

    /// The server asks the client something.
    pub(crate) fn ask(&mut self) {
        let id = self.channel.ask(Method::RootsList, self.asked.len());
        assert!(self.asked.iter().all(|(earlier, _)| *earlier != id), "{id} is minted twice");
        self.asked.push((id, true));
    }

    /// The server no longer waits for the n-th answer.
    pub(crate) fn give_up(&mut self, n: usize) {
        let Some((id, waits)) = self.asked.get_mut(n) else { return };
        assert_eq!(self.channel.give_up(id), std::mem::take(waits).then_some(n));
    }

    /// The n-th call becomes a listen stream, if it runs.
    pub(crate) fn listen(&mut self, n: usize) {
        let Some(accepted) = self.calls.get(n) else { return };
        assert_eq!(self.channel.listen(accepted.call, Filter { tools: true, ..Filter::default() }), Ok(()));
        let listens = self.channel.listens().any(|(call, _)| call == accepted.call);
        assert_eq!(listens, accepted.state == State::Running);
    }

    /// The conversation is over: every call that still runs ends, and the account has to be even.
    pub(crate) fn end(mut self) {
        for n in (0..self.calls.len()).rev() {
            self.settle(n);
            self.settle(n);
        }
        assert!(self.channel.running().is_empty());
        for Accepted { id, state, answers, .. } in &self.calls {
            let owed = usize::from(*state == State::Settled);
            assert_eq!(*answers, owed, "{id} is {state:?}");
        }
        let waiting: Vec<usize> = (0..self.asked.len()).filter(|n| self.asked[*n].1).collect();
        assert_eq!(self.channel.give_up_all(), waiting);
    }

    /// A message, or the array of a batch, is on its way to the client.
    fn sent(&mut self, text: &[u8]) {
        let text = str::from_utf8(text).expect("what is sent is UTF-8");
        assert!(!text.contains('\n'), "what is sent is one line");
        if text.starts_with('[') {
            for member in split_batch(text).expect("a batch of responses") {
                self.response(member.get());
            }
        } else {
            self.response(text);
        }
    }

    fn response(&mut self, text: &str) {
        let Ok(Message::Response(Response { id, outcome })) = Message::decode(text) else {
            panic!("sent unasked, and no response: {text}");
        };
        let Ok(result) = outcome else { return };
        let result: BTreeMap<String, usize> = serde_json::from_str(result.get()).expect("a result of ours");
        // A ping that is answered without a call has an empty result.
        if let Some(n) = result.get("call") {
            let accepted = &mut self.calls[*n];
            assert_eq!(id.as_ref(), Some(&accepted.id));
            accepted.answers += 1;
            assert_eq!((accepted.answers, accepted.state), (1, State::Settled), "{text}");
        }
    }

    fn in_flight(&self) -> Vec<RequestId> {
        let running = self.calls.iter().filter(|accepted| accepted.state == State::Running);
        running.map(|accepted| accepted.id.clone()).collect()
    }

    /// What the channel believes to be in flight is what was accepted and has not ended.
    fn settled_accounts(&self) {
        let running = self.channel.running();
        let believed: Vec<_> = running.calls().map(|(_, in_flight)| in_flight.request_id.clone()).collect();
        assert_eq!(believed, self.in_flight());
        for accepted in &self.calls {
            assert_eq!(running.contains(accepted.call), accepted.state == State::Running);
        }
        let listeners = self.channel.tell(&Change::Tools).listeners;
        assert!(listeners.iter().all(|id| believed.contains(id)), "a listener that has ended");
    }
}

/// A single message, read by the letter, and what was said about it.
fn judge(object: &Object, in_flight: &[RequestId], verdicts: &[Verdict<'_, usize>]) {
    let Some(first) = verdicts.first() else { return };
    let answered = match first {
        Verdict::Refuse { response, .. } | Verdict::Reply(response) => Some(response),
        _ => None,
    };
    let accepted = matches!(first, Verdict::Run(_) | Verdict::Handshake { .. });
    if object.is_notification() || object.is_response() {
        assert!(answered.is_none() && !accepted, "a notification or a response is answered");
        return;
    }
    match object.id() {
        Id::Readable(id) => {
            assert!(!(accepted && in_flight.contains(&id)), "a duplicate id is accepted");
            assert!(!(accepted && in_flight.len() >= IN_FLIGHT), "accepted without room");
            let (Verdict::Run(Call { request_id, .. }) | Verdict::Handshake { request_id, .. }) = first
            else {
                // What has nothing but an id may be a broken response, which is not answered.
                if object.get("method").is_none() && answered.is_none() {
                    return;
                }
                let response = answered.expect("a request is refused or accepted");
                let text = str::from_utf8(response).expect("what is sent is UTF-8");
                let Ok(Message::Response(response)) = Message::decode(text) else { panic!("{text}") };
                // What has an id and no method is no request, so that its id need not be told.
                if response.id.is_some() || object.get("method").is_some() {
                    assert_eq!(response.id, Some(id), "a refusal names another request");
                }
                return;
            };
            assert_eq!(*request_id, id, "the id changes");
        }
        Id::Absent | Id::Unreadable => assert!(!accepted, "accepted without an id"),
    }
}
