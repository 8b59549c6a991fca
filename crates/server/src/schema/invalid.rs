//! What is wrong with a value, in words for whoever sent it.

use std::fmt;

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

/// How many problems are told. Who mends these will hear of the rest.
const MAX_PROBLEMS: usize = 3;

/// How many values are named where one of them is wanted.
const MAX_CHOICES: usize = 20;
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

    /// Tells the first few errors; `None` when there are none.
    pub(super) fn from_errors<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Option<Self> {
        let mut problems = Vec::new();
        for error in errors {
            if problems.len() == MAX_PROBLEMS {
                return Some(Self::Value { problems, more: true });
            }
            tell(&error, &mut problems);
            problems.truncate(MAX_PROBLEMS);
        }
        (!problems.is_empty()).then_some(Self::Value { problems, more: false })
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

/// Puts one error of the validator into words. Missing and unknown members are problems of their own.
fn tell(error: &ValidationError<'_>, problems: &mut Vec<Problem>) {
    let path = error.instance_path().as_str();
    let member = |name: &str| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
    let mut push = |path: String, message: String| {
        problems.push(Problem { path: shortened(&path, MAX_WORDS), message: shortened(&message, MAX_WORDS) });
    };
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            push(member(&name), "is missing".to_owned());
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected.iter().take(MAX_PROBLEMS) {
                push(member(name), "is not expected here".to_owned());
            }
        }
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(all) => {
                    all.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            push(path.to_owned(), format!("{} is not of type {wanted}", excerpt(error.instance())));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            if let Some((at, known)) = tags(context) {
                return push(at.to_owned(), format!("is none of {}", known.join(", ")));
            }
            // One whose tag fits was meant; else the one that was followed furthest.
            let fits = |branch: &&Vec<ValidationError<'_>>| {
                let depth =
                    branch.iter().map(|error| error.instance_path().as_str().matches('/').count()).max();
                let is_other = |error: &ValidationError<'_>| {
                    matches!(error.kind(), Kind::Type { .. }) && error.instance_path().as_str() == path
                };
                (tag(branch).is_none(), !branch.iter().any(is_other), depth)
            };
            let closest = context.iter().max_by_key(fits).and_then(|branch| branch.first());
            let mut inner = Vec::new();
            if let Some(closest) = closest {
                tell(closest, &mut inner);
            }
            let hint = inner.first().map_or_else(String::new, |problem| format!("; closest: {problem}"));
            push(path.to_owned(), format!("{} fits no alternative{hint}", excerpt(error.instance())));
        }
        _ => push(path.to_owned(), error.masked_with(excerpt(error.instance())).to_string()),
    }
}

/// The value that an alternative wants to see and does not: what tells it from the others.
fn tag<'e>(branch: &'e [ValidationError<'_>]) -> Option<(&'e str, String)> {
    branch.iter().find_map(|error| match error.kind() {
        Kind::Constant { expected_value } => Some((error.instance_path().as_str(), excerpt(expected_value))),
        _ => None,
    })
}

/// Where the alternatives want different values, and which, if that is what tells all of them apart.
fn tags<'e>(context: &'e [Vec<ValidationError<'_>>]) -> Option<(&'e str, Vec<String>)> {
    let known: Vec<_> = context.iter().map(|branch| tag(branch)).collect::<Option<_>>()?;
    let at = known.first()?.0;
    let is_one = known.len() <= MAX_CHOICES && known.iter().all(|(other, _)| *other == at);
    is_one.then(|| (at, known.into_iter().map(|(_, value)| value).collect()))
}

/// A value as JSON, cut short.
fn excerpt(value: &Value) -> String {
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
