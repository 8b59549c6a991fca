//! An answer over HTTP that is none of the protocol's.

use std::fmt;
use std::time::Duration;

use crate::Noise;

/// What a server answered over HTTP instead of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpAnswer {
    /// The method of the request.
    pub method: String,
    /// The address, without credentials.
    pub url: String,
    /// The status.
    pub status: u16,
    /// The content type, if there is one.
    pub content_type: Option<String>,
    /// What is wrong.
    pub problem: HttpProblem,
    /// How long the server wants to be left alone, if it says so.
    pub retry_after: Option<Duration>,
    /// The beginning of the body, for people; at most 200 characters, and empty when there is none.
    pub excerpt: String,
}

/// What is wrong with an answer over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HttpProblem {
    /// The status is an error.
    Status,
    /// A request was taken for something that needs no answer.
    NoAnswer,
    /// The content is neither JSON nor a stream of events.
    ContentType,
    /// The content is no message, or one that is not read.
    Malformed(Noise),
    /// The messages answer other requests, or none.
    NotTheAnswer,
}

impl fmt::Display for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, url, status, content_type, problem, retry_after, excerpt } = self;
        write!(f, "{url} answered {method} with HTTP {status}")?;
        match content_type {
            Some(content_type) => write!(f, ", {content_type}")?,
            None if *problem == HttpProblem::ContentType => f.write_str(", without a content type")?,
            None => {}
        }
        match problem {
            HttpProblem::Status => {}
            HttpProblem::NoAnswer => f.write_str(": a request needs an answer")?,
            HttpProblem::ContentType => f.write_str(": neither JSON nor a stream of events")?,
            HttpProblem::Malformed(noise) => write!(f, ": the content is {noise}")?,
            HttpProblem::NotTheAnswer => f.write_str(": there is no answer to this request in it")?,
        }
        if let Some(after) = retry_after {
            write!(f, "; it asks to come back after {} s", after.as_secs())?;
        }
        if excerpt.is_empty() { Ok(()) } else { write!(f, "; the body begins with: {excerpt}") }
    }
}

impl std::error::Error for HttpAnswer {}
