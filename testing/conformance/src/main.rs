//! `conformance-server`: the server that the official conformance suite is run against.
//!
//! It offers exactly what the scenarios of all revisions ask for, with the public interface and nothing else, so that
//! what the suite sees is the library. `cargo xtask conformance` runs the suite.
//!
//! It listens on `127.0.0.1:$PORT`, or on any free port without `PORT`, and its first line says where. It answers with
//! streams, with `--json` only where it cannot answer at once. With `--stdio` it speaks to standard input and output.
//! Where `CONFORMANCE_JUDGED` names a file, what it says is held against the official schemas and told there.

mod content;
mod fixture;
mod forms;
mod judge;
mod rounds;
mod schema;

use std::env;
use std::error::Error;
use std::fs::File;
use std::net::Ipv4Addr;

use hermes::http::StreamableHttp;
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = fixture::server()?;
    let http = match env::args().nth(1).as_deref() {
        // The suite looks at streams more closely than at JSON.
        None => StreamableHttp::new(server).always_stream(),
        Some("--json") => StreamableHttp::new(server),
        Some("--stdio") => return Ok(server.serve_stdio().await?),
        Some(other) => return Err(format!("{other}: the options are --json and --stdio").into()),
    };
    let port = env::var("PORT").map_or(Ok(0), |port| port.parse::<u16>())?;
    let address = (Ipv4Addr::LOCALHOST, port);
    if let Some(file) = env::var_os("CONFORMANCE_JUDGED") {
        let router = judge::router(http, File::create(file)?);
        let listener = TcpListener::bind(address).await?;
        say(&format!("http://{}/mcp", listener.local_addr()?));
        axum::serve(listener, router).await?;
        return Ok(());
    }
    let bound = http.bind(address).await?;
    say(&bound.url());
    bound.serve(std::future::pending()).await;
    Ok(())
}

#[expect(clippy::print_stdout, reason = "whoever started this needs to know where it listens")]
fn say(line: &str) {
    println!("{line}");
}
