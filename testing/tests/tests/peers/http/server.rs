//! A server that listens on a port, and that can be killed and started again.

use std::fs::{self, File, OpenOptions};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};

use super::patience::seen;
use crate::process::{Result, folder};

/// A running server. It is killed when this is dropped.
pub(crate) struct Server {
    command: Vec<PathBuf>,
    /// Whether the port is the last argument of the command, or the variable `PORT`.
    variable: bool,
    port: u16,
    log: PathBuf,
    child: Child,
}

impl Server {
    /// Starts a command whose last argument is to be the port. `name` is for the file of what it prints.
    pub(crate) async fn start(name: &str, command: Vec<PathBuf>) -> Result<Self> {
        Self::launch(name, command, false).await
    }

    /// The same for a command that takes the port from the variable `PORT`.
    pub(crate) async fn start_by_variable(name: &str, command: Vec<PathBuf>) -> Result<Self> {
        Self::launch(name, command, true).await
    }

    async fn launch(name: &str, command: Vec<PathBuf>, variable: bool) -> Result<Self> {
        let log = folder(name)?.join("log");
        // Nobody else is given the port before the server has it: the system hands them out in turn.
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port();
        let child = spawn(&command, variable, port, &log)?;
        let mut server = Self { command, variable, port, log, child };
        server.ready().await?;
        Ok(server)
    }

    /// An address at this server.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Ends it as a crash would: it has no time to say anything.
    pub(crate) fn kill(&mut self) -> Result {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Has it stand still, as one does that is short of everything: it takes connections, and does nothing about them.
    pub(crate) async fn freeze(&self) -> Result {
        self.signal("-STOP")?;
        // The signal reaches one thread after the other.
        seen("a server that stands still", || self.is_stopped()).await
    }

    /// Whether none of its threads runs.
    fn is_stopped(&self) -> Result<bool> {
        for thread in fs::read_dir(format!("/proc/{}/task", self.child.id()))? {
            let status = fs::read_to_string(thread?.path().join("status"))?;
            if !status.lines().any(|line| line.starts_with("State:\tT")) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Has it go on where it stood.
    pub(crate) fn thaw(&self) -> Result {
        self.signal("-CONT")
    }

    /// Its number, as the system counts.
    #[cfg(feature = "every-peer")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until it has ended by itself, and tells how.
    pub(crate) async fn ended(&mut self) -> Result<ExitStatus> {
        let mut ended = None;
        seen("the end of a server", || {
            ended = self.child.try_wait()?;
            Ok(ended.is_some())
        })
        .await?;
        Ok(ended.ok_or("it has not ended")?)
    }

    /// Its port.
    pub(crate) const fn port(&self) -> u16 {
        self.port
    }

    fn signal(&self, signal: &str) -> Result {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status()?;
        if sent.success() { Ok(()) } else { Err(format!("kill {signal}: {sent}").into()) }
    }

    /// Starts it again, on the same port.
    pub(crate) async fn restart(&mut self) -> Result {
        self.child = spawn(&self.command, self.variable, self.port, &self.log)?;
        self.ready().await
    }

    /// What it has printed so far.
    pub(crate) fn log(&self) -> Result<String> {
        Ok(fs::read_to_string(&self.log)?)
    }

    /// Waits until it has printed these words so often, and tells how often it has by then.
    pub(crate) async fn prints(&self, words: &str, times: usize) -> Result<usize> {
        seen(words, || Ok(self.log()?.matches(words).count() >= times)).await?;
        Ok(self.log()?.matches(words).count())
    }

    async fn ready(&mut self) -> Result {
        seen("a server that listens", || {
            if let Some(status) = self.child.try_wait()? {
                return Err(format!("the server ended ({status})\n{}", fs::read_to_string(&self.log)?).into());
            }
            Ok(TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).is_ok())
        })
        .await
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be dead already.
        let _ = self.kill();
    }
}

fn spawn(command: &[PathBuf], variable: bool, port: u16, log: &PathBuf) -> Result<Child> {
    let [program, arguments @ ..] = command else { return Err("no program".into()) };
    let log: File = OpenOptions::new().append(true).create(true).open(log)?;
    let mut command = Command::new(program);
    command.args(arguments);
    if variable {
        command.env("PORT", port.to_string());
    } else {
        command.arg(port.to_string());
    }
    Ok(command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).spawn()?)
}
