//! The members of an entry, read one by one.

use jsonc_parser::ast::{Object, Value};

use super::error::Flaw;
use super::surroundings::Scope;

/// A flaw, and the member that has it.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) member: Option<String>,
    pub(super) flaw: Flaw,
}

impl From<Flaw> for Fault {
    fn from(flaw: Flaw) -> Self {
        Self { member: None, flaw }
    }
}

impl Flaw {
    pub(super) fn of(self, member: impl Into<String>) -> Fault {
        Fault { member: Some(member.into()), flaw: self }
    }
}

/// The members of an entry.
pub(super) struct Members<'a> {
    pub(super) object: &'a Object<'a>,
    pub(super) scope: &'a Scope<'a>,
}

impl<'a> Members<'a> {
    /// A member; `null` is as good as none. Of two, the last counts, as everywhere in JSON.
    fn find(&self, name: &str) -> Option<&'a Value<'a>> {
        let named = |property: &&jsonc_parser::ast::ObjectProp<'_>| property.name.as_str() == name;
        let property = self.object.properties.iter().rfind(named)?;
        Some(&property.value).filter(|value| value.as_null_keyword().is_none())
    }

    /// A string as it is written.
    pub(super) fn written(&self, name: &str) -> Result<Option<&'a str>, Fault> {
        self.find(name).map(|value| string(value).map_err(|flaw| flaw.of(name))).transpose()
    }

    /// A string with its variables expanded, which is not empty.
    pub(super) fn string(&self, name: &str) -> Result<Option<String>, Fault> {
        self.written(name)?
            .map(|text| match self.scope.expand(text) {
                Ok(text) if text.is_empty() => Err(Flaw::Empty.of(name)),
                expanded => expanded.map_err(|flaw| flaw.of(name)),
            })
            .transpose()
    }

    /// A list of strings as they are written, and with their variables expanded.
    pub(super) fn strings(&self, name: &str) -> Result<(Vec<&'a str>, Vec<String>), Fault> {
        let Some(value) = self.find(name) else { return Ok((Vec::new(), Vec::new())) };
        let list = value.as_array().ok_or_else(|| wrong("a list of strings", value).of(name))?;
        let each = list.elements.iter().enumerate().map(|(index, value)| {
            string(value)
                .and_then(|text| Ok((text, self.scope.expand(text)?)))
                .map_err(|flaw| flaw.of(format!("{name}[{index}]")))
        });
        each.collect()
    }

    /// An object of strings with their variables expanded. `null` says that there is none.
    pub(super) fn pairs(&self, name: &str) -> Result<Vec<(String, Option<String>)>, Fault> {
        let Some(value) = self.find(name) else { return Ok(Vec::new()) };
        let object = value.as_object().ok_or_else(|| wrong("an object of strings", value).of(name))?;
        let each = object.properties.iter().map(|property| {
            let key = property.name.as_str();
            let value = match &property.value {
                Value::NullKeyword(_) => Ok(None),
                // Numbers and truth values have one text only: there is no doubt about what is meant.
                Value::NumberLit(number) => Ok(Some(number.value.to_owned())),
                Value::BooleanLit(truth) => Ok(Some(truth.value.to_string())),
                value => string(value).and_then(|text| self.scope.expand(text)).map(Some),
            };
            value.map(|value| (key.to_owned(), value)).map_err(|flaw| flaw.of(format!("{name}.{key}")))
        });
        each.collect()
    }

    pub(super) fn truth(&self, name: &str) -> Result<bool, Fault> {
        match self.find(name) {
            None => Ok(false),
            Some(Value::BooleanLit(truth)) => Ok(truth.value),
            Some(other) => Err(wrong("true or false", other).of(name)),
        }
    }

    /// A number that is not negative.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, Fault> {
        let wanted = "a number that is not negative";
        self.find(name)
            .map(|value| {
                let number = value.as_number_lit().ok_or_else(|| wrong(wanted, value).of(name))?;
                let number: f64 = number.value.parse().map_err(|_| wrong(wanted, value).of(name))?;
                if number >= 0.0 { Ok(number) } else { Err(wrong(wanted, value).of(name)) }
            })
            .transpose()
    }

    /// The names of the members that are none of these.
    pub(super) fn others<'n>(&self, known: &'n [&'n str]) -> impl Iterator<Item = &'a str> + use<'a, 'n> {
        let names = self.object.properties.iter().map(|property| property.name.as_str());
        names.filter(move |name| !known.contains(name))
    }
}

fn string<'a>(value: &'a Value<'a>) -> Result<&'a str, Flaw> {
    value.as_string_lit().map(|text| &*text.value).ok_or_else(|| wrong("a string", value))
}

pub(super) const fn wrong(wanted: &'static str, found: &Value<'_>) -> Flaw {
    let found = match found {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    };
    Flaw::WrongKind { wanted, found }
}
