//! The list over stdio, or over HTTP when an address is given.

use hermes::http::StreamableHttp;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    match std::env::args().nth(1) {
        None => reading::server().serve_stdio().await?,
        Some(address) => StreamableHttp::new(reading::server()).serve(address).await?,
    }
    Ok(())
}
