//! A template of resources whose variable is completed.

use hermes::prelude::*;

const CITIES: [&str; 3] = ["Lima", "London", "Oslo"];

/// The weather of a city.
#[resource("weather://{city}")]
fn weather(#[complete(CITIES)] city: String) -> String {
    format!("{city}: sunny")
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("template", "1.0.0").with(weather).serve_stdio().await
}
