//! The server that is measured, with the same tools as that of Hermes.

use std::sync::{Arc, OnceLock};

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam, ServerCapabilities, ServerConfig,
    SubscriptionFilter, Tool,
};
use rmcp::service::{RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Sender, channel};

/// What can be listened to.
const COUNTER: &str = "bench://counter";

/// How many tools there are without others.
const OWN: usize = 7;

/// How many updates wait for a slow listener.
const WAITING: usize = 1024;

#[derive(Deserialize, JsonSchema)]
struct Text {
    /// The text
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

#[derive(Deserialize, JsonSchema)]
struct Fill {
    /// How long the text is
    bytes: usize,
}

/// As documented: the macros build the table of tools whenever one is needed.
#[derive(Clone)]
pub(crate) struct Plain;

/// The same with a table that is built once.
#[derive(Clone)]
pub(crate) struct Kept;

static KEPT: OnceLock<ToolRouter<Kept>> = OnceLock::new();

/// Where updates of the counter are told.
static UPDATED: OnceLock<Sender<()>> = OnceLock::new();

macro_rules! serve {
    ($server:ident $($option:tt)*) => {
        #[tool_router]
        impl $server {
            #[tool(description = "Sends a text back")]
            async fn echo(&self, Parameters(Text { text }): Parameters<Text>) -> String {
                text
            }

            #[tool(description = "Adds two numbers")]
            async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> String {
                (a + b).to_string()
            }

            #[tool(description = "Tells how long a text is")]
            async fn measure(&self, Parameters(Text { text }): Parameters<Text>) -> String {
                text.len().to_string()
            }

            #[tool(description = "Sends a text of a length")]
            async fn fill(&self, Parameters(Fill { bytes }): Parameters<Fill>) -> String {
                "x".repeat(bytes)
            }

            #[tool(description = "Tells that the counter was updated")]
            async fn touch(&self) -> String {
                // Nobody may listen.
                let _ = updated().send(());
                "done".to_owned()
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
                let capabilities = ServerCapabilities::builder().enable_tools().enable_resources();
                ServerConfig::new(capabilities.enable_resources_subscribe().build())
            }

            fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
                Some(requested.supported_by(&self.get_info().capabilities))
            }

            async fn listen(&self, ctx: SubscriptionContext) -> Result<(), ErrorData> {
                listen(ctx).await
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

    /// The tools, and others up to the number wanted.
    pub(crate) fn new(tools: usize) -> serde_json::Result<Self> {
        let mut router = Self::tool_router();
        let schema: JsonObject = serde_json::from_value(json!({
            "type": "object",
            "properties": { "text": { "type": "string", "description": "The text to send back" } },
            "required": ["text"],
        }))?;
        let schema = Arc::new(schema);
        for number in OWN..tools {
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

fn updated() -> &'static Sender<()> {
    UPDATED.get_or_init(|| channel(WAITING).0)
}

/// Tells a listener of each update until it goes away.
async fn listen(ctx: SubscriptionContext) -> Result<(), ErrorData> {
    let mut updates = updated().subscribe();
    loop {
        tokio::select! {
            () = ctx.cancelled() => return Ok(()),
            update = updates.recv() => {
                if update == Err(RecvError::Closed) {
                    return Ok(());
                }
                let told = ctx.sink().notify_resource_updated(COUNTER).await;
                told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
    }
}
