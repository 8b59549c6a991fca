//! A server under all that clients do, good and bad, for a long time.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use serde::Serialize;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::connection::{Connection, Url};
use crate::machine::{descriptors, resident};
use crate::message::{Call, Era, LEGACY};
use crate::{Error, Result, Server};

/// How long an answer may take before it counts as lost.
const PATIENCE: Duration = Duration::from_secs(20);

/// How many of each kind of client there are.
const CALLERS: u64 = 6;
const VISITORS: u64 = 3;
const CUTTERS: u64 = 3;
const DEAF: u64 = 2;
const SLOW: u64 = 2;
const CANCELLERS: u64 = 2;
const LISTENERS: u64 = 2;

/// For how long a slow reader does not read between two of its reads.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a listener stays.
const LISTENS: Duration = Duration::from_millis(200);

/// How many calls a visitor makes before it leaves its session behind.
const VISIT: u64 = 40;

/// What a client asks for that will not read it to its end.
const TALK: &str = r#"{"notes":200,"bytes":512}"#;

/// What its answer says at last.
const DONE: &[u8] = br#""text":"done""#;

/// Cancels the first call of a client.
const CANCEL: &[u8] =
    br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"enough"}}"#;

/// The same that is more than all buffers on the way hold.
const LONG_TALK: &str = r#"{"notes":4000,"bytes":4096}"#;

#[derive(Debug, clap::Args)]
pub(crate) struct Soak {
    #[command(flatten)]
    server: Server,
    /// How long.
    #[arg(long, value_name = "S")]
    seconds: f64,
    /// How long the server is left alone afterwards, so that it can clean up.
    #[arg(long, value_name = "S")]
    rest: f64,
}

/// What was seen.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    /// Calls that were answered as they should be.
    answered: u64,
    /// Calls that were not, although nobody had cut or cancelled them.
    lost: u64,
    /// What came instead of the first few of their answers.
    instead: Vec<String>,
    /// Sessions that were left behind.
    abandoned: u64,
    /// Streams that were cut, and calls that were cancelled with them in the modern era.
    cut: u64,
    /// Long answers that were read slowly, to their end.
    slow: u64,
    /// Calls that were cancelled by a message, and had no answer.
    cancelled: u64,
    /// Seconds since the start, and the memory then, in bytes.
    memory: Vec<(f64, u64)>,
    /// By how much the memory grew in an hour, in bytes, in the second half: what fills up first is no leak.
    slope: f64,
    tasks_before: u64,
    tasks_after: u64,
    descriptors_before: usize,
    descriptors_after: usize,
}

/// What all clients write down, and what tells them to stop.
#[derive(Default)]
struct Notes {
    over: Cell<bool>,
    answered: Cell<u64>,
    lost: Cell<u64>,
    abandoned: Cell<u64>,
    cut: Cell<u64>,
    slow: Cell<u64>,
    cancelled: Cell<u64>,
    instead: RefCell<Vec<String>>,
}

fn more(count: &Cell<u64>) {
    count.set(count.get() + 1);
}

impl Soak {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let Server { url, pid } = &self.server;
        let (before, descriptors_before) = (tasks(url).await?, descriptors(*pid)?);
        let (notes, mut clients) = (Rc::new(Notes::default()), JoinSet::new());
        for number in 0..CALLERS {
            clients.spawn_local(calls(url.clone(), Rc::clone(&notes), number));
        }
        for _ in 0..VISITORS {
            clients.spawn_local(visits(url.clone(), Rc::clone(&notes)));
        }
        for number in 0..CUTTERS {
            let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
            clients.spawn_local(cuts(url.clone(), Rc::clone(&notes), era, TALK, Duration::from_millis(5)));
        }
        for _ in 0..DEAF {
            let long = Duration::from_secs(5);
            clients.spawn_local(cuts(url.clone(), Rc::clone(&notes), Era::Legacy, LONG_TALK, long));
        }
        for _ in 0..SLOW {
            clients.spawn_local(reads_slowly(url.clone(), Rc::clone(&notes)));
        }
        for _ in 0..CANCELLERS {
            clients.spawn_local(cancels(url.clone(), Rc::clone(&notes)));
        }
        for number in 0..LISTENERS {
            let era = if number % 2 == 0 { Era::Legacy } else { Era::Modern };
            clients.spawn_local(listens(url.clone(), Rc::clone(&notes), era));
        }
        let (began, mut memory) = (Instant::now(), Vec::new());
        let step = Duration::from_secs_f64((self.seconds / 120.0).max(0.5));
        while began.elapsed().as_secs_f64() < self.seconds {
            sleep(step).await;
            memory.push((began.elapsed().as_secs_f64(), resident(*pid)?));
        }
        notes.over.set(true);
        while let Some(ended) = clients.join_next().await {
            ended??;
        }
        sleep(Duration::from_secs_f64(self.rest)).await;
        let (after, descriptors_after) = (tasks(url).await?, descriptors(*pid)?);
        Ok(Figures {
            answered: notes.answered.get(),
            lost: notes.lost.get(),
            instead: notes.instead.take(),
            abandoned: notes.abandoned.get(),
            cut: notes.cut.get(),
            slow: notes.slow.get(),
            cancelled: notes.cancelled.get(),
            slope: slope(memory.split_at(memory.len() / 2).1) * 3600.0,
            memory,
            tasks_before: before,
            tasks_after: after,
            descriptors_before,
            descriptors_after,
        })
    }
}

