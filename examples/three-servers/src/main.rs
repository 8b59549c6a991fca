//! A client that drives three servers at once: it plans a trip with what a timetable, a weather service and a purse say.
//!
//! Try it: `target/debug/three-servers examples/three-servers/servers.json Oslo`. The servers stand in that file, as in any
//! host's; whichever of them is not there, the plan is made without it.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for people")]

use anyhow::Context as _;
use hermes::prelude::*;
use hermes::servers::{ServerFile, Servers, Surroundings};
use serde_json::{Value, json};

/// What one server says to one call; `None`, and a line on standard error, when it says nothing.
async fn ask(servers: &Servers, server: &str, tool: &str, arguments: Value) -> Option<Value> {
    let said = async {
        // Waits for this server alone, whatever the others do.
        let client = servers.await_ready(server).await?;
        anyhow::Ok(client.call(tool, arguments).await?.read()?)
    };
    said.await.inspect_err(|error| eprintln!("{server}: {error:#}")).ok()
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().context("usage: three-servers FILE CITY")?;
    let city = arguments.next().context("usage: three-servers FILE CITY")?;

    let file = ServerFile::read(file, &Surroundings::process())?;
    let servers = Servers::of(&file, |entry| {
        let name = entry.name().to_owned();
        Client::builder()
            .name("planner", env!("CARGO_PKG_VERSION"))
            .on_stderr(move |line| eprintln!("{name}: {line}"))
    });

    // Three servers, asked at the same time; the fourth question needs the answer of one of them.
    let (weather, train, balance) = tokio::join!(
        ask(&servers, "weather", "forecast", json!({ "city": city })),
        ask(&servers, "trains", "next_train", json!({ "city": city })),
        ask(&servers, "purse", "balance", json!({})),
    );
    println!("weather in {city}: {}", shown(weather.as_ref()));
    println!("next train: {}", shown(train.as_ref().map(|train| &train["leaves"])));
    let price = train.as_ref().and_then(|train| train["price"].as_i64());
    match (price, balance.and_then(|balance| balance.as_i64())) {
        (Some(price), Some(balance)) if price <= balance => {
            let left = ask(&servers, "purse", "pay", json!({ "amount": price })).await;
            println!("paid {price}, left: {}", shown(left.as_ref()));
        }
        (Some(price), Some(balance)) => println!("a ticket is {price}, and there are {balance}"),
        _ => println!("nobody knows whether there is money for a ticket"),
    }
    servers.close().await;
    Ok(())
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => "unknown".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
