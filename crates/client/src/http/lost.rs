//! Which answers say that a session is lost.
//!
//! | status | what it says |
//! |---|---|
//! | 404 | the session is lost, whatever the body says |
//! | 400 | the same, if the body says so in words |
//! | any other | nothing about the session |
//!
//! The second row is in no revision. Servers that follow the older examples of the SDKs answer so, among them the
//! reference server that shows everything, and they are many: after a restart, their clients would be refused for ever.
//! It does no harm elsewhere, as a server that answers 400 has not run anything, and as a session is begun anew once.

use hermes_types::{Message, Response, code};
use reqwest::StatusCode;

use super::answer::{Head, refusal};
use super::session::Seat;

/// What JSON-RPC leaves to servers, as their SDKs use it for what is wrong with a session.
const CODES: [i64; 3] = [-32000, -32001, code::INVALID_REQUEST];

/// An answer to something that was sent in a session, as far as it was read.
pub(super) enum Look {
    /// The session is lost: the status says so, or else this body.
    Lost(Option<String>),
    /// A refusal, read to its end.
    Refused(String),
    /// Anything else, not read yet.
    Other(reqwest::Response),
}

/// Looks whether the session is lost that something was sent in.
///
/// Source: `basic/transports#session-management`, 2025-11-25.
pub(super) async fn look(head: &Head, seat: &Seat, response: reqwest::Response) -> Look {
    match head.status {
        _ if seat.id.is_none() => Look::Other(response),
        StatusCode::NOT_FOUND => Look::Lost(None),
        StatusCode::BAD_REQUEST => match refusal(response).await {
            body if says_so(&body) => Look::Lost(Some(body)),
            body => Look::Refused(body),
        },
        _ => Look::Other(response),
    }
}

/// Whether a refusal says in words that there is no such session.
fn says_so(body: &str) -> bool {
    let words = match Message::decode(body) {
        Ok(Message::Response(Response { outcome: Err(error), .. })) if CODES.contains(&error.code) => {
            error.message
        }
        Ok(_) => return false,
        Err(_) => body.to_owned(),
    };
    let words = words.to_ascii_lowercase();
    words.contains("session") || words.contains("not initialized")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, message: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","error":{{"code":{code},"message":"{message}"}},"id":null}}"#)
    }

    #[test]
    fn words_that_servers_in_use_say_of_a_session_that_they_have_lost_are_understood() {
        for body in [
            &*error(-32000, "Bad Request: No valid session ID provided"),
            &*error(-32000, "Bad Request: Server not initialized"),
            &*error(-32001, "Session not found"),
            &*error(-32600, "Session has been terminated"),
            "Bad Request: No valid session ID provided",
            r#"{"error":"invalid session"}"#,
        ] {
            assert!(says_so(body), "{body}");
        }
    }

    #[test]
    fn a_refusal_that_concerns_the_request_is_no_word_about_the_session() {
        for body in [
            "",
            &*error(-32000, "Bad Request: Unsupported protocol version"),
            &*error(-32602, "the parameter session is missing"),
            &*error(-32603, "no session with the database"),
            r#"{"jsonrpc":"2.0","id":1,"result":{"session":1}}"#,
            "<html>Bad Request</html>",
        ] {
            assert!(!says_so(body), "{body}");
        }
    }
}
