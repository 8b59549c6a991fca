//! A server over Streamable HTTP, at any free port, that says where it is.

#![expect(clippy::print_stdout, reason = "whoever starts it reads the address")]

use hermes::prelude::*;

/// Greets.
#[tool]
fn greet(name: String) -> String {
    format!("Hello, {name}")
}

#[tokio::main]
async fn main() -> hermes::Result {
    let http = StreamableHttp::new(Server::new("over_http", "1.0.0").with(greet));
    let bound = http.bind("127.0.0.1:0").await?;
    println!("{}", bound.url());
    bound.serve(std::future::pending()).await;
    Ok(())
}
