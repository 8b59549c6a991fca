//! A tool that asks the user something before it goes on.

use rmcp::service::ElicitationError;
use rmcp::transport::stdio;
use rmcp::{ErrorData, Peer, RoleServer, ServiceExt, elicit_safe, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Guest {
    name: String,
    seats: u32,
}

elicit_safe!(Guest);

struct Question;

#[tool_router(server_handler)]
impl Question {
    /// Books a table.
    #[tool]
    async fn book(&self, peer: Peer<RoleServer>) -> Result<String, ErrorData> {
        match peer.elicit::<Guest>("Who is coming?").await {
            Ok(Some(Guest { name, seats })) => Ok(format!("{seats} seats for {name}")),
            Ok(None) | Err(ElicitationError::UserDeclined | ElicitationError::UserCancelled) => {
                Ok("no table".to_owned())
            }
            Err(error) => Err(ErrorData::internal_error(error.to_string(), None)),
        }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Question.serve(stdio()).await?.waiting().await?;
    Ok(())
}
