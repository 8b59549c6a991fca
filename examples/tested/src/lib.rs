//! Seats in a theatre: a server in a library, so that its tests need no program.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Deserialize;

/// The seats that are taken.
#[derive(Default)]
struct Taken(Mutex<BTreeSet<u32>>);

impl Taken {
    fn seats(&self) -> MutexGuard<'_, BTreeSet<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the user is asked for.
#[derive(Deserialize, JsonSchema)]
struct Confirm {
    /// Is the price all right?
    agreed: bool,
}

/// What a seat costs: the front rows more.
#[tool(read_only, open_world = false)]
fn price(#[schemars(range(min = 1, max = 200))] seat: u32) -> u32 {
    if seat <= 50 { 80 } else { 40 }
}

/// Takes a seat, if the user agrees to what it costs.
#[tool(destructive = false, open_world = false)]
async fn book(
    #[schemars(range(min = 1, max = 200))] seat: u32,
    taken: State<Taken>,
    ctx: Context,
) -> Result<String, ToolError> {
    if taken.seats().contains(&seat) {
        return Err(ToolError::new(format!("seat {seat} is taken")));
    }
    let question = format!("Seat {seat} costs {}.", price().call(seat));
    match ctx.elicit::<Confirm>(question).await? {
        // Somebody else may have been faster while the user was thinking.
        Elicited::Accepted(Confirm { agreed: true }) if taken.seats().insert(seat) => {
            Ok(format!("seat {seat} is yours"))
        }
        Elicited::Accepted(Confirm { agreed: true }) => Err(ToolError::new(format!("seat {seat} is taken"))),
        _ => Ok("nothing was booked".to_owned()),
    }
}

/// The seats that are taken, as a list of numbers.
#[resource("seats://taken", mime = "application/json")]
fn taken(taken: State<Taken>) -> Json<Vec<u32>> {
    Json(taken.seats().iter().copied().collect())
}

/// The server, with no seat taken.
pub fn theatre() -> Server {
    Server::new("theatre", env!("CARGO_PKG_VERSION"))
        .state(Taken::default())
        .with(price)
        .with(book)
        .with(taken)
}
