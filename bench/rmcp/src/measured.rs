//! The server that is measured, with the same tools as that of Hermes.

use std::sync::{Arc, OnceLock};

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text to send back
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first number
    a: f64,
    /// The second number
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Chatter {
    /// How many notes
    notes: u32,
    /// How long each of them is
    bytes: usize,
}

/// As documented: the macros build the table of tools whenever one is needed.
#[derive(Clone)]
pub(crate) struct Plain;

/// The same with a table that is built once.
#[derive(Clone)]
pub(crate) struct Kept;

static KEPT: OnceLock<ToolRouter<Kept>> = OnceLock::new();

macro_rules! serve {
    ($server:ident $($option:tt)*) => {
        #[tool_router]
        impl $server {
            #[tool(description = "Sends a text back")]
            async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
                text
            }

            #[tool(description = "Adds two numbers")]
            async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
                (a + b).to_string()
            }

            #[tool(description = "Reports progress at length")]
            async fn chatter(&self, Parameters(it): Parameters<Chatter>, ctx: RequestContext<RoleServer>) -> String {
                chatter(it, ctx).await
            }

            #[tool(description = "Counts the runtime's tasks")]
            async fn tasks(&self) -> String {
                tokio::runtime::Handle::current().metrics().num_alive_tasks().to_string()
            }
        }

        #[tool_handler$($option)*]
        impl ServerHandler for $server {
            fn get_info(&self) -> ServerConfig {
                ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            }
        }
    };
}

serve!(Plain);
serve!(Kept(router = Kept::router()));

impl Kept {
    fn router() -> &'static ToolRouter<Self> {
        KEPT.get_or_init(Self::tool_router)
    }

    /// The four tools, and others up to the number wanted.
    pub(crate) fn new(tools: usize) -> serde_json::Result<Self> {
        let mut router = Self::tool_router();
        let schema: JsonObject = serde_json::from_value(json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "The text to send back" } },
            "required": ["text"],
        }))?;
        let schema = Arc::new(schema);
        for number in 4..tools {
            let name = format!("tool_{number:04}");
            let tool = Tool::new(name, "One of many, and never called", Arc::clone(&schema));
            router.add_route(ToolRoute::new_dyn(tool, |_| {
                Box::pin(async { Ok(CallToolResult::success(vec![ContentBlock::text("never")]).into()) })
            }));
        }
        KEPT.get_or_init(|| router);
        Ok(Self)
    }
}

async fn chatter(Chatter { notes, bytes }: Chatter, ctx: RequestContext<RoleServer>) -> String {
    let text = "x".repeat(bytes);
    let Some(token) = ctx.meta.get_progress_token() else { return "no token".to_owned() };
    for note in 1..=notes {
        let note = ProgressNotificationParam::new(token.clone(), f64::from(note)).with_message(text.clone());
        // Whoever is gone hears nothing.
        let _ = ctx.peer.notify_progress(note).await;
    }
    "done".to_owned()
}
