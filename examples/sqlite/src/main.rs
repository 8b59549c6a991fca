//! A shop's orders in a SQLite database. Models may ask for them, in the ways that are foreseen, and change nothing.
//!
//! Try it: `target/debug/sqlite shop.db --fill`, then
//! `hermes call orders status=open -- target/debug/sqlite shop.db`

mod database;

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use hermes::prelude::*;

use database::{Column, Database, Filter, Group, Order, Status};

/// Finds orders, the newest first.
#[tool(read_only, open_world = false)]
async fn orders(
    status: Option<Status>,
    /** A part of the customer's name */
    customer: Option<String>,
    /** Only orders of at least so many cents */
    at_least: Option<i64>,
    #[schemars(range(min = 1, max = 100))]
    #[serde(default = "twenty")]
    limit: u32,
    database: State<Database>,
) -> Result<Json<Vec<Order>>, ToolError> {
    let filter = Filter { status, customer, at_least, limit };
    Ok(Json(database.run(move |connection| database::orders(connection, &filter)).await?))
}

const fn twenty() -> u32 {
    20
}

/// Counts orders, and adds up what they cost.
#[tool(read_only, open_world = false)]
async fn totals(
    /** By what they are put together */
    by: Column,
    database: State<Database>,
) -> Result<Json<Vec<Group>>, ToolError> {
    Ok(Json(database.run(move |connection| database::totals(connection, by)).await?))
}

/// One order.
#[resource("orders://{number}", mime = "application/json")]
async fn order(number: i64, database: State<Database>) -> Result<Json<Order>, ToolError> {
    let found = database.run(move |connection| database::order(connection, number)).await?;
    let missing = || ToolError::refuse(Fault::resource_not_found(&format!("orders://{number}")));
    found.map(Json).ok_or_else(missing)
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (path, fill) = match arguments.as_slice() {
        [path] => (PathBuf::from(path), false),
        [path, flag] if flag == "--fill" => (PathBuf::from(path), true),
        _ => bail!("usage: sqlite FILE [--fill]"),
    };
    if fill {
        return database::fill(&path).with_context(|| format!("{} cannot be filled", path.display()));
    }
    let database = Database::open(&path).with_context(|| format!("{} cannot be opened", path.display()))?;
    let server = Server::new("orders", env!("CARGO_PKG_VERSION"))
        .instructions("The orders of a shop. Amounts are in cents.")
        .state(database)
        .with(orders)
        .with(totals)
        .with(order);
    Ok(server.serve_stdio().await?)
}
