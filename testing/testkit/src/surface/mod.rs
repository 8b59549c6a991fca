//! What a server offers, as text that can be kept and compared.
//!
//! [`surface`] asks a server for everything that a client, and the model behind it, gets to see: its name and
//! instructions, its capabilities, its tools with their schemas, its prompts, resources and templates. Kept in a file,
//! it shows in a review what a change does to those who use the server.
//!
//! ```no_run
//! # async fn example(client: hermes_client::Client) -> Result<(), Box<dyn std::error::Error>> {
//! hermes_testkit::surface(&client).await?.assert_file("tests/surface.json");
//! # Ok(())
//! # }
//! ```
//!
//! `HERMES_SURFACE=write cargo test` writes the file anew.

mod difference;
mod file;
mod read;

pub use difference::Difference;
pub use read::{Surface, SurfaceError, surface};
