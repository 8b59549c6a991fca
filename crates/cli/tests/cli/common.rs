//! Running the program, and what it leaves behind.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hermes_testkit::{Side, Tape};
use serde_json::Value;

/// The program under test.
pub(crate) const HERMES: &str = env!("CARGO_BIN_EXE_hermes");

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Ran {
    /// Asserts the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Asserts that standard error has each of these texts in it.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        for text in texts {
            assert!(self.stderr.contains(text), "{text:?} is missing in {self:#?}");
        }
        self
    }

    /// Asserts all of standard output.
    #[track_caller]
    pub(crate) fn prints(self, text: &str) -> Self {
        assert_eq!(self.stdout, text, "{self:#?}");
        self
    }

    /// Standard error, of which every line is one of the log in JSON.
    #[track_caller]
    pub(crate) fn logs(&self) -> Vec<Value> {
        let read = |line: &str| -> Value {
            serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line} in {self:#?}"))
        };
        let lines: Vec<Value> = self.stderr.lines().map(read).collect();
        for line in &lines {
            let message = &line["fields"]["message"];
            let is_whole = line["timestamp"].is_string() && line["level"].is_string() && message.is_string();
            assert!(is_whole && line["target"].is_string(), "{line}");
        }
        lines
    }

    /// The one JSON value on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }
}

/// Runs `hermes` with nothing on its standard input.
pub(crate) fn hermes<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Ran {
    run(command(args), "")
}

/// Runs the words of a line; no word has a space in it.
pub(crate) fn line(line: &str) -> Ran {
    hermes(line.split_whitespace())
}

/// Runs the words of a line against the fake server in one of its modes.
pub(crate) fn with_fake(words: &str, mode: &str) -> Ran {
    hermes(words.split_whitespace().map(str::to_owned).chain(["--".to_owned()]).chain(fake(mode)))
}

/// `hermes` under a limit that no run reaches unless it hangs.
pub(crate) fn command<S: AsRef<OsStr>>(args: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=1", "60", HERMES]).args(args);
    command
}

/// Runs a command to its end. Every message that `hermes` sends in it is judged.
pub(crate) fn run(mut command: Command, input: &str) -> Ran {
    let _traced = Traced::around(&mut command);
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_owned();
    // A program that does not read its input has it closed on its end: no error of ours.
    let feeder = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let output = child.wait_with_output().expect("the output can be read");
    feeder.join().expect("the feeder does not panic");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("the output is UTF-8");
    Ran {
        code: output.status.code(),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
        took: started.elapsed(),
    }
}

/// Has `hermes` keep the messages of a run, and judges its own when dropped.
pub(crate) struct Traced(PathBuf);

impl Traced {
    pub(crate) fn around(command: &mut Command) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("trace-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let file = scratch(&name);
        command.env("HERMES_TRACE", &file);
        Self(file)
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        // A run that talks to nobody leaves no file.
        let Ok(trace) = std::fs::read_to_string(&self.0) else { return };
        for conversation in trace.split("=== ").skip(1) {
            let (target, messages) = conversation.split_once('\n').unwrap_or_default();
            // The demo server is ours as well.
            let ours = target == "the demo server" || target.contains(HERMES);
            let tape = Tape::new(if ours { &[Side::Client, Side::Server] } else { &[Side::Client] });
            tape.ear().hears_lines(messages);
        }
        std::fs::remove_file(&self.0).expect("the trace can be removed");
    }
}

/// The command line of the fake server.
pub(crate) fn fake(mode: &str) -> Vec<String> {
    vec!["python3".to_owned(), script("fake.py"), mode.to_owned()]
}

/// A script beside the tests.
pub(crate) fn script(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/servers").join(name);
    path.to_str().expect("the path is UTF-8").to_owned()
}

/// A fresh file for a test to write to.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        std::fs::remove_file(&path).expect("the old file can be removed");
    }
    path
}
