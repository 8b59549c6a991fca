//! The client of the Rust SDK rmcp says to `hermes demo --stdio` what the other clients say too:
//! `hermes-peer-rmcp RECORD.SH FOLDER legacy|modern`.
//!
//! Each step is printed as one JSON line with what the client saw. Nothing is judged here.

mod conversation;
mod handler;
mod heard;
mod step;

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::TokioChildProcess;
use tokio::process::Command;

use crate::conversation::Conversation;
use crate::handler::Host;
use crate::heard::Everything;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let [script, folder, era] =
        env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "three arguments")?;
    let started = Instant::now();
    let modern = era == "modern";
    let mut server = Command::new(script);
    server.arg(folder).arg(env::var("HERMES_BIN")?).args(["demo", "--stdio"]);

    let lifecycle = if modern {
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
    } else {
        ClientLifecycleMode::Initialize
    };
    let heard = Arc::new(Everything::default());
    let host = Host { heard: Arc::clone(&heard) };
    let client = host.serve_with_lifecycle(TokioChildProcess::new(server)?, lifecycle).await?;
    Conversation { client, heard, modern }.hold(started).await;
    Ok(())
}
