//! A server written as an `impl` block: the weather of three cities.
//!
//! Try it: `hermes call temperature city=Oslo -- target/debug/weather`

use anyhow::Context as _;
use hermes::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;

/// Each station with its last reading, in °C.
const STATIONS: [(&str, f64); 3] = [("Lima", 18.5), ("Oslo", -3.5), ("Rome", 21.0)];

#[derive(Serialize, JsonSchema)]
struct Reading {
    city: String,
    /// In °C.
    temperature: f64,
}

struct Weather {
    stations: Vec<(&'static str, f64)>,
}

/// The weather of a few cities.
#[hermes::server]
impl Weather {
    /// Current temperature in °C.
    #[tool(read_only, open_world = false)]
    async fn temperature(
        &self,
        /** City name */
        city: String,
    ) -> Result<f64, anyhow::Error> {
        self.read(&city)
    }

    /// The warmest of the cities, after a look at each.
    #[tool(read_only, open_world = false)]
    fn warmest(&self, cities: Vec<String>, ctx: Context) -> Result<Json<Reading>, anyhow::Error> {
        let mut warmest: Option<Reading> = None;
        for (done, city) in (1..).zip(cities) {
            let temperature = self.read(&city)?;
            ctx.progress(f64::from(done), None, Some(&city));
            if warmest.as_ref().is_none_or(|warmest| temperature > warmest.temperature) {
                warmest = Some(Reading { city, temperature });
            }
        }
        warmest.map(Json).context("name at least one city")
    }

    /// The last reading of a city.
    #[resource("weather://{city}/current", mime = "application/json")]
    async fn current(&self, city: String) -> Result<Json<Reading>, anyhow::Error> {
        let temperature = self.read(&city)?;
        Ok(Json(Reading { city, temperature }))
    }

    /// Asks what to take along.
    #[prompt]
    async fn packing_list(
        &self,
        /** Where to */
        city: String,
        days: u8,
    ) -> String {
        format!("I go to {city} for {days} days. Look up the temperature there, then tell me what to pack.")
    }

    fn read(&self, city: &str) -> anyhow::Result<f64> {
        let station = self.stations.iter().find(|(name, _)| *name == city);
        station.map(|(_, degrees)| *degrees).with_context(|| format!("no station in {city}"))
    }
}

#[tokio::main]
async fn main() -> hermes::Result {
    Weather { stations: STATIONS.into() }.serve().await
}
