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
    /// The proxy that passed the answer on, or gave it in the server's place; only where nothing is encrypted.
    pub proxy: Option<String>,
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
    /// The content is compressed in this way, although the client takes it only as it is.
    Compressed(String),
    /// The content is no message, or one that is not read.
    Malformed(Noise),
    /// The messages answer other requests, or none.
    NotTheAnswer,
    /// The content is a stream of HTTP+SSE, on which no request is answered.
    OlderTransport,
    /// A stream of HTTP+SSE does not begin by saying where messages are sent, or not in time.
    NoEndpoint,
    /// A stream of HTTP+SSE wants messages sent to this origin, which is another one: there the credentials that may
    /// go with them are none of the server's business.
    ForeignEndpoint {
        /// The origin; what the server named, if that is no address.
        origin: String,
    },
}

impl fmt::Display for HttpAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { method, url, proxy, status, content_type, problem, retry_after, excerpt } = self;
        write!(f, "{url} answered {method} ")?;
        if let Some(proxy) = proxy {
            write!(f, "by way of the proxy {proxy} ")?;
        }
        write!(f, "with HTTP {status}")?;
        match content_type {
            Some(content_type) => write!(f, ", {content_type}")?,
            None if *problem == HttpProblem::ContentType => f.write_str(", without a content type")?,
            None => {}
        }
        match problem {
            HttpProblem::Status => {}
            HttpProblem::NoAnswer => f.write_str(": a request needs an answer")?,
            HttpProblem::ContentType => f.write_str(": neither JSON nor a stream of events")?,
            HttpProblem::Compressed(encoding) => {
                write!(f, ": the content is compressed ({encoding}), which was not asked for")?;
            }
            HttpProblem::Malformed(noise) => write!(f, ": the content is {noise}")?,
            HttpProblem::NotTheAnswer => f.write_str(": there is no answer to this request in it")?,
            HttpProblem::OlderTransport => {
                f.write_str(": a stream of HTTP+SSE, on which no request is answered")?;
            }
            HttpProblem::NoEndpoint => f.write_str(": the stream does not say where messages are sent")?,
            HttpProblem::ForeignEndpoint { origin } => {
                write!(
                    f,
                    ": the stream wants messages sent to another origin, {origin}, where none are sent"
                )?;
            }
        }
        if let Some(after) = retry_after {
            write!(f, "; it asks to come back after {} s", after.as_secs())?;
        }
        if excerpt.is_empty() { Ok(()) } else { write!(f, "; the body begins with: {excerpt}") }
    }
}

impl std::error::Error for HttpAnswer {}
