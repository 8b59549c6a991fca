//! A server put together from components that stand alone: a shop in which every session has a cart of its own.
//!
//! Try it: `hermes call search word=hat -- target/debug/shop`
#![expect(clippy::print_stderr, reason = "standard error is where a server over stdio says what it does")]

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use hermes::prelude::*;
use hermes::{Answer, Invocation, Next};
use schemars::JsonSchema;
use serde::Serialize;

/// What there is, with its price in cents. All sessions share it.
struct Stock(Vec<(&'static str, u32)>);

/// What one session wants to buy.
#[derive(Default)]
struct Cart(Mutex<Vec<String>>);

#[derive(Serialize, JsonSchema)]
struct Bill {
    items: Vec<String>,
    /// In cents.
    total: u32,
}

/// Finds goods by a part of their name.
#[tool(read_only, open_world = false)]
fn search(word: String, stock: State<Stock>) -> String {
    let found = stock.0.0.iter().filter(|(name, _)| name.contains(&word));
    found.map(|(name, cents)| format!("{name}: {cents}")).collect::<Vec<_>>().join("\n")
}

/// Puts something into the cart.
#[tool]
fn put(
    /** Its whole name */
    what: String,
    stock: State<Stock>,
    SessionData(cart): SessionData<Cart>,
    session: Option<SessionHandle>,
    log: Log,
) -> Result<String, ToolError> {
    let (_, cents) = stock.0.0.iter().find(|(name, _)| *name == what).ok_or("there is no such thing")?;
    log.info(&format!("{what} costs {cents}"));
    let mut items = cart.0.lock().unwrap_or_else(PoisonError::into_inner);
    items.push(what);
    // Only who has something can pay.
    if let Some(session) = session {
        session.enable(Part::Tool("checkout"));
    }
    Ok(items.join(", "))
}

/// The till, with the fee that the shop was set up with.
struct Checkout {
    fee: u32,
}

#[tool(destructive = false)]
impl Checkout {
    /// Pays for what is in the cart.
    fn pay(
        &self,
        stock: State<Stock>,
        SessionData(cart): SessionData<Cart>,
        session: SessionHandle,
    ) -> Json<Bill> {
        let items = std::mem::take(&mut *cart.0.lock().unwrap_or_else(PoisonError::into_inner));
        let price =
            |item: &String| stock.0.0.iter().find(|(name, _)| name == item).map_or(0, |(_, cents)| *cents);
        let total = items.iter().map(price).sum::<u32>() + self.fee;
        session.disable(Part::Tool("checkout"));
        Json(Bill { items, total })
    }
}

/// Tells standard error how long each request took.
async fn timed(invocation: Invocation, next: Next) -> Result<Answer, ToolError> {
    let what = format!("{} {}", invocation.method().as_str(), invocation.name().unwrap_or_default());
    let started = Instant::now();
    let outcome = next.run(invocation).await;
    eprintln!("{what}: {:?}", started.elapsed());
    outcome
}

fn shop() -> Server {
    let server = Server::new("shop", env!("CARGO_PKG_VERSION"))
        .state(Stock(vec![("felt hat", 3_500), ("straw hat", 2_000), ("shoes", 9_000)]))
        .with(search)
        .with(put)
        .with(Checkout { fee: 100 })
        .around(timed)
        .on_session_close(|session| {
            let left = session
                .data::<Cart>()
                .map_or(0, |cart| cart.0.lock().unwrap_or_else(PoisonError::into_inner).len());
            eprintln!("session {} left {left} things behind", session.number());
        });
    server.handle().disable(Part::Tool("checkout"));
    server
}

#[tokio::main]
async fn main() -> hermes::Result {
    shop().serve_stdio().await
}
