//! A load script: users come in stages, each connects, lists the tools and calls one again and again, and the run fails
//! when a threshold is broken.
//!
//! Try it: `target/debug/upcase`, then `target/debug/load http://127.0.0.1:4000/mcp upcase '{"text":"hello"}'`. It takes 110
//! seconds and has up to 100 users; `LOAD_SECONDS=11` does the same ten times faster, `LOAD_USERS=10` with ten of them.
#![expect(clippy::print_stdout, reason = "it is a program for people")]

mod tally;

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use hermes::prelude::*;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use tally::{Tally, Thresholds};

/// How many users there are at the end of each stage, in percent of the most, and how long it takes, in parts of the whole.
const STAGES: [(usize, u32); 5] = [(10, 30), (50, 20), (100, 30), (50, 20), (0, 10)];

/// What breaks the run.
const THRESHOLDS: Thresholds = Thresholds { p95: Duration::from_secs(3), errors: 0.05 };

/// How long a user thinks between two calls.
const THOUGHT: Duration = Duration::from_millis(100);

/// What every user calls.
struct Script {
    url: String,
    tool: String,
    arguments: Value,
}

/// One user: connects, lists, and calls until there are fewer users than its number.
async fn user(number: usize, script: Arc<Script>, mut users: watch::Receiver<usize>, tally: Arc<Tally>) {
    let started = Instant::now();
    let client = match Client::connect(script.url.as_str()).await {
        Ok(client) => client,
        Err(error) => return tally.note("connect", started.elapsed(), Err(error.to_string())),
    };
    tally.note("connect", started.elapsed(), Ok(()));
    let started = Instant::now();
    let listed = client.list_all_tools().await.map(drop).map_err(|error| error.to_string());
    tally.note("list", started.elapsed(), listed);
    while *users.borrow_and_update() > number {
        let started = Instant::now();
        let called = match client.call(&script.tool, &script.arguments).await {
            Ok(result) if result.is_error() => Err(format!("the tool failed: {}", result.raw.get())),
            Ok(_) => Ok(()),
            Err(error) => Err(error.to_string()),
        };
        tally.note("call", started.elapsed(), called);
        tokio::select! {
            () = sleep(THOUGHT) => {}
            changed = users.changed() => if changed.is_err() { break },
        }
    }
    client.close().await;
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, tool, json] = arguments.as_slice() else { anyhow::bail!("usage: load URL TOOL ARGUMENTS") };
    let arguments = serde_json::from_str(json).context("the arguments are no JSON")?;
    let script = Arc::new(Script { url: url.clone(), tool: tool.clone(), arguments });
    let seconds: f64 = std::env::var("LOAD_SECONDS").map_or(Ok(110.0), |seconds| seconds.parse())?;
    let most: usize = std::env::var("LOAD_USERS").map_or(Ok(100), |users| users.parse())?;
    let whole: u32 = STAGES.iter().map(|(_, parts)| parts).sum();
    let part = Duration::try_from_secs_f64(seconds)? / whole;

    let tally = Arc::new(Tally::default());
    let (crowd, _) = watch::channel(0);
    let mut users = JoinSet::new();
    let mut there: usize = 0;
    for (percent, parts) in STAGES {
        let target = most * percent / 100;
        // One user more or fewer at a time, evenly over the stage.
        let steps = u32::try_from(there.abs_diff(target))?.max(1);
        for step in 1..=steps {
            let now =
                if target > there { there + step as usize } else { there.saturating_sub(step as usize) };
            crowd.send_replace(now);
            if target > there {
                users.spawn(user(now - 1, Arc::clone(&script), crowd.subscribe(), Arc::clone(&tally)));
            }
            sleep(part * parts / steps).await;
        }
        there = target;
        println!("{target} users");
    }
    users.join_all().await;

    println!("\n{tally}");
    let broken = tally.broken(&THRESHOLDS);
    for threshold in &broken {
        println!("BROKEN: {threshold}");
    }
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
