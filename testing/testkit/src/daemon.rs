//! A program under test that serves HTTP.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::raw::{PATIENCE, Target};

/// A running server, whose endpoint is the first that it prints. It is killed when dropped.
#[derive(Debug)]
pub struct Daemon {
    child: Child,
    target: Target,
    printed: Arc<Printed>,
}

/// What a program has printed, and who waits for more of it.
#[derive(Debug, Default)]
struct Printed {
    text: Mutex<String>,
    more: Condvar,
}

impl Daemon {
    /// Starts a command and waits until it has printed an endpoint such as `http://127.0.0.1:8000/mcp`, on standard
    /// output or standard error.
    ///
    /// # Errors
    /// It cannot be started, or ends or keeps silent instead; says what it printed.
    pub fn run(command: &mut Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let printed = Arc::new(Printed::default());
        let (sender, targets) = channel();
        let listen = |stream: Option<Box<dyn Read + Send>>| {
            let (sender, printed) = (sender.clone(), Arc::clone(&printed));
            std::thread::spawn(move || stream.map(|stream| gather(stream, &sender, &printed)))
        };
        listen(child.stdout.take().map(|stream| Box::new(stream) as _));
        listen(child.stderr.take().map(|stream| Box::new(stream) as _));
        drop(sender);
        match targets.recv_timeout(PATIENCE) {
            Ok(target) => Ok(Self { child, target, printed }),
            Err(problem) => {
                // It may have ended already, which is as good.
                let _ = (child.kill(), child.wait());
                let printed = printed.text().clone();
                let what = match problem {
                    RecvTimeoutError::Timeout => "no endpoint was printed",
                    RecvTimeoutError::Disconnected => "the program ended without printing an endpoint",
                };
                Err(io::Error::other(format!("{what}: {printed}")))
            }
        }
    }

    /// Where it serves.
    #[must_use]
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// The id of its process.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// All that it printed so far.
    #[must_use]
    pub fn printed(&self) -> String {
        self.printed.text().clone()
    }

    /// Waits until it has printed a text, and gives all that it has printed by then.
    ///
    /// # Errors
    /// The text did not come in time; says what it printed.
    pub fn until_printed(&self, text: &str) -> io::Result<String> {
        let missing = |printed: &mut String| !printed.contains(text);
        let waiting = self.printed.more.wait_timeout_while(self.printed.text(), PATIENCE, missing);
        let (printed, waited) = waiting.unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("no {text:?} was printed: {printed}"),
            ));
        }
        Ok(printed.clone())
    }

    /// Asks it to end, as operators do: `SIGTERM`.
    ///
    /// # Errors
    /// There is no such process any more.
    pub fn terminate(&self) -> io::Result<()> {
        let id =
            i32::try_from(self.child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(kill_process(id, Signal::TERM)?)
    }

    /// Kills it.
    ///
    /// # Errors
    /// The system does not let it be killed.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()?;
        self.child.wait().map(drop)
    }

    /// Waits until it ends by itself.
    ///
    /// # Errors
    /// It did not end in time.
    pub fn wait(&mut self, patience: Duration) -> io::Result<ExitStatus> {
        let until = Instant::now() + patience;
        loop {
            if let Some(status) = self.child.try_wait()? {
                return Ok(status);
            }
            if Instant::now() >= until {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "the program did not end in time"));
            }
            std::thread::yield_now();
        }
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It may have ended already, which is as good.
        let _ = (self.child.kill(), self.child.wait());
    }
}

/// Keeps what a stream says, so that the program never waits for a reader, and passes on the endpoints in it.
fn gather(stream: Box<dyn Read + Send>, targets: &Sender<Target>, printed: &Printed) {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    while stream.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let text = String::from_utf8_lossy(&line).into_owned();
        if let Some(target) = Target::find(&text) {
            // Only the first is waited for.
            let _ = targets.send(target);
        }
        printed.text().push_str(&text);
        printed.more.notify_all();
        line.clear();
    }
}

impl Printed {
    fn text(&self) -> MutexGuard<'_, String> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_read_from_what_a_program_prints() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo on http://127.0.0.1:7/mcp >&2; echo hello; exec sleep 60"]);
        let mut daemon = Daemon::run(&mut command).expect("it prints one");
        assert_eq!(daemon.target().address.port(), 7);
        assert!(daemon.until_printed("hello").expect("it prints it").contains("hello\n"));
        daemon.terminate().expect("it runs");
        assert!(!daemon.wait(PATIENCE).expect("it ends").success());
    }

    #[test]
    fn a_program_that_ends_is_told_with_what_it_printed() {
        let mut command = Command::new("sh");
        let error = Daemon::run(command.args(["-c", "echo no port"])).expect_err("it prints none");
        assert_eq!(error.to_string(), "the program ended without printing an endpoint: no port\n");
    }
}
