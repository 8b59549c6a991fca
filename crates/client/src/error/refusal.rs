//! Why a question of the server is not answered.

use std::fmt;

use hermes_types::code;

/// Why a question of the server was not answered.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no handler for it, and the capability was not declared.
    NoHandler,
    /// There is no handler for this mode or feature of it.
    NotDeclared(&'static str),
    /// The question cannot be read.
    Malformed(String),
    /// The handler refused.
    Handler(HandlerError),
    /// The handler's answer does not fit the form: where, and why.
    Unfit {
        /// The path into the answer.
        path: String,
        /// What is wrong there.
        reason: String,
    },
    /// The handler panicked.
    Panicked,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHandler => f.write_str("nobody is there to answer it"),
            Self::NotDeclared(what) => write!(f, "{what} was not declared"),
            Self::Malformed(reason) => write!(f, "the question cannot be read: {reason}"),
            Self::Handler(error) => error.fmt(f),
            Self::Unfit { path, reason } if path.is_empty() => {
                write!(f, "the answer does not fit the form: {reason}")
            }
            Self::Unfit { path, reason } => {
                write!(f, "the answer does not fit the form at `{path}`: {reason}")
            }
            Self::Panicked => f.write_str("the handler panicked"),
        }
    }
}

/// Why a handler gives no answer.
///
/// Any error converts into one by `?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerError {
    code: i64,
    message: String,
}

impl HandlerError {
    /// The user said no (code −1, as in the examples of the specification).
    #[must_use]
    pub fn rejected() -> Self {
        Self { code: -1, message: "the user rejected the request".to_owned() }
    }

    /// The code that a legacy server is told.
    #[must_use]
    pub const fn code(&self) -> i64 {
        self.code
    }
}

impl fmt::Display for HandlerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

// `HandlerError` is no `Error` itself: that is what lets every other error convert.
impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for HandlerError {
    fn from(error: E) -> Self {
        let error = error.into();
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            message.push_str(": ");
            message.push_str(&cause.to_string());
            source = cause.source();
        }
        Self { code: code::INTERNAL_ERROR, message }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_error_makes_a_handler_error_with_its_causes() {
        #[derive(Debug, thiserror::Error)]
        #[error("outer")]
        struct Outer(#[source] fmt::Error);
        let error = HandlerError::from(Outer(fmt::Error));
        assert!(error.to_string().starts_with("outer: "), "{error}");
        assert_eq!(error.code(), -32603);
        assert_eq!(HandlerError::rejected().code(), -1);
    }
}
