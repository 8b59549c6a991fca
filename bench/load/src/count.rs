//! So many calls and no more: what they cost is counted elsewhere.

use serde::Serialize;

use crate::message::{Call, Era, What};
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
    /// What is asked for.
    #[arg(long, value_enum, default_value = "echo")]
    what: What,
    /// How many letters the text has that is sent, or comes back.
    #[arg(long, value_name = "N")]
    letters: Option<usize>,
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
        let mut call = Call::of(self.what, self.era, self.letters, 1_000_000);
        for _ in 0..self.calls {
            call.on(&mut connection).await?;
        }
        Ok(Figures { calls: self.calls })
    }
}
