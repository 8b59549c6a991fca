//! A server with one tool, on standard input and output.

use hermes_server::{Context, Server, ServerError, ToolDef};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    /// What to say
    text: String,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), ServerError> {
    Server::new("echo", "0.1.0")
        .tool(
            ToolDef::new("echo").description("Says it again"),
            |args: Echo, _: Context| async move { args.text },
        )
        .serve_stdio()
        .await
}
