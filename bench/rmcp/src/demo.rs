//! The tools and the resource of `hermes demo` that a torture needs, as the SDK would have them written.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    ProgressNotificationParam, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    ResourceContents, ServerCapabilities, ServerConfig,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::sleep;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Progress {
    n: u32,
    interval_ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Big {
    bytes: usize,
}

#[derive(Debug, Default)]
struct Counters {
    started: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicU64,
    touched: AtomicU64,
}

/// A server whose clones count together, and know each other's clients.
#[derive(Clone, Default)]
pub(crate) struct Demo {
    counters: Arc<Counters>,
    peers: Arc<Mutex<Vec<Peer<RoleServer>>>>,
}

/// A sleep under way, which is cancelled unless it comes to its end.
struct Sleeping<'a> {
    counters: &'a Counters,
    done: bool,
}

impl Drop for Sleeping<'_> {
    fn drop(&mut self) {
        let counter = if self.done { &self.counters.done } else { &self.counters.cancelled };
        counter.fetch_add(1, Relaxed);
    }
}

#[tool_router]
impl Demo {
    #[tool(description = "Sends a text back")]
    async fn echo(&self, Parameters(Echo { text }): Parameters<Echo>) -> String {
        text
    }

    #[tool(description = "Waits, then says that it is done")]
    async fn sleep(
        &self,
        Parameters(Sleep { ms }): Parameters<Sleep>,
        ctx: RequestContext<RoleServer>,
    ) -> String {
        self.counters.started.fetch_add(1, Relaxed);
        let mut sleeping = Sleeping { counters: &self.counters, done: false };
        // A handler is told to end, and has to see to it.
        tokio::select! {
            () = sleep(Duration::from_millis(ms)) => sleeping.done = true,
            () = ctx.ct.cancelled() => return "cancelled".to_owned(),
        }
        "done".to_owned()
    }

    #[tool(description = "Tells how many sleeps were started, done and cancelled")]
    async fn counters(&self) -> String {
        let value = |counter: &AtomicU64| counter.load(Relaxed);
        let Counters { started, done, cancelled, .. } = &*self.counters;
        json!({ "started": value(started), "done": value(done), "cancelled": value(cancelled) }).to_string()
    }

    #[tool(description = "Reports progress step by step, then says that it is done")]
    async fn progress(
        &self,
        Parameters(Progress { n, interval_ms }): Parameters<Progress>,
        ctx: RequestContext<RoleServer>,
    ) -> String {
        let token = ctx.meta.get_progress_token();
        for step in 1..=n {
            sleep(Duration::from_millis(interval_ms)).await;
            if let Some(token) = &token {
                let note =
                    ProgressNotificationParam::new(token.clone(), f64::from(step)).with_total(f64::from(n));
                // Whoever is gone hears nothing.
                let _ = ctx.peer.notify_progress(note).await;
            }
        }
        "done".to_owned()
    }

    #[tool(description = "Sends a long text")]
    async fn big(&self, Parameters(Big { bytes }): Parameters<Big>) -> String {
        "x".repeat(bytes)
    }

    #[tool(description = "Increments the resource demo://counter")]
    async fn touch(&self) -> String {
        (self.counters.touched.fetch_add(1, Relaxed) + 1).to_string()
    }

    #[tool(description = "Tells that the list of tools has changed")]
    async fn toggle(&self) -> String {
        let mut peers = self.peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.retain(|peer| !peer.is_transport_closed());
        for peer in peers.iter().cloned() {
            // One that does not take it must not keep it from the others.
            tokio::spawn(async move { peer.notify_tool_list_changed().await });
        }
        "told".to_owned()
    }
}

#[tool_handler]
impl ServerHandler for Demo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools()
                .enable_tool_list_changed()
                .enable_resources()
                .build(),
        )
    }

    async fn on_initialized(&self, ctx: NotificationContext<RoleServer>) {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner).push(ctx.peer);
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let touched = self.counters.touched.load(Relaxed).to_string();
        Ok(ReadResourceResult::new(vec![ResourceContents::text(touched, request.uri)]).into())
    }
}
