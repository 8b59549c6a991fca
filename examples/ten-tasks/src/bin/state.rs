//! A value that all calls share.

use std::sync::atomic::{AtomicU64, Ordering};

use hermes::prelude::*;

/// Counts.
#[tool]
fn count(counter: State<AtomicU64>) -> u64 {
    counter.fetch_add(1, Ordering::Relaxed) + 1
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("state", "1.0.0").state(AtomicU64::new(0)).with(count).serve_stdio().await
}
