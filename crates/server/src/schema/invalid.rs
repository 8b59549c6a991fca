//! What is wrong with a value, in words for whoever sent it.

use std::fmt;

use serde_json::Value;

/// How many problems are told. Who mends these will hear of the rest.
pub(super) const MAX_PROBLEMS: usize = 3;

/// How much of a foreign value is shown, in characters.
const MAX_EXCERPT: usize = 60;
/// How long one problem's words may be, in characters.
const MAX_WORDS: usize = 300;

/// Why a value is refused.
///
/// ```
/// # use hermes_server::ask::{AskError, Invalid};
/// # fn show(error: AskError) {
/// if let AskError::BadAnswer(Invalid::Value { problems, .. }) = error {
///     for problem in problems {
///         eprintln!("{}: {}", problem.path, problem.message); // /age: 30.5 is not of type integer
///     }
/// }
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Invalid {
    /// The schema itself cannot be used, so that nothing can be checked against it.
    Schema {
        /// What is wrong with it.
        flaw: String,
    },
    /// The value does not fit.
    Value {
        /// The first few problems, at least one.
        problems: Vec<Problem>,
        /// Whether there are more.
        more: bool,
    },
}

/// One thing that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where: a JSON pointer, such as `/limit`; empty for the value as a whole.
    pub path: String,
    /// What: a fragment, such as `30.5 is not of type integer`.
    pub message: String,
}

impl Invalid {
    pub(crate) fn at(path: impl Into<String>, message: impl fmt::Display) -> Self {
        let message = shortened(&message.to_string(), MAX_WORDS);
        Self::Value { problems: vec![Problem { path: path.into(), message }], more: false }
    }
}

impl Problem {
    /// A problem, with a place and words that are not too long.
    pub(super) fn new(path: &str, message: &str) -> Self {
        Self { path: shortened(path, MAX_WORDS), message: shortened(message, MAX_WORDS) }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema { flaw } => write!(f, "the schema cannot be used: {flaw}"),
            Self::Value { problems, more } => {
                for (at, problem) in problems.iter().enumerate() {
                    if at > 0 {
                        f.write_str("; ")?;
                    }
                    problem.fmt(f)?;
                }
                if *more { f.write_str("; and more") } else { Ok(()) }
            }
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "`{}`: {}", self.path, self.message)
        }
    }
}

impl std::error::Error for Invalid {}

/// A value as JSON, cut short.
pub(super) fn excerpt(value: &Value) -> String {
    /// Takes so many characters and then no more, so that a huge value is not written out first.
    struct Short {
        text: String,
        room: usize,
    }
    impl fmt::Write for Short {
        fn write_str(&mut self, part: &str) -> fmt::Result {
            let taken: usize = part.chars().take(self.room).map(char::len_utf8).sum();
            self.text.push_str(part.get(..taken).unwrap_or_default());
            self.room -= part.get(..taken).unwrap_or_default().chars().count();
            if taken < part.len() { Err(fmt::Error) } else { Ok(()) }
        }
    }
    use fmt::Write as _;
    let mut short = Short { text: String::new(), room: MAX_EXCERPT };
    if write!(short, "{value}").is_err() {
        short.text.push('…');
    }
    short.text
}

fn shortened(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

/// Goes on along a JSON pointer.
pub(super) fn step(path: &mut String, name: &str) {
    path.push('/');
    path.push_str(&name.replace('~', "~0").replace('/', "~1"));
}