/// How many tasks the server has while one connection asks.
async fn tasks(url: &Url) -> Result<u64> {
    let mut connection = Era::Legacy.connect(url).await?;
    Call::tasks().number_on(&mut connection).await
}

/// One call that has to be answered.
async fn call(call: &mut Call, connection: &mut Connection, notes: &Notes) -> bool {
    let instead = match timeout(PATIENCE, call.on(connection)).await {
        Ok(Ok(_)) => {
            more(&notes.answered);
            return true;
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "nothing in time".to_owned(),
    };
    lost(notes, instead);
    false
}

/// A call had something else than its answer.
fn lost(notes: &Notes, instead: String) {
    more(&notes.lost);
    if notes.instead.borrow().len() < 5 {
        notes.instead.borrow_mut().push(instead);
    }
}

/// A good client of the modern era.
async fn calls(url: Url, notes: Rc<Notes>, number: u64) -> Result<()> {
    let mut echo = Call::echo(Era::Modern, (number + 1) * 100_000_000);
    let mut connection = Connection::open(&url).await?;
    while !notes.over.get() {
        if !call(&mut echo, &mut connection, &notes).await {
            connection = Connection::open(&url).await?;
        }
        sleep(Duration::from_millis(2)).await;
    }
    Ok(())
}

/// A client that opens sessions and forgets them.
async fn visits(url: Url, notes: Rc<Notes>) -> Result<()> {
    while !notes.over.get() {
        let mut connection = Era::Legacy.connect(&url).await?;
        let mut echo = Call::echo(Era::Legacy, 100);
        for _ in 0..VISIT {
            call(&mut echo, &mut connection, &notes).await;
            sleep(Duration::from_millis(2)).await;
        }
        more(&notes.abandoned);
    }
    Ok(())
}

/// A client that asks for much, reads the beginning, does not read for a while and is gone.
async fn cuts(url: Url, notes: Rc<Notes>, era: Era, arguments: &str, silence: Duration) -> Result<()> {
    while !notes.over.get() {
        let mut connection = era.connect(&url).await?;
        let mut talk = Call::talking(era, arguments);
        let (headers, body) = talk.next();
        // Whatever it answers, nobody reads it.
        let _ = timeout(PATIENCE, connection.begin(headers, body)).await;
        sleep(silence).await;
        drop(connection);
        more(&notes.cut);
        sleep(Duration::from_millis(20)).await;
    }
    Ok(())
}

/// A client that reads a long answer slowly, to its end.
async fn reads_slowly(url: Url, notes: Rc<Notes>) -> Result<()> {
    let done = Finder::new(DONE);
    while !notes.over.get() {
        let mut connection = Era::Legacy.connect(&url).await?;
        let mut talk = Call::talking(Era::Legacy, TALK);
        let (headers, body) = talk.next();
        let status = connection.begin(headers, body).await?;
        let read = async {
            while done.find(connection.came()).is_none() {
                sleep(PAUSE).await;
                connection.more().await?;
            }
            Ok::<_, Error>(())
        };
        match timeout(PATIENCE, read).await {
            Ok(Ok(())) => more(&notes.slow),
            Ok(Err(error)) => lost(&notes, format!("{status}, read slowly: {error}")),
            Err(_) => lost(&notes, format!("{status}, read slowly: no end")),
        }
    }
    Ok(())
}

/// A client that says on another connection that it does not want the answer any more.
async fn cancels(url: Url, notes: Rc<Notes>) -> Result<()> {
    while !notes.over.get() {
        let mut connection = Era::Legacy.connect(&url).await?;
        let mut beside = Connection::open(&url).await?;
        beside.session.clone_from(&connection.session);
        let mut talk = Call::talking(Era::Legacy, LONG_TALK);
        let (headers, body) = talk.next();
        connection.begin(headers, body).await?;
        let told = beside.post(LEGACY, CANCEL).await?;
        if told.status != 202 {
            return Err(told.unwanted());
        }
        // Nothing more is read: the call is over, or its answer was on its way.
        drop(connection);
        more(&notes.cancelled);
        sleep(PAUSE).await;
    }
    Ok(())
}

/// A client that listens for a while, and is gone.
async fn listens(url: Url, notes: Rc<Notes>, era: Era) -> Result<()> {
    while !notes.over.get() {
        let mut connection = era.connect(&url).await?;
        match era {
            Era::Legacy => connection.get(LEGACY).await?,
            Era::Modern => {
                let mut listen = Call::listen();
                let (headers, body) = listen.next();
                connection.begin(headers, body).await?
            }
        };
        sleep(LISTENS).await;
        drop(connection);
        more(&notes.cut);
    }
    Ok(())
}

/// By how much the second figure grows with the first, as the straight line has it that fits best.
fn slope(points: &[(f64, u64)]) -> f64 {
    let count = points.len().max(1) as f64;
    let mean = |figure: fn(&(f64, u64)) -> f64| points.iter().map(figure).sum::<f64>() / count;
    let (x, y) = (mean(|it| it.0), mean(|it| it.1 as f64));
    let spread: f64 = points.iter().map(|it| (it.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|it| (it.0 - x) * (it.1 as f64 - y)).sum();
    if spread > 0.0 { common / spread } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_straight_line_has_its_own_slope_and_a_level_one_none() {
        assert!((slope(&[(0.0, 10), (1.0, 30), (2.0, 50)]) - 20.0).abs() < 1e-9);
        assert_eq!(slope(&[(0.0, 7), (5.0, 7)]), 0.0);
        assert_eq!(slope(&[]), 0.0);
    }
}
