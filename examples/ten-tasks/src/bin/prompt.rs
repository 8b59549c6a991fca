//! A prompt with described arguments.

use hermes::prelude::*;

/// Asks for a review.
#[prompt]
fn review(
    /** The code */
    code: String,
    /** What it is written in */
    language: Option<String>,
) -> String {
    format!("Review this {}: {code}", language.as_deref().unwrap_or("code"))
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("prompt", "1.0.0").with(review).serve_stdio().await
}
