//! A session of which one connection does not read.

use std::time::{Duration, Instant};

use serde::Serialize;
use tokio::time::timeout;

use crate::connection::Connection;
use crate::latency::Latency;
use crate::message::{Call, Era};
use crate::{Result, Server};

/// How long an answer may take before it counts as none.
const PATIENCE: Duration = Duration::from_secs(2);

/// After so many answers that never came nothing else is to be found out.
const ENOUGH: u64 = 3;

/// What is asked for and not read: more than all buffers on the way hold.
const TALK: &str = r#"{"notes":4000,"bytes":4096}"#;

#[derive(Debug, clap::Args)]
pub(crate) struct Stalled {
    #[command(flatten)]
    server: Server,
    /// How many calls are measured, before and beside the connection that does not read.
    #[arg(long, default_value_t = 2000, value_name = "N")]
    calls: u64,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    before: Part,
    beside: Part,
}

#[derive(Debug, Serialize)]
struct Part {
    answered: usize,
    hung: u64,
    p50_us: f64,
    p99_us: f64,
}

impl Stalled {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let mut caller = Era::Legacy.connect(&self.server.url).await?;
        let before = self.part(&mut caller).await?;
        let mut deaf = Connection::open(&self.server.url).await?;
        deaf.session.clone_from(&caller.session);
        let mut talk = Call::talking(Era::Legacy, TALK);
        let (headers, body) = talk.next();
        // That it answers is enough: nothing else is read.
        let _ = timeout(PATIENCE, deaf.begin(headers, body)).await;
        let beside = self.part(&mut caller).await?;
        drop(deaf);
        Ok(Figures { before, beside })
    }

    async fn part(&self, caller: &mut Connection) -> Result<Part> {
        let (mut latency, mut hung) = (Latency::default(), 0);
        let mut call = Call::echo(Era::Legacy, 10);
        for _ in 0..self.calls {
            let began = Instant::now();
            match timeout(PATIENCE, call.on(caller)).await {
                Ok(Ok(_)) => latency.add(began.elapsed()),
                Ok(Err(error)) => return Err(error),
                Err(_) => {
                    hung += 1;
                    let session = caller.session.take();
                    *caller = Connection::open(&self.server.url).await?;
                    caller.session = session;
                }
            }
            if hung == ENOUGH {
                break;
            }
        }
        Ok(Part {
            answered: latency.count(),
            hung,
            p50_us: latency.micros(0.5),
            p99_us: latency.micros(0.99),
        })
    }
}
