//! Calls over the standard input and output of a program.

use std::collections::VecDeque;
use std::process::Stdio;
use std::time::{Duration, Instant};

use memchr::{memchr, memmem};
use serde::Serialize;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout, Command};

use crate::latency::Latency;
use crate::machine::Spent;
use crate::message::{Call, Era, HELLO, TEXT, THERE};
use crate::{Error, Result};

#[derive(Debug, clap::Args)]
pub(crate) struct Lines {
    /// How many calls are under way at a time.
    #[arg(long, default_value_t = 64, value_name = "N")]
    flight: usize,
    /// How long is measured.
    #[arg(long, default_value_t = 3.0, value_name = "S")]
    seconds: f64,
    /// How long is called before that.
    #[arg(long, default_value_t = 0.5, value_name = "S")]
    warmup: f64,
    /// So many calls instead of so much time.
    #[arg(long, value_name = "N")]
    calls: Option<u64>,
    /// What to start.
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    program: Vec<String>,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    calls: usize,
    per_second: f64,
    cpu_us: f64,
    user_us: f64,
    p50_us: f64,
    p99_us: f64,
    /// From the start of the program to its first answer to a call.
    start_ms: f64,
}

/// The two ends, and what came and was not used yet.
struct Pipe {
    input: ChildStdin,
    output: ChildStdout,
    read: Vec<u8>,
}

impl Pipe {
    /// Waits for bytes.
    async fn fill(&mut self) -> Result<()> {
        match self.output.read_buf(&mut self.read).await? {
            0 => Err(Error::Ended),
            _ => Ok(()),
        }
    }

    /// One line.
    async fn line(&mut self) -> Result<Vec<u8>> {
        loop {
            if let Some(end) = memchr(b'\n', &self.read) {
                let line = self.read.drain(..=end).collect();
                return Ok(line);
            }
            self.fill().await?;
        }
    }
}

impl Lines {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let began = Instant::now();
        let (program, options) = self.program.split_first().ok_or(Error::Ended)?;
        let mut child = Command::new(program)
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let pid = child.id().ok_or(Error::Ended)?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Error::Ended);
        };
        let mut pipe = Pipe { input, output, read: Vec::with_capacity(64 * 1024) };
        pipe.input.write_all(&[HELLO, b"\n"].concat()).await?;
        pipe.line().await?;
        let mut call = Call::echo(Era::Legacy, 1_000_000);
        pipe.input.write_all(&[THERE, b"\n", call.next().1, b"\n"].concat()).await?;
        good(&pipe.line().await?)?;
        let start_ms = began.elapsed().as_secs_f64() * 1e3;
        if self.calls.is_none() {
            self.exchange(&mut pipe, &mut call, Some(self.warmup)).await?;
        }
        let (began, before) = (Instant::now(), Spent::read(pid)?);
        let mut latency =
            self.exchange(&mut pipe, &mut call, self.calls.is_none().then_some(self.seconds)).await?;
        let (seconds, spent) = (began.elapsed().as_secs_f64(), Spent::read(pid)?.since(before));
        // Its input ends, and it with it: what watches it can write down what it saw.
        drop(pipe);
        child.wait().await?;
        let calls = latency.count();
        Ok(Figures {
            calls,
            per_second: calls as f64 / seconds,
            cpu_us: (spent.user + spent.system) / calls as f64,
            user_us: spent.user / calls as f64,
            p50_us: latency.micros(0.5),
            p99_us: latency.micros(0.99),
            start_ms,
        })
    }

    /// Calls for so long, or as often as was asked for; then waits for what is under way.
    async fn exchange(&self, pipe: &mut Pipe, call: &mut Call, seconds: Option<f64>) -> Result<Latency> {
        let until = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
        let (mut latency, mut under_way) = (Latency::default(), VecDeque::new());
        let (mut sent, mut out) = (0, Vec::new());
        loop {
            let goes_on = |sent: u64| match until {
                Some(until) => Instant::now() < until,
                None => self.calls.is_some_and(|calls| sent < calls),
            };
            out.clear();
            while under_way.len() < self.flight && goes_on(sent) {
                out.extend_from_slice(call.next().1);
                out.push(b'\n');
                under_way.push_back(Instant::now());
                sent += 1;
            }
            if under_way.is_empty() {
                return Ok(latency);
            }
            // So few that a pipe holds them: nobody waits for the other.
            pipe.input.write_all(&out).await?;
            pipe.fill().await?;
            let mut used = 0;
            while let Some(end) = memchr(b'\n', &pipe.read[used..]) {
                good(&pipe.read[used..used + end])?;
                used += end + 1;
                // Answers may come in any order; for the distribution that makes no difference.
                latency.add(under_way.pop_front().ok_or(Error::Ended)?.elapsed());
            }
            pipe.read.drain(..used);
        }
    }
}

/// Whether a line is an answer with the text that was sent.
fn good(line: &[u8]) -> Result<()> {
    let holds = |text: &[u8]| memmem::find(line, text).is_some();
    if holds(b"\"result\":") && holds(TEXT.as_bytes()) {
        return Ok(());
    }
    Err(Error::Answer { status: 0, text: String::from_utf8_lossy(line).into_owned() })
}
