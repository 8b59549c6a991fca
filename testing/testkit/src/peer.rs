//! A program under test, spoken to in bytes.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::recorder::Side;
use crate::tape::{Ear, Tape};

/// How long what a killed program has left in its output is read.
const LEFT_BEHIND: Duration = Duration::from_secs(1);

/// A running server whose standard input and output are in the test's hands. It is killed when dropped.
///
/// Every message that it sends is judged, whether the test reads it or not; a test with a message that is none of
/// its revision's fails when the peer is dropped, see [`Recorder`](crate::Recorder).
#[derive(Debug)]
pub struct Peer {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    ear: Ear,
    tape: Tape,
}

/// Whoever a [`Conversation`](crate::Conversation) is held with, over whatever carries the messages.
pub trait Partner {
    /// Sends bytes: lines, each of which is a message.
    ///
    /// # Errors
    /// Nothing can be sent any more.
    fn send(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Says that nothing more will be sent.
    fn close(&mut self);

    /// Waits for the next message.
    fn hear(&mut self, patience: Duration) -> Heard;

    /// What was wrong with the partner's messages so far.
    fn faults(&self) -> Vec<String>;
}

impl Partner for Peer {
    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        Self::send(self, bytes)
    }

    fn close(&mut self) {
        Self::close(self);
    }

    fn hear(&mut self, patience: Duration) -> Heard {
        Self::hear(self, patience)
    }

    fn faults(&self) -> Vec<String> {
        Self::faults(self)
    }
}

/// What came from the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// Its output has ended.
    End,
    /// A line, without its end.
    Line(Vec<u8>),
    /// Nothing, in the time that was given.
    Nothing,
}

impl Peer {
    /// Starts a program.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn spawn<S: AsRef<OsStr>>(program: impl AsRef<OsStr>, args: &[S]) -> io::Result<Self> {
        Self::run(Command::new(program).args(args))
    }

    /// Starts a command, whose standard streams become the peer's.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run(command: &mut Command) -> io::Result<Self> {
        Self::taped(command, Tape::new(&[Side::Server]))
    }

    /// Starts a command that is no server: nothing that it says is judged.
    ///
    /// # Errors
    /// It cannot be started.
    pub fn run_unjudged(command: &mut Command) -> io::Result<Self> {
        Self::taped(command, Tape::new(&[]))
    }

    fn taped(command: &mut Command, tape: Tape) -> io::Result<Self> {
        let ear = tape.ear();
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let (sender, lines) = channel();
        let listener = ear.clone();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                let mut stdout = BufReader::new(stdout);
                let mut line = Vec::new();
                while stdout.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
                    // A line without an end is told with its missing end, as what it is.
                    let whole = std::mem::take(&mut line);
                    let heard = whole.strip_suffix(b"\n").map_or_else(|| whole.clone(), <[u8]>::to_vec);
                    listener.hears_line(Side::Server, &heard);
                    // When nobody reads any more, it is judged all the same.
                    let _ = sender.send(heard);
                }
            });
        }
        let stderr = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut text = Vec::new();
                // What could be read before a fault is what there is.
                let _ = stderr.read_to_end(&mut text);
                text
            })
        });
        Ok(Self { child, stdin, lines, stderr, ear, tape })
    }

    /// Sends bytes as they are.
    ///
    /// # Errors
    /// The program's input is closed.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let Some(stdin) = &mut self.stdin else { return Err(io::ErrorKind::BrokenPipe.into()) };
        self.ear.hears(Side::Client, bytes);
        stdin.write_all(bytes)?;
        stdin.flush()
    }

    /// Closes the program's input.
    pub fn close(&mut self) {
        self.stdin = None;
        self.ear.hears_the_end(Side::Client);
    }

    /// Waits for the next line.
    pub fn hear(&mut self, patience: Duration) -> Heard {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Timeout) => Heard::Nothing,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }

    /// What was wrong with the messages of the program so far.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.tape.faults()
    }

    /// The id of the program's process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the program ends by itself; gives its status and what it wrote to standard error.
    ///
    /// # Errors
    /// It did not end in time; then it is killed.
    pub fn wait(mut self, patience: Duration) -> io::Result<(ExitStatus, String)> {
        let until = Instant::now() + patience;
        // The end of its output comes right before its own; what is left to read is not wanted any more.
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(_) => break,
            }
        }
        loop {
            if let Some(status) = self.child.try_wait()? {
                let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
                return Ok((status, String::from_utf8_lossy(&stderr).into_owned()));
            }
            if Instant::now() >= until {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the program did not end in time"));
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let until = Instant::now() + LEFT_BEHIND;
        while let Some(left) = until.checked_duration_since(Instant::now())
            && self.lines.recv_timeout(left).is_ok()
        {}
    }
}
