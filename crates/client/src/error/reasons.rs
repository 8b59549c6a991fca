//! What is wrong with a request, an answer or a result.

use std::fmt;

use hermes_types::Revision;

/// Why something cannot be asked of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unsupported {
    /// The server does not declare this capability.
    Capability(&'static str),
    /// What carries the messages has no headers.
    Headers,
    /// The revision that is spoken does not have it.
    Revision(Revision),
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Capability(name) => write!(f, "the server does not declare the capability `{name}`"),
            Self::Headers => f.write_str("only HTTP has headers"),
            Self::Revision(revision) => write!(f, "{revision} does not have it"),
        }
    }
}

/// What is wrong with a structured result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputProblem {
    /// The tool declares a schema, and the result has no structured content.
    Missing,
    /// The schema itself cannot be used.
    Schema(String),
    /// The content does not fit: where, and why.
    Unfit {
        /// The path into the content.
        path: String,
        /// What is wrong there.
        reason: String,
    },
}

impl fmt::Display for OutputProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no structured content"),
            Self::Schema(reason) => write!(f, "the schema cannot be used: {reason}"),
            Self::Unfit { path, reason } if path.is_empty() => f.write_str(reason),
            Self::Unfit { path, reason } => write!(f, "at `{path}`: {reason}"),
        }
    }
}

/// How a server broke the protocol in an answer.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Violation {
    /// `input_required` without any question or state.
    EmptyInputRequired,
    /// The answer is no message that can be read, although it carries the request's id: why.
    Malformed(crate::Noise),
    /// `input_required` on a method that has no such results.
    StrayInputRequired,
    /// A kind of result that nobody here knows.
    UnknownResultType(String),
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::EmptyInputRequired => f.write_str("it wants input, but asks nothing"),
            Self::Malformed(noise) => write!(f, "it is {noise}"),
            Self::StrayInputRequired => f.write_str("it wants input, which this method does not have"),
            Self::UnknownResultType(kind) => write!(f, "it has the unknown result type {kind}"),
        }
    }
}
