//! Conversations as text.

use std::fmt;
use std::time::Duration;

use serde_json::Value;

use crate::pattern::mismatch;
use crate::peer::{Heard, Partner};

/// How long a message may take. Nothing here measures speed: it only bounds a test that hangs.
const PATIENCE: Duration = Duration::from_secs(30);

/// A script of messages between a test and a server, one step per line:
///
/// | line | means |
/// |---|---|
/// | `> TEXT` | send the text and a line feed |
/// | `x HEX` | send these bytes, and nothing else |
/// | `* COUNT TEXT` | send the text, in which `%` stands for COUNT times the letter `x`, and a line feed |
/// | `< PATTERN` | the next message fits the pattern, see [`mismatch`] |
/// | `<~ PATTERN` | of the messages that are due by now, in any order, one fits; for answers of parallel calls |
/// | `! end` | close the input: no further message comes, and the server ends with status 0 |
/// | `# …`, empty | nothing |
#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    steps: Vec<(usize, Step)>,
}

#[derive(Clone, Debug, PartialEq)]
enum Step {
    Send(Vec<u8>),
    Expect(Value),
    ExpectInAnyOrder(Value),
    End,
}

/// A line of a script cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptError {
    line: usize,
    problem: String,
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} of the conversation: {}", self.line, self.problem)
    }
}

impl std::error::Error for ScriptError {}

/// A conversation took another course than its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    line: usize,
    problem: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at line {} of the conversation: {}", self.line, self.problem)
    }
}

impl std::error::Error for Failure {}

impl Conversation {
    /// Reads a script.
    ///
    /// # Errors
    /// [`ScriptError`] names the line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        let mut steps = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let step = step(line.trim_start());
            match step {
                Ok(Some(step)) => steps.push((at + 1, step)),
                Ok(None) => {}
                Err(problem) => return Err(ScriptError { line: at + 1, problem }),
            }
        }
        Ok(Self { steps })
    }

    /// Reads a script in which every `$REVISION` stands for a revision's date.
    ///
    /// # Errors
    /// As for [`parse`](Self::parse).
    pub fn parse_for(text: &str, revision: hermes_types::Revision) -> Result<Self, ScriptError> {
        Self::parse(&text.replace("$REVISION", revision.as_str()))
    }

    /// Plays the script.
    ///
    /// # Errors
    /// [`Failure`] names the line at which the server took another course, or said what its revision lacks.
    pub fn play(&self, peer: &mut impl Partner) -> Result<(), Failure> {
        let mut early = Vec::new();
        for (line, step) in &self.steps {
            let failed = |problem: String| Failure { line: *line, problem };
            match step {
                Step::Send(bytes) => {
                    peer.send(bytes).map_err(|error| failed(error.to_string()))?;
                }
                Step::Expect(pattern) => {
                    let message = next(peer).map_err(failed)?;
                    if let Some(path) = mismatch(pattern, &message) {
                        return Err(failed(format!(
                            "expected {pattern}\ngot {message}\nthey differ at {path}"
                        )));
                    }
                }
                Step::ExpectInAnyOrder(pattern) => loop {
                    if let Some(at) = early.iter().position(|message| mismatch(pattern, message).is_none()) {
                        early.remove(at);
                        break;
                    }
                    let message = next(peer)
                        .map_err(|problem| failed(format!("{problem}\nexpected {pattern}\nhad {early:?}")))?;
                    early.push(message);
                },
                Step::End => {
                    peer.close();
                    match peer.hear(PATIENCE) {
                        Heard::End => {}
                        other => return Err(failed(format!("expected the end, got {other:?}"))),
                    }
                }
            }
        }
        match early.as_slice() {
            [] => Ok(()),
            [left, ..] => Err(Failure { line: 0, problem: format!("nobody expected {left}") }),
        }
    }
}

