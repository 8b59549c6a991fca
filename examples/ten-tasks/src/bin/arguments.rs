//! A tool with typed and described arguments.

use hermes::prelude::*;

/// Repeats a text.
#[tool]
fn repeat(
    /** What to say */
    text: String,
    /** How often */
    times: usize,
) -> String {
    text.repeat(times)
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("arguments", "1.0.0").with(repeat).serve_stdio().await
}
