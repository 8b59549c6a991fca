//! `conformance-client`: the client that the official conformance suite starts, once for each of its scenarios.
//!
//! It connects to the address that is its last argument, with the public interface and nothing else, and makes use of
//! what it finds there. Which era is spoken, sessions, headers, streams that break, and questions in the midst of a
//! call are the library's affair, so that what the suite sees is the library. `cargo xtask conformance` runs the suite.
//!
//! `MCP_CONFORMANCE_SCENARIO` names the scenario, and `MCP_CONFORMANCE_CONTEXT` is what it comes with, as JSON. Nothing
//! is said unless something goes wrong, and that takes no longer than [`DEADLINE`].

mod visit;

use std::env;
use std::error::Error;
use std::iter;
use std::process::ExitCode;
use std::time::Duration;

use hermes::Client;
use hermes::types::{CreateMessageResult, ElicitResult, RawJson, Root};
use tokio::time::timeout;

/// The suite waits for 30 s and cannot end a client that takes longer.
const DEADLINE: Duration = Duration::from_secs(20);

#[tokio::main]
async fn main() -> ExitCode {
    let failure = match timeout(DEADLINE, run()).await {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) => with_causes(&*error),
        Err(_) => format!("not done after {} s", DEADLINE.as_secs()),
    };
    tell(&failure);
    ExitCode::FAILURE
}

async fn run() -> Result<(), Box<dyn Error>> {
    let url = env::args().next_back().ok_or("the last argument is the server's address")?;
    let scenario =
        env::var("MCP_CONFORMANCE_SCENARIO").map_err(|_| "MCP_CONFORMANCE_SCENARIO names no scenario")?;
    let context = env::var("MCP_CONFORMANCE_CONTEXT").ok();
    let purpose = visit::Purpose::of(&scenario, context.as_deref())?;
    let client = connect(&url).await?;
    let outcome = purpose.pursue(&client).await;
    client.close().await;
    outcome
}

/// Connects, with an answer to everything that a server may ask.
async fn connect(url: &str) -> Result<Client, hermes::ClientError> {
    Client::builder()
        .name("hermes-conformance", env!("CARGO_PKG_VERSION"))
        .roots([Root::new("file:///srv/project")])
        .on_sample(|_| async { Ok(CreateMessageResult::new("a-model", "Blue.")) })
        // Like someone who agrees with whatever is filled in already.
        .on_elicit(|form| async move {
            Ok(ElicitResult::accept(RawJson::encode(&form.requested_schema.defaults())?))
        })
        .connect(url)
        .await
}

fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |&error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

#[expect(clippy::print_stderr, reason = "the suite keeps what its client says there")]
fn tell(failure: &str) {
    eprintln!("{failure}");
}
