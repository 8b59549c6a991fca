//! A tool that fails, and says so to the model.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::transport::stdio;
use rmcp::{ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Parse {
    text: String,
}

struct Failure;

#[tool_router(server_handler)]
impl Failure {
    /// Parses a number.
    #[tool]
    async fn parse(&self, Parameters(Parse { text }): Parameters<Parse>) -> CallToolResult {
        match text.trim().parse::<i64>() {
            Ok(number) => CallToolResult::success(vec![ContentBlock::text(number.to_string())]),
            Err(error) => CallToolResult::error(vec![ContentBlock::text(error.to_string())]),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Failure.serve(stdio()).await?.waiting().await?;
    Ok(())
}
