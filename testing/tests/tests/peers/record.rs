//! The raw lines of a conversation, as `record.sh` wrote them.

use std::fs;
use std::path::PathBuf;

use hermes_testkit::{Recorder, Side};
use serde_json::Value;

use crate::process::{Result, folder, script};

/// Calls of the conversation that the modern era ends with a question: three of `ask`, one of `sample` and of `roots`.
const QUESTIONS: usize = 5;
/// What the conversation asks for in vain: a tool, a resource, and two prompts.
const ERRORS: usize = 4;

pub(crate) struct Record {
    pub(crate) folder: PathBuf,
}

impl Record {
    pub(crate) fn new(name: &str) -> Result<Self> {
        Ok(Self { folder: folder(name)? })
    }

    /// The command that runs `server` and records it here.
    pub(crate) fn around(&self, server: &[PathBuf]) -> Vec<PathBuf> {
        [script("record.sh"), self.folder.clone()].into_iter().chain(server.iter().cloned()).collect()
    }

    /// All messages of one direction.
    pub(crate) fn lines(&self, direction: &str) -> Result<Vec<Value>> {
        let text = fs::read_to_string(self.folder.join(direction))?;
        Ok(text.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?)
    }

    /// The methods that the client sent, in order.
    pub(crate) fn methods(&self) -> Result<Vec<String>> {
        let sent = self.lines("to-server")?;
        Ok(sent.iter().filter_map(|message| message["method"].as_str()).map(str::to_owned).collect())
    }

    /// What the server answered, in order.
    pub(crate) fn answers(&self) -> Result<Vec<Value>> {
        let mut lines = self.lines("from-server")?;
        lines.retain(|line| line["method"].is_null());
        Ok(lines)
    }

    /// All that was sent belongs to a legacy session, see [`Self::assert_legacy`], to the last member, and every
    /// request but one call has its answer.
    pub(crate) fn assert_legacy_conversation(&self) -> Result {
        self.assert_legacy()?;
        self.assert_valid()?;
        self.assert_settled(&["tools/call"])
    }

    /// The same in the modern era. Both times the client listened, it ended that itself.
    pub(crate) fn assert_modern_conversation(&self) -> Result {
        self.assert_modern(QUESTIONS, ERRORS)?;
        self.assert_valid()?;
        self.assert_settled(&["subscriptions/listen", "subscriptions/listen", "tools/call"])
    }

    /// Everything the server said is what the official schema of the revision in force allows.
    fn assert_valid(&self) -> Result {
        let mut recorder = Recorder::from_env(&[Side::Server]);
        recorder.says(Side::Client, &fs::read(self.folder.join("to-server"))?)?;
        recorder.says(Side::Server, &fs::read(self.folder.join("from-server"))?)?;
        recorder.ends(Side::Server)?;
        Ok(())
    }

    /// The handshake came first, and no result is marked as the modern era marks them.
    fn assert_legacy(&self) -> Result {
        assert_eq!(self.methods()?[..2], ["initialize", "notifications/initialized"]);
        assert_eq!(self.answers()?[0]["result"]["protocolVersion"], "2025-11-25");
        let marked =
            self.answers()?.iter().filter(|answer| !answer["result"]["resultType"].is_null()).count();
        assert_eq!(marked, 0, "a result of the legacy era has no resultType");
        Ok(())
    }

    /// The server was asked who it is and nobody shook hands; `questions` calls ended in a question, `errors` in an
    /// error, and all others in a complete result.
    fn assert_modern(&self, questions: usize, errors: usize) -> Result {
        let methods = self.methods()?;
        assert_eq!(methods[0], "server/discover");
        assert!(!methods.iter().any(|method| method == "initialize"), "{methods:?}");
        let answers = self.answers()?;
        let (failed, results): (Vec<&Value>, Vec<&Value>) =
            answers.iter().partition(|answer| answer["result"].is_null());
        assert_eq!(failed.len(), errors, "{failed:?}");
        let (asking, others): (Vec<&Value>, Vec<&Value>) =
            results.iter().partition(|answer| answer["result"]["resultType"] == "input_required");
        assert_eq!(asking.len(), questions, "{asking:?}");
        let complete = others.iter().all(|answer| answer["result"]["resultType"] == "complete");
        assert!(complete, "{others:?}");
        Ok(())
    }

    /// Every request of the client has exactly one answer, but none if it was cancelled; requests of these methods
    /// were. The server ended with 0.
    fn assert_settled(&self, cancelled: &[&str]) -> Result {
        let sent = self.lines("to-server")?;
        let given_up: Vec<&Value> = sent
            .iter()
            .filter(|message| message["method"] == "notifications/cancelled")
            .map(|message| &message["params"]["requestId"])
            .collect();
        let (given_up, asked): (Vec<&Value>, Vec<&Value>) = sent
            .iter()
            .filter(|message| !message["method"].is_null() && !message["id"].is_null())
            .partition(|message| given_up.contains(&&message["id"]));
        let mut methods: Vec<&str> =
            given_up.iter().filter_map(|message| message["method"].as_str()).collect();
        methods.sort_unstable();
        assert_eq!(methods, cancelled);
        let mut asked: Vec<String> = asked.iter().map(|message| message["id"].to_string()).collect();
        let mut answered: Vec<String> =
            self.answers()?.iter().map(|answer| answer["id"].to_string()).collect();
        asked.sort();
        answered.sort();
        assert_eq!(answered, asked);
        assert_eq!(fs::read_to_string(self.folder.join("status"))?, "0\n");
        Ok(())
    }
}
