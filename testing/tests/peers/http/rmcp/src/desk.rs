//! What the server offers: the same as the servers on other SDKs.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::handler::server::tool::InputResponses;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, ElicitationSchema,
    GetPromptRequestParams, GetPromptResponse, GetPromptResult, InputRequest, InputRequiredResult,
    ListPromptsResult, ListResourcesResult, PaginatedRequestParams, ProgressNotificationParam, Prompt,
    PromptArgument, PromptMessage, ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Resource, ResourceContents, ResourceUpdatedNotificationParam, Role,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, UnsubscribeRequestParams,
};
use rmcp::service::{ElicitationError, RequestContext, SubscriptionContext, SubscriptionSink};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, elicit_safe, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::time::{sleep, timeout};

const COUNTER: &str = "peer://counter";

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: f64,
    b: f64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Steps {
    n: u32,
    interval_ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Ask {
    message: String,
}

/// What `ask` asks for.
#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

elicit_safe!(Name);

#[derive(Default)]
struct Counters {
    started: AtomicU64,
    cancelled: AtomicU64,
    touched: AtomicU64,
}

/// Whoever wants to hear of the counter, by a name of their own.
#[derive(Default)]
struct Watching {
    sessions: HashMap<u64, Peer<RoleServer>>,
    streams: HashMap<u64, SubscriptionSink>,
    /// How many streams there are or are about to be: a client is told so before its stream is handed out.
    promised: usize,
    next: u64,
}

/// A stream of a client that listens, until it is dropped.
struct Stream {
    number: u64,
    watching: Arc<Mutex<Watching>>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut watching = self.watching.lock().unwrap_or_else(PoisonError::into_inner);
        watching.streams.remove(&self.number);
        watching.promised -= 1;
    }
}

/// A server whose clones count together.
#[derive(Clone)]
pub(crate) struct Desk {
    sessions: Arc<LocalSessionManager>,
    counters: Arc<Counters>,
    watching: Arc<Mutex<Watching>>,
}

impl Desk {
    pub(crate) fn new(sessions: Arc<LocalSessionManager>) -> Self {
        Self { sessions, counters: Arc::default(), watching: Arc::default() }
    }

