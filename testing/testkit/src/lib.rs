//! Tools for testing servers and clients of the Model Context Protocol: a bare peer, conversations, a judge of messages.
//!
//! A server under test is a program. [`Peer`] runs it and speaks to it in raw lines, valid or not;
//! [`Conversation`] is a script of such lines, readable as the dialogue it is. Both are deliberately no client: they
//! help nobody to say the right thing. What the server sends is held against the official schema of its revision by a
//! [`Recorder`], without being asked to; a [`Tape`] does the same for conversations in memory, and for clients.
//!
//! ```no_run
//! use hermes_testkit::{Conversation, Peer};
//!
//! let script = Conversation::parse(
//!     r#"
//!     > {"jsonrpc":"2.0","id":1,"method":"ping"}
//!     < {"jsonrpc":"2.0","id":1,"result":{}}
//!     ! end
//!     "#,
//! )?;
//! let mut peer = Peer::spawn("my-server", &["--stdio"])?;
//! script.play(&mut peer)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closed;
#[cfg(feature = "store")]
pub mod contract;
mod conversation;
pub mod daemon;
pub mod dice;
mod fake;
#[cfg(feature = "client")]
mod outcome;
mod pattern;
mod peer;
pub mod raw;
mod recorder;
pub mod relay;
mod schemas;
#[cfg(feature = "client")]
pub mod surface;
mod tally;
mod tape;
pub mod torture;

pub use conversation::{Conversation, Failure, ScriptError};
pub use fake::FakeServer;
#[cfg(feature = "client")]
pub use outcome::{contents, failure, messages, refusal, structured, text};
pub use pattern::mismatch;
pub use peer::{Heard, Partner, Peer};
pub use recorder::{Recorder, Side, Verdict};
#[cfg(feature = "client")]
#[doc(inline)]
pub use surface::{Surface, surface};
pub use tape::{Ear, Tape, Tapped};
