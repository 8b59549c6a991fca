//! A tool that is added while the server runs; clients are told that the list has changed.

use hermes::prelude::*;

/// What there is today only.
#[tool]
fn sale() -> &'static str {
    "half price"
}

/// Begins the sale.
#[tool]
fn begin(server: ServerHandle) -> &'static str {
    server.add(sale);
    "the sale has begun"
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("later", "1.0.0").with(begin).serve_stdio().await
}
