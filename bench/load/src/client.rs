//! What the client of Hermes adds to the exchange that carries its call.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use hermes::{Direction, EraChoice};
use reqwest::header::{ACCEPT, CONTENT_TYPE};
use serde::Serialize;
use serde_json::json;

use crate::latency::Latency;
use crate::machine::own_time;
use crate::message::{Era, HELLO, TEXT, THERE};
use crate::{Error, Result, Server};

/// How many calls each of the two makes before it is the other's turn: what else the machine does falls on both.
const TURN: usize = 50;

const ACCEPTED: &str = "application/json, text/event-stream";
const SESSION: &str = "mcp-session-id";

#[derive(Debug, clap::Args)]
pub(crate) struct Client {
    #[command(flatten)]
    server: Server,
    /// Which era is spoken.
    #[arg(long, value_enum)]
    era: Era,
    /// How many calls each of the two makes, one after the other.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    calls: usize,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub(crate) struct Figures {
    bare: Part,
    hermes: Part,
}

#[derive(Debug, Serialize)]
struct Part {
    /// The time that this process has spent for a call.
    cpu_us: f64,
    p50_us: f64,
    p99_us: f64,
}

impl Client {
    pub(crate) async fn run(&self) -> Result<Figures> {
        let url = self.server.url.to_string();
        let said = Arc::new(Mutex::new(String::new()));
        let kept = Arc::clone(&said);
        let client = hermes::Client::builder()
            .era(EraChoice::from(self.era))
            .on_wire(move |direction, text| {
                if direction == Direction::Sent {
                    text.clone_into(&mut kept.lock().unwrap_or_else(PoisonError::into_inner));
                }
            })
            .connect(url.as_str())
            .await?;
        by_hermes(&client).await?;
        // The very message that the client has sent.
        let message = said.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let bare = Bare::open(self.era, url, message).await?;
        let (mut ours, mut theirs) = (Turns::default(), Turns::default());
        // The first turn of both only warms up.
        for turn in 0..=self.calls.div_ceil(TURN) {
            let is_measured = turn > 0;
            theirs.take(is_measured, async || bare.call().await).await?;
            ours.take(is_measured, async || by_hermes(&client).await).await?;
        }
        client.close().await;
        Ok(Figures { bare: theirs.part(), hermes: ours.part() })
    }
}

/// What one of the two has done so far.
#[derive(Default)]
struct Turns {
    latency: Latency,
    spent: f64,
}

impl Turns {
    async fn take(&mut self, is_measured: bool, mut call: impl AsyncFnMut() -> Result<()>) -> Result<()> {
        let before = own_time();
        for _ in 0..TURN {
            let began = Instant::now();
            call().await?;
            if is_measured {
                self.latency.add(began.elapsed());
            }
        }
        if is_measured {
            self.spent += own_time() - before;
        }
        Ok(())
    }

    fn part(mut self) -> Part {
        Part {
            cpu_us: self.spent / self.latency.count().max(1) as f64,
            p50_us: self.latency.micros(0.5),
            p99_us: self.latency.micros(0.99),
        }
    }
}

async fn by_hermes(client: &hermes::Client) -> Result<()> {
    let text: String = client.call("echo", json!({ "text": TEXT })).await?.read()?;
    if text == TEXT { Ok(()) } else { Err(Error::Answer { status: 200, text }) }
}

/// A client that sends one message again and again, and knows nothing of what it means.
struct Bare {
    client: reqwest::Client,
    url: String,
    headers: Vec<(&'static str, String)>,
    message: String,
}

impl Bare {
    async fn open(era: Era, url: String, message: String) -> Result<Self> {
        // Nothing is encrypted, but reqwest has to be told by what. That it was told before is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::new();
        let mut bare = Self { client, url, headers: Vec::new(), message };
        match era {
            Era::Modern => bare.headers.extend([
                ("mcp-protocol-version", "2026-07-28".to_owned()),
                ("mcp-method", "tools/call".to_owned()),
                ("mcp-name", "echo".to_owned()),
            ]),
            Era::Legacy => {
                let hello = bare.post(HELLO.to_vec()).await?;
                let session = hello.headers().get(SESSION).and_then(|id| id.to_str().ok()).map(str::to_owned);
                bare.headers.extend(session.map(|id| (SESSION, id)));
                bare.headers.push(("mcp-protocol-version", "2025-11-25".to_owned()));
                bare.post(THERE.to_vec()).await?;
            }
        }
        Ok(bare)
    }

    async fn post(&self, body: impl Into<reqwest::Body>) -> Result<reqwest::Response> {
        let mut request =
            self.client.post(&self.url).header(CONTENT_TYPE, "application/json").header(ACCEPT, ACCEPTED);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        Ok(request.body(body).send().await?)
    }

    async fn call(&self) -> Result<()> {
        let answer = self.post(self.message.clone()).await?;
        let status = answer.status().as_u16();
        let text = answer.text().await?;
        if text.contains(TEXT) { Ok(()) } else { Err(Error::Answer { status, text }) }
    }
}
