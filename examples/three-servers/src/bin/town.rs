//! The three servers, in one program: `town weather`, `town trains` and `town purse`.

use std::sync::atomic::{AtomicI64, Ordering};

use anyhow::{Context as _, bail};
use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// The weather of tomorrow.
#[tool(read_only)]
fn forecast(city: String) -> Result<&'static str, ToolError> {
    match &*city {
        "Oslo" => Ok("snow, -3 \u{b0}C"),
        "Rome" => Ok("sun, 21 \u{b0}C"),
        _ => Err(ToolError::new(format!("no station in {city}"))),
    }
}

#[derive(JsonSchema, Serialize)]
struct Train {
    leaves: &'static str,
    price: i64,
}

/// The next train to a city.
#[tool(read_only)]
fn next_train(city: String) -> Result<Json<Train>, ToolError> {
    match &*city {
        "Oslo" => Ok(Json(Train { leaves: "07:10", price: 80 })),
        "Rome" => Ok(Json(Train { leaves: "22:45", price: 240 })),
        _ => Err(ToolError::new(format!("no train goes to {city}"))),
    }
}

struct Purse(AtomicI64);

/// How much there is.
#[tool(read_only, open_world = false)]
fn balance(purse: State<Purse>) -> i64 {
    purse.0.0.load(Ordering::Relaxed)
}

/// Pays, and says how much is left.
#[tool(open_world = false)]
fn pay(#[schemars(range(min = 1))] amount: i64, purse: State<Purse>) -> Result<i64, ToolError> {
    let left = |there: i64| there.checked_sub(amount).filter(|left| *left >= 0);
    let before = purse.0.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
    before.map(|before| before - amount).map_err(|there| ToolError::new(format!("there are only {there}")))
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let which = std::env::args().nth(1).context("usage: town weather|trains|purse")?;
    let server = Server::new(which.as_str(), env!("CARGO_PKG_VERSION"));
    let server = match &*which {
        "weather" => server.with(forecast),
        "trains" => server.with(next_train),
        "purse" => server.state(Purse(AtomicI64::new(100))).with(balance).with(pay),
        _ => bail!("usage: town weather|trains|purse"),
    };
    Ok(server.serve_stdio().await?)
}
