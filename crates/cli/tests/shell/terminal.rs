//! A terminal of which the test is the other side: it types, and sees what is shown.

use std::ffi::OsStr;
use std::io::{Read as _, Write as _};
use std::process::Child;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anstream::adapter::StripBytes;
use pty_process::Size;
use pty_process::blocking::{Command, Pty, open};
use rustix::termios::{LocalModes, tcgetattr};

/// How long anything may take that is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// How large the terminal is.
const LINES: u16 = 30;
const COLUMNS: u16 = 100;

pub(crate) const CTRL_C: &str = "\u{3}";
pub(crate) const CTRL_D: &str = "\u{4}";
pub(crate) const UP: &str = "\u{1b}[A";

/// A program at a terminal.
pub(crate) struct Terminal {
    child: Child,
    pty: Arc<Pty>,
    /// What the program writes; it ends with the program.
    written: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    strip: StripBytes,
    /// What was written, without what is no text.
    text: String,
    /// How much of it was looked at.
    looked_at: usize,
    /// All of it, byte by byte.
    bytes: Vec<u8>,
}

impl Terminal {
    /// Starts a program on a terminal of its own.
    pub(crate) fn start<S: AsRef<OsStr>>(
        program: &str,
        args: impl IntoIterator<Item = S>,
        env: &[(&str, &str)],
    ) -> Self {
        let (pty, pts) = open().expect("a terminal");
        pty.resize(Size::new(LINES, COLUMNS)).expect("a size");
        let command = Command::new(program)
            .args(args)
            .env("TERM", "xterm")
            .env("NO_COLOR", "1")
            .env_remove("HERMES_LOG")
            .env_remove("RUST_LOG")
            .env_remove("TERM_PROGRAM")
            .envs(env.iter().copied());
        let child = command.spawn(pts).expect(program);
        let pty = Arc::new(pty);
        let (sender, written) = channel();
        let reading = Arc::clone(&pty);
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            // A terminal that nobody writes to any more is an error here.
            while let Ok(length @ 1..) = (&*reading).read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen =
            vt100::Parser::new(LINES.try_into().expect("lines"), COLUMNS.try_into().expect("columns"), 0);
        Self {
            child,
            pty,
            written,
            screen,
            strip: StripBytes::new(),
            text: String::new(),
            looked_at: 0,
            bytes: Vec::new(),
        }
    }

    /// Types keys.
    pub(crate) fn types(&mut self, keys: &str) -> &mut Self {
        self.types_bytes(keys.as_bytes())
    }

    /// Types what need not be text.
    pub(crate) fn types_bytes(&mut self, bytes: &[u8]) -> &mut Self {
        (&*self.pty).write_all(bytes).expect("the terminal takes keys");
        self
    }

    /// Types Ctrl-C once the terminal makes a signal of it: as long as a line is read it is a key like any other.
    #[track_caller]
    pub(crate) fn interrupts(&mut self) -> &mut Self {
        let limit = Instant::now() + PATIENCE;
        let makes_signals = |pty: &Pty| {
            let modes = tcgetattr(pty).expect("a terminal").local_modes;
            modes.contains(LocalModes::ISIG)
        };
        while !makes_signals(&self.pty) {
            assert!(Instant::now() < limit, "a line is still being read:\n{}", self.text);
            std::thread::yield_now();
        }
        self.types(CTRL_C)
    }

    /// Waits for the prompt, and types a line.
    #[track_caller]
    pub(crate) fn line(&mut self, line: &str) -> &mut Self {
        self.sees("mcp> ").types(line).types("\r")
    }

    /// Waits until this was written, after what was seen before.
    #[track_caller]
    pub(crate) fn sees(&mut self, text: &str) -> &mut Self {
        let limit = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.text[self.looked_at..].find(text) {
                self.looked_at += at + text.len();
                return self;
            }
            let has_more = self.takes_in(limit);
            assert!(
                has_more,
                "{text:?} does not come after {:?} in:\n{}",
                &self.text[..self.looked_at],
                self.text
            );
        }
    }

    /// Waits until each of these was written, in whatever order, after what was seen before.
    #[track_caller]
    pub(crate) fn sees_each(&mut self, texts: &[&str]) -> &mut Self {
        let from = self.looked_at;
        let mut last = from;
        for text in texts {
            self.looked_at = from;
            last = last.max(self.sees(text).looked_at);
        }
        self.looked_at = last;
        self
    }

    /// Waits until the screen shows this, in one line or over several.
    #[track_caller]
    pub(crate) fn shows(&mut self, text: &str) -> &mut Self {
        let limit = Instant::now() + PATIENCE;
        while !self.contents().contains(text) {
            let has_more = self.takes_in(limit);
            assert!(has_more, "{text:?} is not shown:\n{}", self.contents());
        }
        self
    }

    /// Waits until the last line of the screen is this one.
    #[track_caller]
    pub(crate) fn stands_at(&mut self, line: &str) -> &mut Self {
        let limit = Instant::now() + PATIENCE;
        while self.contents().lines().next_back() != Some(line) {
            let has_more = self.takes_in(limit);
            assert!(has_more, "{line:?} is not the last line of:\n{}", self.contents());
        }
        self
    }

    /// The screen, without the blanks at the ends of its lines and below the last one.
    pub(crate) fn contents(&self) -> String {
        let contents = self.screen.screen().contents();
        let lines: Vec<&str> = contents.lines().map(str::trim_end).collect();
        lines.join("\n").trim_end().to_owned()
    }

    /// What was written since the program began.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether these very characters were written, sequences for the terminal included.
    pub(crate) fn has_written(&self, characters: &str) -> bool {
        self.bytes.windows(characters.len()).any(|window| window == characters.as_bytes())
    }

    /// Waits for the end, and asserts its exit code.
    #[track_caller]
    pub(crate) fn exits(&mut self, code: i32) -> &mut Self {
        let limit = Instant::now() + PATIENCE;
        while self.takes_in(limit) {}
        let status = self.child.wait().expect("a status");
        assert_eq!(status.code(), Some(code), "{}", self.text);
        self
    }

    /// The process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Takes in what is written next; `false` when there is no more, or when it takes too long.
    fn takes_in(&mut self, limit: Instant) -> bool {
        match self.written.recv_timeout(limit.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.screen.process(&bytes);
                self.bytes.extend_from_slice(&bytes);
                let plain: Vec<u8> = self.strip.strip_next(&bytes).flatten().copied().collect();
                self.text.push_str(&String::from_utf8_lossy(&plain));
                true
            }
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => false,
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and need not be.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
