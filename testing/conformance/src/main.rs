//! `conformance-server`: the server that the official conformance suite is run against.
//!
//! It offers exactly what the scenarios of all revisions ask for, with the public interface and nothing else, so that
//! what the suite sees is the library. `cargo xtask conformance` runs the suite.

mod content;
mod fixture;
mod forms;
mod rounds;
mod schema;

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    fixture::server()?.serve_stdio().await?;
    Ok(())
}
