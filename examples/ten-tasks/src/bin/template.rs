//! A template of resources whose variable is completed.

use hermes::Completing;
use hermes::prelude::*;

const CITIES: [&str; 3] = ["Lima", "London", "Oslo"];

/// The weather of a city.
#[resource("weather://{city}")]
fn weather(city: String) -> String {
    format!("{city}: sunny")
}

async fn cities(typed: Completing, _: Context) -> Vec<&'static str> {
    CITIES.into_iter().filter(|city| city.starts_with(&typed.value)).collect()
}

#[tokio::main]
async fn main() -> Result<(), hermes::ServerError> {
    let server = Server::new("template", "1.0.0").with(weather);
    server.complete_template("weather://{city}", "city", cities).serve_stdio().await
}
