//! A value that all calls share.

use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::transport::stdio;
use rmcp::{ServiceExt, tool, tool_router};

struct State {
    counter: AtomicU64,
}

#[tool_router(server_handler)]
impl State {
    /// Counts.
    #[tool]
    async fn count(&self) -> String {
        (self.counter.fetch_add(1, Ordering::Relaxed) + 1).to_string()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    State { counter: AtomicU64::new(0) }.serve(stdio()).await?.waiting().await?;
    Ok(())
}
