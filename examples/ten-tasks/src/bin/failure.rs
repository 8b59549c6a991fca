//! A tool that fails, and says so to the model.

use hermes::prelude::*;

/// Parses a number.
#[tool]
fn parse(text: String) -> Result<i64, ToolError> {
    Ok(text.trim().parse()?)
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("failure", "1.0.0").with(parse).serve_stdio().await
}
