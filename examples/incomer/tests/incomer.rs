//! The application, with a server for it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use hermes::prelude::*;

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// Turns a text into capitals.
#[tool(read_only)]
fn upcase(text: String) -> Result<String, ToolError> {
    if text == "no" { Err(ToolError::new("it does not want to")) } else { Ok(text.to_uppercase()) }
}

/// What the application prints, and what it says, for these lines.
async fn run(url: String, input: &'static str) -> std::io::Result<(String, String)> {
    let run = move || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_incomer"));
        command.arg(url).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that has ended does not read it, which shows in what it says.
            drop(stdin.write_all(input.as_bytes()));
        }
        let output = child.wait_with_output()?;
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok((text(output.stdout), text(output.stderr)))
    };
    tokio::task::spawn_blocking(run).await.map_err(std::io::Error::other)?
}

#[tokio::test(flavor = "multi_thread")]
async fn every_line_comes_back_in_capitals() -> Outcome {
    let server = Server::new("upcase", "1.0.0").with(upcase);
    let bound = StreamableHttp::new(server).bind("127.0.0.1:0").await?;
    let url = bound.url();
    tokio::spawn(bound.serve(std::future::pending()));
    let (printed, said) = run(url, "hello\nno\nbye\n").await?;
    assert_eq!(printed, "HELLO\nBYE\n");
    assert!(said.contains("upcase speaks 2026-07-28") && said.contains("it does not want to"), "{said}");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_it_says_where_it_looked() -> Outcome {
    let free = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let (printed, said) = run(format!("http://{free}/mcp"), "hello\n").await?;
    assert_eq!(printed, "");
    assert!(said.contains(&format!("no server at http://{free}/mcp")), "{said}");
    Ok(())
}
