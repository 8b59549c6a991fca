//! A tool with typed and described arguments.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::transport::stdio;
use rmcp::{ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Repeat {
    /// What to say
    text: String,
    /// How often
    times: usize,
}

struct Arguments;

#[tool_router(server_handler)]
impl Arguments {
    /// Repeats a text.
    #[tool]
    async fn repeat(&self, Parameters(Repeat { text, times }): Parameters<Repeat>) -> String {
        text.repeat(times)
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Arguments.serve(stdio()).await?.waiting().await?;
    Ok(())
}
