//! A tool that is added while the server runs; clients are told that the list has changed.

use std::sync::{Mutex, PoisonError};

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::model::{ServerCapabilities, ServerConfig};
use rmcp::transport::stdio;
use rmcp::{ErrorData, Peer, RoleServer, ServerHandler, ServiceExt, tool, tool_handler, tool_router};

struct Later {
    router: Mutex<ToolRouter<Self>>,
}

impl Later {
    fn router(&self) -> ToolRouter<Self> {
        self.router.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What there is today only.
    #[tool]
    async fn sale(&self) -> String {
        "half price".to_owned()
    }
}

#[tool_router]
impl Later {
    /// Begins the sale.
    #[tool]
    async fn begin(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        let sale = ToolRoute::new(Self::sale_tool_attr(), Self::sale);
        self.router.lock().unwrap_or_else(PoisonError::into_inner).add_route(sale);
        peer.notify_tool_list_changed()
            .await
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok("the sale has begun".to_owned())
    }
}

#[tool_handler(router = self.router())]
impl ServerHandler for Later {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let later = Later { router: Mutex::new(Later::tool_router()) };
    later.serve(stdio()).await?.waiting().await?;
    Ok(())
}
