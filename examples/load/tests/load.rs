//! Load, on a server that is well and on one that is not.

use std::process::{Command, Output};

use hermes::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Says what it was told, unless that is nothing.
#[tool(read_only)]
fn echo(text: String) -> Result<String, ToolError> {
    if text.is_empty() { Err(ToolError::new("there is nothing to say")) } else { Ok(text) }
}

/// The script against a server in this process, in a second.
async fn run(arguments: &'static str) -> Result<(Output, String), Box<dyn std::error::Error>> {
    let bound = StreamableHttp::new(Server::new("echo", "1.0.0").with(echo)).bind("127.0.0.1:0").await?;
    let url = bound.url();
    tokio::spawn(bound.serve(std::future::pending()));
    let mut command = Command::new(env!("CARGO_BIN_EXE_load"));
    command.args([url.as_str(), "echo", arguments]).env("LOAD_SECONDS", "1").env("LOAD_USERS", "10");
    let output = tokio::task::spawn_blocking(move || command.output()).await??;
    let printed = String::from_utf8(output.stdout.clone())?;
    Ok((output, printed))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_keeps_all_thresholds() -> Outcome {
    let (output, printed) = run(r#"{"text":"hello"}"#).await?;
    assert!(output.status.success(), "{printed}");
    assert!(printed.contains("10 users") && printed.contains("p95"), "{printed}");
    let connected = printed.lines().find(|line| line.starts_with("connect")).ok_or("nobody connected")?;
    assert_eq!(connected.split_whitespace().take(3).collect::<Vec<_>>(), ["connect", "10", "0"]);
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_fails_fails_the_run() -> Outcome {
    let (output, printed) = run(r#"{"text":""}"#).await?;
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(printed.contains("BROKEN: ") && printed.contains("there is nothing to say"), "{printed}");
    Ok(())
}
