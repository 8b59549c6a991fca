//! The class of an error, for traces and measurements: few words, and none of a server's own.

use hermes_telemetry::client::Failure;

use super::ClientError;

impl ClientError {
    pub(crate) const fn failure(&self) -> Failure<'static> {
        let code = match self {
            Self::Rpc { error, .. } => Some(error.code),
            _ => None,
        };
        Failure { word: self.word(), code }
    }

    const fn word(&self) -> &'static str {
        match self {
            Self::Address { .. } => "address",
            Self::Arguments { .. } => "arguments",
            Self::Closed(_) => "closed",
            Self::Decode { .. } => "decode",
            Self::Http(_) => "http",
            Self::Input { .. } => "input",
            Self::Negotiation(_) => "negotiation",
            Self::Output { .. } => "output",
            Self::Protocol { .. } => "protocol",
            Self::Redirect { .. } => "redirect",
            Self::Root { .. } => "root",
            Self::Rpc { .. } => "rpc",
            Self::SessionExpired { .. } => "session_expired",
            Self::Spawn(_) => "spawn",
            Self::StreamEnded { .. } => "stream_ended",
            Self::Timeout { .. } => "timeout",
            Self::Tool { .. } => "tool_error",
            Self::TooManyRounds { .. } => "too_many_rounds",
            Self::Unauthorized { .. } => "unauthorized",
            Self::Unavailable { .. } => "unavailable",
            Self::Unreachable { .. } => "unreachable",
            Self::Unsupported { .. } => "unsupported",
        }
    }
}
