//! The demo's tools that ask the client something.

use hermes::{Context, Elicited, Server, ToolDef, ToolError};
use schemars::JsonSchema;
use serde::Deserialize;

use super::tools::Nothing;
use hermes::types::{CreateMessageRequestParams, SamplingMessage, SamplingMessageContentBlock, TextContent};

/// The most that a model may say, in tokens.
const MAX_TOKENS: u64 = 256;

#[derive(Deserialize, JsonSchema)]
struct Ask {
    /// What to ask the user
    message: String,
}

/// The form that `ask` shows.
#[derive(Deserialize, JsonSchema)]
struct Name {
    /// Your name
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sample {
    /// What to ask the model
    prompt: String,
}

/// Adds the tools to the server.
pub(super) fn register(server: Server) -> Server {
    server
        .tool(
            ToolDef::new("ask").title("Ask").description("Asks the user for a name, by a form").read_only(),
            ask,
        )
        .tool(
            ToolDef::new("sample")
                .title("Sample")
                .description("Asks the client's model, and gives its reply")
                .read_only(),
            sample,
        )
        .tool(
            ToolDef::new("roots").title("Roots").description("Asks for the client's folders").read_only(),
            roots,
        )
}

async fn ask(Ask { message }: Ask, ctx: Context) -> Result<String, ToolError> {
    Ok(match ctx.elicit::<Name>(message).await? {
        Elicited::Accepted(Name { name }) => format!("Hello, {name}"),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    })
}

async fn sample(Sample { prompt }: Sample, ctx: Context) -> Result<String, ToolError> {
    let question = SamplingMessage::user(TextContent::new(prompt));
    let reply = ctx.sample(CreateMessageRequestParams::new(vec![question], MAX_TOKENS)).await?;
    let texts = reply.content.blocks().iter().filter_map(|block| match block {
        SamplingMessageContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

async fn roots(_: Nothing, ctx: Context) -> Result<String, ToolError> {
    let roots = ctx.roots().await?;
    if roots.is_empty() {
        return Ok("no roots".to_owned());
    }
    Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join("\n"))
}
