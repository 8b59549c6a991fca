//! A server in a few lines: a dice cup.
//!
//! Try it: `hermes call roll dice:=3 -- target/debug/first-server`

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Roll {
    /// How many dice.
    #[schemars(range(min = 1, max = 100))]
    dice: u32,
}

#[derive(Serialize, JsonSchema)]
struct Rolled {
    eyes: Vec<u64>,
    sum: u64,
}

/// What the user is asked for.
#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Throw again?
    again: bool,
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("dice", "1.0.0")
        .tool(ToolDef::new("roll").description("Rolls dice"), |args: Roll, _: Context| async move {
            let eyes: Vec<u64> = (0..args.dice).map(|_| throw()).collect();
            Json(Rolled { sum: eyes.iter().sum(), eyes })
        })
        .tool(ToolDef::new("gamble").description("Rolls until the user has enough"), gamble)
        .serve_stdio()
        .await
}

/// Asks the user between the throws. The same code serves clients of every revision.
async fn gamble((): (), ctx: Context) -> Result<String, ToolError> {
    let mut best = 0;
    for round in 1..=5_u32 {
        // A modern client enters this function again with each answer: `once` keeps a throw a throw.
        let eyes = ctx.once(&format!("throw {round}"), || async { throw() }).await?;
        best = best.max(eyes);
        match ctx.elicit::<Confirm>(format!("You threw {eyes}. Again?")).await? {
            Elicited::Accepted(Confirm { again: true }) => {}
            _ => break,
        }
    }
    Ok(format!("best throw: {best}"))
}

/// One die. The keys of a fresh hash map's hasher are random, which is enough for a game.
fn throw() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(0) % 6 + 1
}
