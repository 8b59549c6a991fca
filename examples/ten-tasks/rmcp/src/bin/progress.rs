//! A tool that tells how far it is.

use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::ProgressNotificationParam;
use rmcp::service::RequestContext;
use rmcp::transport::stdio;
use rmcp::{ErrorData, RoleServer, ServiceExt, tool, tool_router};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Copy {
    files: Vec<String>,
}

struct Progress;

#[tool_router(server_handler)]
impl Progress {
    /// Copies files.
    #[tool]
    async fn copy(
        &self,
        Parameters(Copy { files }): Parameters<Copy>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        for (file, done) in files.iter().zip(1_u32..) {
            if let Some(token) = ctx.meta.get_progress_token() {
                let progress = ProgressNotificationParam::new(token, done.into())
                    .with_total(files.len() as f64)
                    .with_message(file);
                ctx.peer
                    .notify_progress(progress)
                    .await
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            }
        }
        Ok("done".to_owned())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    Progress.serve(stdio()).await?.waiting().await?;
    Ok(())
}
