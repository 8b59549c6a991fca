//! Sessions that are opened and left.

use std::time::Instant;

use serde::Serialize;

use crate::connection::Connection;
use crate::machine::resident;
use crate::message::{Call, Era};
use crate::{Error, Result, Server};

/// Before the first memory is read, so many sessions and calls show the server what it needs anyhow.
const WARMUP: u64 = 100;

#[derive(Debug, clap::Args)]
pub(crate) struct Sessions {
    #[command(flatten)]
    server: Server,
    /// How many.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    count: u64,
    /// Only say `initialize`, as a flood would; otherwise finish the handshake and make one call.
    #[arg(long)]
    bare: bool,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    opened: u64,
    /// Refused with 503.
    refused: u64,
    seconds: f64,
    bytes_before: u64,
    bytes_after: u64,
    tasks_before: u64,
    tasks_after: u64,
}

impl Sessions {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let Server { url, pid } = &self.server;
        let mut counting = Era::Legacy.connect(url).await?;
        let mut connection = Connection::open(url).await?;
        for _ in 0..WARMUP {
            self.open(&mut connection).await?;
        }
        let (bytes_before, tasks_before) = (resident(*pid)?, Call::tasks().number_on(&mut counting).await?);
        let (mut opened, mut refused, began) = (0, 0, Instant::now());
        for _ in 0..self.count {
            match self.open(&mut connection).await {
                Ok(()) => opened += 1,
                Err(Error::Answer { status: 503, .. }) => refused += 1,
                Err(other) => return Err(other),
            }
        }
        let seconds = began.elapsed().as_secs_f64();
        // A server may have closed a connection that was silent for so long.
        let session = counting.session.take();
        counting = Connection::open(url).await?;
        counting.session = session;
        let (bytes_after, tasks_after) = (resident(*pid)?, Call::tasks().number_on(&mut counting).await?);
        Ok(Figures { opened, refused, seconds, bytes_before, bytes_after, tasks_before, tasks_after })
    }

    async fn open(&self, connection: &mut Connection) -> Result<()> {
        if self.bare {
            return connection.hello().await;
        }
        connection.greet().await?;
        Call::echo(Era::Legacy, 0).on(connection).await.map(drop)
    }
}
