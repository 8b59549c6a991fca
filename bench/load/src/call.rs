//! Calls one after the other on each of some connections.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::latency::Latency;
use crate::machine::Spent;
use crate::message::{Call as Message, Era, What};
use crate::{Error, Result, Server};

#[derive(Debug, clap::Args)]
pub(crate) struct Call {
    #[command(flatten)]
    server: Server,
    /// Which kind of client.
    #[arg(long, value_enum)]
    era: Era,
    /// How many connections; in the legacy era each has a session.
    #[arg(long, default_value_t = 16, value_name = "N")]
    connections: u64,
    /// What is asked for.
    #[arg(long, value_enum, default_value = "echo")]
    what: What,
    /// How many letters the text has that is sent, or comes back.
    #[arg(long, value_name = "N")]
    letters: Option<usize>,
    /// How long is measured.
    #[arg(long, default_value_t = 3.0, value_name = "S")]
    seconds: f64,
    /// How long is called before that.
    #[arg(long, default_value_t = 0.5, value_name = "S")]
    warmup: f64,
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
    events: bool,
    /// How long the body of an answer was.
    bytes: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Warming,
    Measuring,
    Over,
}

impl Call {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let phase = Rc::new(Cell::new(Phase::Warming));
        let mut callers = JoinSet::new();
        for number in 0..self.connections {
            let mut connection = self.era.connect(&self.server.url).await?;
            let first = number * 10_000_000;
            let mut call = Message::of(self.what, self.era, self.letters, first);
            let phase = Rc::clone(&phase);
            callers.spawn_local(async move {
                let (mut latency, mut events) = (Latency::default(), false);
                let mut bytes = 0;
                while phase.get() != Phase::Over {
                    let began = Instant::now();
                    (events, bytes) = call.on(&mut connection).await?;
                    if phase.get() == Phase::Measuring {
                        latency.add(began.elapsed());
                    }
                }
                Ok::<_, Error>((latency, events, bytes))
            });
        }
        sleep(Duration::from_secs_f64(self.warmup)).await;
        let (began, before) = (Instant::now(), Spent::read(self.server.pid)?);
        phase.set(Phase::Measuring);
        sleep(Duration::from_secs_f64(self.seconds)).await;
        let (seconds, spent) = (began.elapsed().as_secs_f64(), Spent::read(self.server.pid)?.since(before));
        phase.set(Phase::Over);
        let (mut latency, mut events, mut bytes) = (Latency::default(), false, 0);
        while let Some(ended) = callers.join_next().await {
            let (mut own, by_events, length) = ended??;
            latency.append(&mut own);
            events |= by_events;
            bytes = bytes.max(length);
        }
        let calls = latency.count();
        Ok(Figures {
            calls,
            per_second: calls as f64 / seconds,
            cpu_us: (spent.user + spent.system) / calls as f64,
            user_us: spent.user / calls as f64,
            p50_us: latency.micros(0.5),
            p99_us: latency.micros(0.99),
            events,
            bytes,
        })
    }
}
