//! A client and a server in this process.

use std::time::Instant;

use hermes::{Client, EraChoice, Server, ToolDef, in_memory};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::latency::Latency;
use crate::machine::own_time;
use crate::message::{Era, TEXT};
use crate::{Error, Result};

/// So many calls come first and are not measured.
const WARMUP: usize = 1000;

#[derive(Debug, clap::Args)]
pub(crate) struct Memory {
    /// Which era is spoken.
    #[arg(long, value_enum)]
    era: Era,
    /// How many calls are made, one after the other.
    #[arg(long, default_value_t = 100_000, value_name = "N")]
    calls: usize,
}

/// What was measured: both sides together.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    cpu_us: f64,
    p50_us: f64,
    p99_us: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text to send back
    text: String,
}

impl Memory {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let server = Server::new("bench", "0.0.0").tool(
            ToolDef::new("echo").description("Sends a text back"),
            |it: Echo, _| async move { it.text },
        );
        let client = Client::builder().era(EraChoice::from(self.era)).connect(in_memory(server)).await?;
        let (mut latency, mut before) = (Latency::default(), own_time());
        for number in 0..WARMUP + self.calls {
            if number == WARMUP {
                before = own_time();
            }
            let began = Instant::now();
            let text: String = client.call("echo", json!({ "text": TEXT })).await?.read()?;
            if text != TEXT {
                return Err(Error::Answer { status: 200, text });
            }
            if number >= WARMUP {
                latency.add(began.elapsed());
            }
        }
        let spent = own_time() - before;
        client.close().await;
        Ok(Figures {
            cpu_us: spent / self.calls as f64,
            p50_us: latency.micros(0.5),
            p99_us: latency.micros(0.99),
        })
    }
}
