//! A tool whose result is structured and has a schema.

use hermes::prelude::*;

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Reading {
    city: String,
    /// In °C.
    temperature: f64,
}

/// The last reading of a city.
#[tool]
fn reading(city: String) -> Json<Reading> {
    Json(Reading { city, temperature: -3.5 })
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("structured", "1.0.0").with(reading).serve_stdio().await
}