fn next(peer: &mut impl Partner) -> Result<Value, String> {
    match peer.hear(PATIENCE) {
        Heard::Line(line) => {
            if let [fault, ..] = peer.faults().as_slice() {
                return Err(fault.clone());
            }
            serde_json::from_slice(&line)
                .map_err(|error| format!("no JSON: {error}: {}", String::from_utf8_lossy(&line)))
        }
        other => Err(format!("expected a message, got {other:?}")),
    }
}

fn step(line: &str) -> Result<Option<Step>, String> {
    let json = |text: &str| serde_json::from_str(text).map_err(|error| format!("no pattern: {error}"));
    if line.is_empty() || line.starts_with('#') {
        return Ok(None);
    }
    if line.trim_end() == "! end" {
        return Ok(Some(Step::End));
    }
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    Ok(Some(match kind {
        ">" => Step::Send(format!("{rest}\n").into_bytes()),
        "x" => Step::Send(hex(rest)?),
        "*" => {
            let (count, text) = rest.split_once(' ').ok_or("a count and a text are expected")?;
            let count: usize = count.parse().map_err(|_| format!("no count: {count}"))?;
            Step::Send(format!("{}\n", text.replace('%', &"x".repeat(count))).into_bytes())
        }
        "<" => Step::Expect(json(rest)?),
        "<~" => Step::ExpectInAnyOrder(json(rest)?),
        other => return Err(format!("no such step: {other}")),
    }))
}

fn hex(text: &str) -> Result<Vec<u8>, String> {
    text.split_whitespace()
        .map(|byte| u8::from_str_radix(byte, 16).map_err(|_| format!("no byte: {byte}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::peer::Peer;

    #[test]
    fn a_script_says_which_line_is_wrong() {
        let error = Conversation::parse("# fine\n> {}\n< {").expect_err("no pattern");
        assert!(error.to_string().starts_with("line 3 of the conversation: no pattern"), "{error}");
        let error = Conversation::parse("? what").expect_err("no step");
        assert_eq!(error.to_string(), "line 1 of the conversation: no such step: ?");
    }

    /// `cat` repeats what it is told.
    fn play(script: &str) -> Result<(), Failure> {
        let mut peer = Peer::run_unjudged(&mut Command::new("cat")).expect("cat");
        Conversation::parse(script).expect("a script").play(&mut peer)
    }

    #[test]
    fn an_echo_can_be_spoken_to() {
        let script = r#"
            > {"jsonrpc":"2.0","method":"a"}
            < {"jsonrpc":"2.0","method":"a"}
            x 7b 22 6a 73 6f 6e 72 70 63 22 3a 22 32 2e 30 22 2c 22 6d 65 74 68 6f 64 22 3a 31 7d 0a
            < {"jsonrpc":"2.0","method":"_"}
            * 3 {"jsonrpc":"2.0","method":"%"}
            < {"jsonrpc":"2.0","method":"xxx"}
            > {"jsonrpc":"2.0","method":"b"}
            > {"jsonrpc":"2.0","method":"c"}
            <~ {"jsonrpc":"2.0","method":"c"}
            <~ {"jsonrpc":"2.0","method":"b"}
            ! end
        "#;
        assert_eq!(play(script), Ok(()));
    }

    #[test]
    fn another_course_is_told_with_its_line() {
        let said = r#"{"jsonrpc":"2.0","method":1}"#;
        let failure =
            play(&format!("> {said}\n\n< {{\"jsonrpc\":\"2.0\",\"method\":2}}")).expect_err("differs");
        assert_eq!(
            failure.to_string(),
            format!(
                "at line 3 of the conversation: expected {{\"jsonrpc\":\"2.0\",\"method\":2}}\n\
                 got {said}\nthey differ at /method"
            )
        );
    }

    #[test]
    fn what_nobody_expected_is_told() {
        let (first, second) = (r#"{"jsonrpc":"2.0","method":1}"#, r#"{"jsonrpc":"2.0","method":2}"#);
        let failure = play(&format!("> {first}\n> {second}\n<~ {second}")).expect_err("one is left");
        assert!(failure.to_string().ends_with(&format!("nobody expected {first}")), "{failure}");
    }
}
