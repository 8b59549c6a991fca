//! One step: run, timed and printed.

use std::error::Error;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};
use tokio::time::timeout;

pub type Seen = Result<Value, Box<dyn Error>>;

const STEP: Duration = Duration::from_secs(15);

/// Runs one step and prints what it saw, or why it failed; the conversation goes on.
pub async fn step(name: &str, run: impl Future<Output = Seen>) {
    step_since(Instant::now(), name, run).await;
}

/// The same for a step that has begun already.
pub async fn step_since(started: Instant, name: &str, run: impl Future<Output = Seen>) {
    let outcome =
        timeout(STEP, run).await.unwrap_or_else(|_| Err(format!("nothing more within {STEP:?}").into()));
    let ms = started.elapsed().as_millis();
    let fact = match outcome {
        Ok(seen) => json!({ "step": name, "ms": ms, "seen": seen }),
        Err(error) => json!({ "step": name, "ms": ms, "error": error.to_string() }),
    };
    println!("{fact}");
}

/// A message of the SDK as the JSON that it stands for.
pub fn plain(message: &impl Serialize) -> Value {
    serde_json::to_value(message).unwrap_or_default()
}
