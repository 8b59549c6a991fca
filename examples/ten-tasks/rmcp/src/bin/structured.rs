//! A tool whose result is structured and has a schema.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::{Json, ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Place {
    city: String,
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct Reading {
    city: String,
    /// In °C.
    temperature: f64,
}

struct Structured;

#[tool_router(server_handler)]
impl Structured {
    /// The last reading of a city.
    #[tool]
    async fn reading(&self, Parameters(Place { city }): Parameters<Place>) -> Json<Reading> {
        Json(Reading { city, temperature: -3.5 })
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Structured.serve(stdio()).await?.waiting().await?;
    Ok(())
}
