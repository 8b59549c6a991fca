//! What a client hears, held against the schema: a replay is no second message.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::raw::error::RawError;
use crate::{Recorder, Side};

/// Judges all that one client hears, on whatever connection.
#[derive(Debug)]
pub(super) struct Judge {
    recorder: Recorder,
    /// The data of every event that has an id.
    events: BTreeMap<String, String>,
}

impl Judge {
    pub(super) fn new() -> Self {
        Self { recorder: Recorder::from_env(&[Side::Server]), events: BTreeMap::new() }
    }

    /// Notes what the client sends.
    pub(super) fn sent(&mut self, message: &Value) {
        // What the client says is not judged, so it is never wrong.
        let _ = self.recorder.says_line(Side::Client, message.to_string().as_bytes());
    }

    /// A message that came outside of an event stream.
    pub(super) fn message(&mut self, text: &[u8]) -> Result<(), RawError> {
        self.recorder.says_line(Side::Server, text).map_err(RawError::Misjudged)
    }

    /// The message of an event. The same event may come again, but not with other data.
    pub(super) fn event(&mut self, id: Option<&str>, data: &str) -> Result<(), RawError> {
        match id.and_then(|id| self.events.get(id).map(|known| (id, known))) {
            Some((_, known)) if known == data => return Ok(()),
            Some((id, known)) => {
                let problem = format!("the event {id} was {known:.200} and is now {data:.200}");
                return Err(RawError::Misjudged(problem));
            }
            None => {}
        }
        if let Some(id) = id {
            self.events.insert(id.to_owned(), data.to_owned());
        }
        self.message(data.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_replay_is_judged_once_and_a_second_answer_is_one_too_many() {
        let mut judge = Judge { recorder: Recorder::silent(&[Side::Server]), events: BTreeMap::new() };
        judge.sent(&json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }));
        let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
        judge.event(Some("s1-1"), answer).expect("the answer");
        judge.event(Some("s1-1"), answer).expect("the same again");
        judge.event(Some("s1-2"), answer).expect_err("a second one");
        judge.event(Some("s1-1"), "{}").expect_err("another under the same id");
    }
}