    fn watched<T>(&self, look: impl FnOnce(&mut Watching) -> T) -> T {
        look(&mut self.watching.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn watch(&self, add: impl FnOnce(&mut Watching, u64)) -> u64 {
        self.watched(|watching| {
            watching.next += 1;
            let number = watching.next;
            add(watching, number);
            number
        })
    }
}

#[tool_router]
impl Desk {
    #[tool(description = "Adds two numbers")]
    async fn add(&self, Parameters(Add { a, b }): Parameters<Add>) -> Json<Sum> {
        Json(Sum { sum: a + b })
    }

    #[tool(description = "Reports progress step by step")]
    async fn progress(
        &self,
        Parameters(Steps { n, interval_ms }): Parameters<Steps>,
        ctx: RequestContext<RoleServer>,
    ) -> String {
        for step in 1..=n {
            sleep(Duration::from_millis(interval_ms)).await;
            if let Some(token) = ctx.meta.get_progress_token() {
                let note = ProgressNotificationParam::new(token, f64::from(step)).with_total(f64::from(n));
                // Whoever is gone hears nothing.
                let _ = ctx.peer.notify_progress(note).await;
            }
        }
        "done".to_owned()
    }

    #[tool(description = "Waits, unless it is cancelled before")]
    async fn sleep(
        &self,
        Parameters(Sleep { ms }): Parameters<Sleep>,
        ctx: RequestContext<RoleServer>,
    ) -> String {
        self.counters.started.fetch_add(1, Relaxed);
        tokio::select! {
            () = sleep(Duration::from_millis(ms)) => {}
            () = ctx.ct.cancelled() => {
                self.counters.cancelled.fetch_add(1, Relaxed);
            }
        }
        "done".to_owned()
    }

    #[tool(description = "Tells how often `sleep` was started and cancelled")]
    async fn counters(&self) -> String {
        let Counters { started, cancelled, .. } = &*self.counters;
        json!({ "started": started.load(Relaxed), "cancelled": cancelled.load(Relaxed) }).to_string()
    }

    #[tool(description = "Tells how many sessions there are")]
    async fn sessions(&self) -> String {
        self.sessions.sessions.read().await.len().to_string()
    }

    #[tool(description = "Asks the user for a name, in either era's way")]
    async fn ask(
        &self,
        Parameters(Ask { message }): Parameters<Ask>,
        InputResponses(answers): InputResponses,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = |text: String| Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into());
        if ctx.protocol_version() != Some(ProtocolVersion::V_2026_07_28) {
            return match ctx.peer.elicit::<Name>(message).await {
                Ok(Some(Name { name })) => text(format!("Hello, {name}")),
                Err(ElicitationError::UserDeclined) => text("decline".to_owned()),
                Ok(None) | Err(ElicitationError::UserCancelled) => text("cancel".to_owned()),
                Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
            };
        }
        match answers.unwrap_or_default().remove("name") {
            None => {
                let requested_schema = ElicitationSchema::from_type::<Name>()
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                let question =
                    ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema };
                let question = InputRequest::Elicitation(ElicitRequest::new(question));
                Ok(InputRequiredResult::from_input_requests([("name".to_owned(), question)].into()).into())
            }
            Some(answer) if answer["action"] == "accept" => {
                text(format!("Hello, {}", answer["content"]["name"].as_str().unwrap_or_default()))
            }
            Some(answer) => text(answer["action"].as_str().unwrap_or_default().to_owned()),
        }
    }

    #[tool(description = "Changes the counter")]
    async fn touch(&self) -> String {
        let all_there = async {
            while self.watched(|watching| watching.streams.len() < watching.promised) {
                tokio::task::yield_now().await;
            }
        };
        // A client that goes away meanwhile never gets its stream.
        let _ = timeout(Duration::from_secs(1), all_there).await;
        let touched = self.counters.touched.fetch_add(1, Relaxed) + 1;
        let (sessions, streams): (Vec<_>, Vec<_>) = self.watched(|watching| {
            (watching.sessions.values().cloned().collect(), watching.streams.values().cloned().collect())
        });
        for session in sessions {
            // Whoever is gone hears nothing.
            let _ = session.notify_resource_updated(ResourceUpdatedNotificationParam::new(COUNTER)).await;
        }
        for stream in streams {
            let _ = stream.notify_resource_updated(COUNTER).await;
        }
        touched.to_string()
    }
}

#[tool_handler]
impl ServerHandler for Desk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_prompts()
                .enable_resources()
                .enable_resources_subscribe()
                .build(),
        )
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(COUNTER, "counter")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let touched = self.counters.touched.load(Relaxed).to_string();
        Ok(ReadResourceResult::new(vec![ResourceContents::text(touched, request.uri)]).into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let arguments = vec![PromptArgument::new("name").with_required(true)];
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new(
            "greet",
            Some("Asks for a greeting"),
            Some(arguments),
        )]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let name = arguments.get("name").and_then(|name| name.as_str()).unwrap_or_default();
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, format!("Please greet {name}."))])
            .into())
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        ctx: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watch(|watching, number| {
            watching.sessions.insert(number, ctx.peer);
        });
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.watched(|watching| watching.promised += 1);
        Some(requested.clone())
    }

    async fn listen(&self, ctx: SubscriptionContext) -> Result<(), ErrorData> {
        let number = self.watch(|watching, number| {
            watching.streams.insert(number, ctx.sink().clone());
        });
        let _stream = Stream { number, watching: Arc::clone(&self.watching) };
        ctx.cancelled().await;
        Ok(())
    }
}
