//! So many calls and no more: what they cost is counted elsewhere.

use serde::Serialize;

use crate::message::{Call, Era};
use crate::{Result, Server};

#[derive(Debug, clap::Args)]
pub(crate) struct Count {
    #[command(flatten)]
    server: Server,
    /// Which kind of client.
    #[arg(long, value_enum)]
    era: Era,
    /// How many.
    #[arg(long, value_name = "N")]
    calls: u64,
    /// Ask for the list of tools instead of calling one.
    #[arg(long)]
    list: bool,
}

/// What was done.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    calls: u64,
}

impl Count {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let mut connection = self.era.connect(&self.server.url).await?;
        // Ids of the same length: each costs the same.
        let first = 1_000_000;
        let mut call = if self.list { Call::list(self.era, first) } else { Call::echo(self.era, first) };
        for _ in 0..self.calls {
            call.on(&mut connection).await?;
        }
        Ok(Figures { calls: self.calls })
    }
}
