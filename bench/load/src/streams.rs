//! Streams that stay open, and what is told on all of them.

use std::cell::Cell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use serde::Serialize;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection::Connection;
use crate::machine::{Spent, resident};
use crate::message::{Call, Era, LEGACY};
use crate::{Error, Result, Server};

/// Before the first memory is read, so many streams show the server what it needs anyhow.
const WARMUP: usize = 100;

/// After the last stream the server is left alone for so long, so that nothing of its opening is left.
const REST: Duration = Duration::from_secs(1);

/// How long a message may take to all streams.
const PATIENCE: Duration = Duration::from_secs(30);

/// What is told of an update.
const UPDATED: &[u8] = br#""method":"notifications/resources/updated""#;

#[derive(Debug, clap::Args)]
pub(crate) struct Streams {
    #[command(flatten)]
    server: Server,
    /// Which kind: the stream of a session, or `subscriptions/listen`.
    #[arg(long, value_enum)]
    era: Era,
    /// How many.
    #[arg(long, default_value_t = 1000, value_name = "N")]
    count: usize,
    /// How often an update is told on all of them, each time after the one before has reached all.
    #[arg(long, default_value_t = 0, value_name = "N")]
    events: usize,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    opened: usize,
    /// How many were told of each update: the first ones too.
    told: usize,
    bytes_before: u64,
    bytes_after: u64,
    /// The server's time for each stream that was told of an update, in microseconds.
    cpu_us: f64,
    user_us: f64,
    /// From the call that tells to the last stream that has it, in the middle.
    ms: f64,
}

/// How many streams were told of the update, and who waits for the last.
#[derive(Default)]
struct Told {
    streams: Cell<usize>,
    wanted: Cell<usize>,
    all: Notify,
}

impl Streams {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let pid = self.server.pid;
        let mut sessions = Connection::open(&self.server.url).await?;
        let mut ids = Vec::new();
        if self.era == Era::Legacy {
            for _ in 0..self.count + WARMUP {
                sessions.greet().await?;
                ids.push(sessions.session.clone());
            }
        }
        let (told, mut readers) = (Rc::new(Told::default()), JoinSet::new());
        let mut bytes_before = 0;
        for number in 0..self.count + WARMUP {
            if number == WARMUP {
                sleep(REST).await;
                bytes_before = resident(pid)?;
            }
            let stream = self.open(ids.get(number).cloned().flatten()).await?;
            readers.spawn_local(read(stream, Rc::clone(&told)));
        }
        sleep(REST).await;
        let bytes_after = resident(pid)?;
        let mut touch = Call::touch();
        let mut took = Vec::new();
        let mut before = Spent::read(pid)?;
        for event in 0..=self.events {
            let began = Instant::now();
            if self.events == 0 {
                break;
            }
            told.streams.set(0);
            told.wanted.set(self.count + WARMUP);
            touch.on(&mut sessions).await?;
            tokio::select! {
                all = timeout(PATIENCE, told.all.notified()) => all.map_err(|_| Error::Ended)?,
                Some(ended) = readers.join_next() => return Err(ended?.err().unwrap_or(Error::Ended)),
            }
            // The first one only warms up.
            if event == 0 {
                before = Spent::read(pid)?;
            } else {
                took.push(began.elapsed().as_secs_f64() * 1e3);
            }
        }
        let spent = Spent::read(pid)?.since(before);
        let deliveries = (self.events * (self.count + WARMUP)).max(1) as f64;
        took.sort_by(f64::total_cmp);
        Ok(Figures {
            opened: self.count,
            told: self.count + WARMUP,
            bytes_before,
            bytes_after,
            cpu_us: (spent.user + spent.system) / deliveries,
            user_us: spent.user / deliveries,
            ms: took.get(took.len() / 2).copied().unwrap_or_default(),
        })
    }

    async fn open(&self, session: Option<String>) -> Result<Connection> {
        let mut stream = Connection::open(&self.server.url).await?;
        stream.session = session;
        let status = match self.era {
            Era::Legacy => stream.get(LEGACY).await?,
            Era::Modern => {
                let mut listen = Call::listen();
                let (headers, body) = listen.next();
                stream.begin(headers, body).await?
            }
        };
        if status == 200 { Ok(stream) } else { Err(Error::Answer { status, text: "no stream".to_owned() }) }
    }
}

/// Reads a stream and counts the updates.
async fn read(mut stream: Connection, told: Rc<Told>) -> Result<()> {
    let updated = Finder::new(UPDATED);
    loop {
        let came = stream.came();
        while let Some(at) = updated.find(came) {
            came.drain(..at + UPDATED.len());
            told.streams.set(told.streams.get() + 1);
            if told.streams.get() == told.wanted.get() {
                told.all.notify_one();
            }
        }
        // One that came in part is not lost.
        came.drain(..came.len().saturating_sub(UPDATED.len()));
        stream.more().await?;
    }
}
