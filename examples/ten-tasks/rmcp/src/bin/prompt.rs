//! A prompt with described arguments.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{PromptMessage, Role};
use rmcp::transport::stdio;
use rmcp::{ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Review {
    /// The code
    code: String,
    /// What it is written in
    language: Option<String>,
}

struct Prompt;

#[prompt_router]
impl Prompt {
    /// Asks for a review.
    #[prompt]
    async fn review(&self, Parameters(Review { code, language }): Parameters<Review>) -> Vec<PromptMessage> {
        let text = format!("Review this {}: {code}", language.as_deref().unwrap_or("code"));
        vec![PromptMessage::new_text(Role::User, text)]
    }
}

#[prompt_handler]
impl ServerHandler for Prompt {}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Prompt.serve(stdio()).await?.waiting().await?;
    Ok(())
}
