//! Schemas of any kind, compiled and checked by the crate `jsonschema`.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value;

use super::invalid::{Invalid, MAX_PROBLEMS, Problem, excerpt, step};

/// How many values are named where one of them is wanted.
const MAX_CHOICES: usize = 20;

/// Whether there is no schema that this build cannot check.
pub(crate) const IS_COMPLETE: bool = true;

/// A compiled schema.
pub(super) struct Engine(jsonschema::Validator);

impl Engine {
    /// Compiles a schema.
    ///
    /// # Errors
    /// Why that cannot be done.
    pub(super) fn compile(schema: &Value, formats: bool) -> Result<Self, String> {
        let options = jsonschema::options().offline().should_validate_formats(formats);
        options.build(schema).map(Self).map_err(|error| error.to_string())
    }

    /// Whether a value fits.
    pub(super) fn fits(&self, value: &Value) -> bool {
        self.0.is_valid(value)
    }

    /// Checks a value.
    ///
    /// # Errors
    /// The first few problems.
    pub(super) fn check(&self, value: &Value) -> Result<(), Invalid> {
        // Looking for what is wrong costs more than seeing that nothing is.
        if self.0.is_valid(value) {
            return Ok(());
        }
        let mut problems = Vec::new();
        let mut more = false;
        for error in self.0.iter_errors(value) {
            more = problems.len() == MAX_PROBLEMS;
            if more {
                break;
            }
            tell(&error, &mut problems);
            problems.truncate(MAX_PROBLEMS);
        }
        Err(Invalid::Value { problems, more })
    }
}

/// Puts one error of the validator into words. Missing and unknown members are problems of their own.
fn tell(error: &ValidationError<'_>, problems: &mut Vec<Problem>) {
    let path = error.instance_path().as_str();
    let member = |name: &str| {
        let mut path = path.to_owned();
        step(&mut path, name);
        path
    };
    let mut push = |path: &str, message: &str| problems.push(Problem::new(path, message));
    match error.kind() {
        Kind::Required { property } => {
            let name = property.as_str().map_or_else(|| property.to_string(), str::to_owned);
            push(&member(&name), "is missing");
        }
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            for name in unexpected.iter().take(MAX_PROBLEMS) {
                push(&member(name), "is not expected here");
            }
        }
        Kind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(one) => one.to_string(),
                TypeKind::Multiple(all) => {
                    all.iter().map(|one| one.to_string()).collect::<Vec<_>>().join(" or ")
                }
            };
            push(path, &format!("{} is not of type {wanted}", excerpt(error.instance())));
        }
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            if let Some((at, known)) = tags(context) {
                return push(at, &format!("is none of {}", known.join(", ")));
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
            push(path, &format!("{} fits no alternative{hint}", excerpt(error.instance())));
        }
        _ => push(path, &error.masked_with(excerpt(error.instance())).to_string()),
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
