//! Tools for testing servers of the Model Context Protocol: a bare peer, conversations, a judge of messages.
//!
//! A server under test is a program. [`Peer`] runs it and speaks to it in raw lines, valid or not;
//! [`Conversation`] is a script of such lines, readable as the dialogue it is; [`Recorder`] holds every message
//! that the server sends against the official schema of its revision. It is deliberately no client: it helps
//! nobody to say the right thing.
//!
//! ```no_run
//! use hermes_testkit::{Conversation, Peer, Recorder};
//!
//! let script = Conversation::parse(
//!     r#"
//!     > {"jsonrpc":"2.0","id":1,"method":"ping"}
//!     < {"jsonrpc":"2.0","id":1,"result":{}}
//!     ! end
//!     "#,
//! )?;
//! let mut peer = Peer::spawn("my-server", &["--stdio"])?;
//! script.play(&mut peer, &mut Recorder::from_env())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod closed;
mod conversation;
mod pattern;
mod peer;
mod recorder;

pub use conversation::{Conversation, Failure, ScriptError};
pub use pattern::mismatch;
pub use peer::{Heard, Peer};
pub use recorder::{Recorder, Verdict};
