//! Calls a server as often as it answers, and measures: `bench-load call|client|count|sessions|soak|stalled|streams
//! URL …`, `bench-load lines … -- PROGRAM …` over standard input and output, and `bench-load memory …` in itself.
//!
//! One thread; HTTP/1.1 written by hand, so that it costs little beside the server, but where clients are what is
//! measured. Each run prints one JSON object.
//! Every answer is looked at: a server that answers quickly and wrongly gains nothing.

mod call;
mod client;
mod connection;
mod count;
mod latency;
mod lines;
mod machine;
mod memory;
mod message;
mod sessions;
mod soak;
mod stalled;
mod streams;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use serde::Serialize;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

use crate::connection::Url;

/// Calls a server as often as it answers, and measures.
#[derive(Debug, Parser)]
struct Load {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Calls `echo` on some connections for some time.
    Call(call::Call),
    /// Calls `echo` by the client of Hermes and by a bare client of HTTP, in turns.
    Client(client::Client),
    /// Makes so many calls on one connection, for whoever counts what they cost.
    Count(count::Count),
    /// Calls `echo` over the standard input and output of a program that it starts.
    Lines(lines::Lines),
    /// Calls `echo` by a client of Hermes of a server in the same process.
    Memory(memory::Memory),
    /// Opens sessions and leaves them.
    Sessions(sessions::Sessions),
    /// Does all that clients do, good and bad, for a long time.
    Soak(soak::Soak),
    /// Calls `echo` in a session of which another connection does not read what it asked for.
    Stalled(stalled::Stalled),
    /// Opens streams and has them told something.
    Streams(streams::Streams),
}

/// What goes wrong in a run.
#[derive(Debug, thiserror::Error)]
enum Error {
    /// The connection broke, or could not be made.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// What came is no HTTP.
    #[error("not HTTP: {0}")]
    Http(#[from] httparse::Error),
    /// The server ended the connection before its answer.
    #[error("the connection ended early")]
    Ended,
    /// An answer of this status and text came instead of the one wanted.
    #[error("{status} {text}")]
    Answer {
        /// The status of HTTP.
        status: u16,
        /// The body, cut short.
        text: String,
    },
    /// The figures cannot be written.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// The bare client has no answer.
    #[error(transparent)]
    Bare(#[from] reqwest::Error),
    /// The client of Hermes has no answer.
    #[error(transparent)]
    Client(#[from] hermes::ClientError),
    /// One of the tasks of the generator broke.
    #[error(transparent)]
    Task(#[from] tokio::task::JoinError),
}

type Result<T> = std::result::Result<T, Error>;

fn main() -> ExitCode {
    let Load { task } = Load::parse();
    match run(&task) {
        Ok(figures) => {
            println!("{figures}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("bench-load: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<String> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        match task {
            Task::Call(call) => text(&call.run().await?),
            Task::Client(client) => text(&client.run().await?),
            Task::Count(count) => text(&count.run().await?),
            Task::Lines(lines) => text(&lines.run().await?),
            Task::Memory(memory) => text(&memory.run().await?),
            Task::Sessions(sessions) => text(&sessions.run().await?),
            Task::Soak(soak) => text(&soak.run().await?),
            Task::Stalled(stalled) => text(&stalled.run().await?),
            Task::Streams(streams) => text(&streams.run().await?),
        }
    })
}

fn text(figures: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string(figures)?)
}

/// Where a server is, as every task takes it.
#[derive(Clone, Debug, clap::Args)]
struct Server {
    /// The endpoint: http://IP:PORT/PATH.
    url: Url,
    /// The id of the server's process, to read its time and memory.
    #[arg(long, value_name = "ID")]
    pid: u32,
}
