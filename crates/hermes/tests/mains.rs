//! What a `main` may look like, and what its user reads when it fails.

use std::error::Error as _;
use std::path::PathBuf;

use hermes::prelude::*;
use hermes::socket::Socket;
use tokio::net::TcpListener;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tool]
fn ping() -> &'static str {
    "pong"
}

fn server() -> Server {
    Server::new("ping", "1.0.0").with(ping)
}

async fn over_http(address: &str) -> hermes::Result {
    StreamableHttp::new(server()).serve(address).await?;
    Ok(())
}

async fn over_a_socket(path: PathBuf) -> hermes::Result {
    Socket::unix(path).await?.serve(&server(), std::future::pending()).await;
    Ok(())
}

async fn over_a_pipe() -> hermes::Result {
    server().serve(tokio::io::empty(), tokio::io::sink()).await
}

/// Who does more before it serves takes an error that holds anything.
async fn with_anyhow(port: &str) -> anyhow::Result<()> {
    let port: u16 = port.parse()?;
    StreamableHttp::new(server()).serve(("127.0.0.1", port)).await?;
    Ok(())
}

#[tokio::test]
async fn whatever_a_server_is_served_over_it_fails_with_one_error_that_says_where_and_why() -> Outcome {
    over_a_pipe().await?;
    let taken = TcpListener::bind("127.0.0.1:0").await?.into_std()?;
    let address = taken.local_addr()?.to_string();
    let error = over_http(&address).await.expect_err("the port is taken");
    assert_eq!(error.to_string(), format!("cannot listen on {address}"));
    assert!(error.source().is_some_and(|why| why.to_string().contains("in use")), "{error:?}");

    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("mains.txt");
    std::fs::write(&file, "no socket")?;
    let error = over_a_socket(file).await.expect_err("the path is taken");
    assert!(error.to_string().ends_with("there is a file, and it is no socket"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_main_with_an_error_that_holds_anything_takes_every_other() {
    let error = with_anyhow("many").await.expect_err("no number");
    assert_eq!(format!("{error:#}"), "invalid digit found in string");
    let taken = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let error = with_anyhow(&port.to_string()).await.expect_err("the port is taken");
    assert!(
        format!("{error:#}").starts_with(&format!("cannot listen on (127.0.0.1, {port}): ")),
        "{error:#}"
    );
}
