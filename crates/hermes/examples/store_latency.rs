//! How long a call takes with a store in a file, beside one without.
//!
//! ```text
//! cargo run --release --package mcp-hermes --example store_latency -- /var/tmp
//! ```
//!
//! The folder is where the file is made: how long a commit takes is a matter of its disk. Everything runs in one process
//! over the loopback, so that what differs between two lines is the store.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

use std::env;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::{EraChoice, FileStore};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

type Outcome<T = ()> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How many calls each client makes, after some that are not counted.
const CALLS: usize = 500;
const WARMING_UP: usize = 50;

/// How many clients there are at once.
const CLIENTS: [usize; 2] = [1, 16];

/// What is called.
const KINDS: [(&str, &str, bool); 3] = [
    ("an answer that acknowledges nothing", "echo", false),
    ("an answer that acknowledges data of the session", "visit", false),
    ("an answer as a stream of events", "echo", true),
];

/// Data that are kept with their session.
#[derive(Default, serde::Serialize, serde::Deserialize)]
struct Visits(AtomicU64);

#[tokio::main]
async fn main() -> Outcome {
    let folder = env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    println!("| what | clients | store | p50 | p99 | calls a second |\n|---|---|---|---|---|---|");
    for (what, tool, streams) in KINDS {
        for clients in CLIENTS {
            for is_kept in [false, true] {
                let file = Path::new(&folder).join(format!("store-latency-{}", std::process::id()));
                let (times, took) = measure(tool, streams, clients, is_kept.then_some(&*file)).await?;
                let store = if is_kept { "a file" } else { "none" };
                let (p50, p99) = (part(&times, 50), part(&times, 99));
                let rate = (clients * (WARMING_UP + CALLS)) as f64 / took.as_secs_f64();
                println!("| {what} | {clients} | {store} | {p50:.2} ms | {p99:.2} ms | {rate:.0} |");
                if is_kept {
                    std::fs::remove_file(&file)?;
                }
            }
        }
    }
    Ok(())
}

/// How long each call took, in order, and all of them together.
async fn measure(
    tool: &'static str,
    streams: bool,
    clients: usize,
    file: Option<&Path>,
) -> Outcome<(Vec<Duration>, Duration)> {
    let server = Server::new("latency", "1.0.0")
        .keep_session_data::<Visits>("visits")
        .tool("echo", |(): (), _: Context| async { "hello" })
        .tool("visit", |(): (), ctx: Context| async move {
            ctx.session_data::<Visits>().0.fetch_add(1, Ordering::Relaxed)
        });
    let mut http = StreamableHttp::new(server);
    if streams {
        http = http.always_stream();
    }
    if let Some(file) = file {
        http = http.store(FileStore::open(file)?).await?;
    }
    let bound = http.bind("127.0.0.1:0").await?;
    let url = bound.url();
    let (end, ended) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(async { drop(ended.await) }));

    let began = Instant::now();
    let mut callers = JoinSet::new();
    for _ in 0..clients {
        let url = url.clone();
        callers.spawn(async move { call(&url, tool).await });
    }
    let mut times = Vec::new();
    while let Some(called) = callers.join_next().await {
        times.extend(called??);
    }
    let took = began.elapsed();
    drop(end);
    serving.await?;
    times.sort_unstable();
    Ok((times, took))
}

async fn call(url: &str, tool: &str) -> Outcome<Vec<Duration>> {
    let client = Client::builder().era(EraChoice::Legacy).connect(url).await?;
    let mut times = Vec::with_capacity(CALLS);
    for number in 0..WARMING_UP + CALLS {
        let began = Instant::now();
        client.call(tool, ()).await?;
        if number >= WARMING_UP {
            times.push(began.elapsed());
        }
    }
    client.close().await;
    Ok(times)
}

/// The time that so many percent of the calls did not exceed, in milliseconds.
fn part(times: &[Duration], percent: usize) -> f64 {
    let at = (times.len() * percent / 100).min(times.len().saturating_sub(1));
    times.get(at).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}
