//! A bare HTTP/1.1 client: every byte is the test's own, and nothing is put right on the way.
//!
//! [`Connection`] is a TCP connection that can be written to in pieces, reset, half-closed, or left unread.
//! [`Answer`] reads what comes back, event by event if it is a stream of events. [`Session`] knows the headers
//! of each revision and how to begin, so that a test says only what it is about.
//!
//! ```no_run
//! use hermes_testkit::raw::{Session, Target};
//! use hermes_types::Revision;
//! use serde_json::json;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::parse("http://127.0.0.1:8000/mcp")?;
//! let session = Session::open(&target, Revision::V2025_11_25).await?;
//! let mut answer = session.post(&session.call(1, "echo", json!({ "text": "hi" }))).await?;
//! assert_eq!(answer.outcome().await?.response["id"], 1);
//! # Ok(())
//! # }
//! ```

mod answer;
mod connection;
mod error;
mod head;
mod judge;
mod session;
mod target;

pub use answer::{Answer, Event, Frame, Outcome};
pub use connection::{Connection, PATIENCE};
pub use error::RawError;
pub use head::Head;
pub use session::{Change, Session};
pub use target::{NoTarget, Target};
