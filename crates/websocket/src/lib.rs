//! WebSockets as byte streams of lines: a custom transport in the sense of the specification, with the messages of
//! stdio. One message is one text frame.
//!
//! [`lines()`] turns an open WebSocket into a [`Lines`], which reads and writes as any byte stream does, so that whatever
//! speaks over stdio speaks over a WebSocket. Keep-alive, close codes and limits are seen to.
//!
//! | what happens | what is done |
//! |---|---|
//! | a text frame | a line; line breaks in it, which JSON may have between its tokens, become spaces |
//! | a binary frame | closed with 1003 |
//! | a message that is too long | closed with 1009 |
//! | text that is no UTF-8 | closed with 1007 |
//! | anything else that breaks RFC 6455 | closed with 1002 |
//! | a ping | answered |
//! | not a byte for a while | pinged; none for a while longer: closed with 1001 |
//! | not a byte is taken of what is sent, for as long | cut: a close frame would not be read either |
//! | whoever reads the lines takes their time | the other side is not read from, and not blamed |
//! | our side has said all | closed with 1000; as a server, with 1001 |
//! | the other side closes with another code | the reader gets an error that says so |
//!
//! Source: `basic/transports#custom-transports`, 2025-11-25 and 2026-07-28; RFC 6455.

mod ended;
mod lines;
mod manners;
mod pump;
mod watched;

pub use ended::Ended;
pub use lines::{Lines, lines};
pub use manners::Manners;
pub use tokio_tungstenite as tungstenite;
pub use watched::Watched;

/// The name of the sub-protocol, as `Sec-WebSocket-Protocol` has it.
pub const SUBPROTOCOL: &str = "mcp";
