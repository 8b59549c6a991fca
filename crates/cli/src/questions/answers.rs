//! Answers that were given on the command line.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::value::RawValue;

use super::form::{Field, Form};
use crate::arguments::{Given, Object, Word};

/// The `--answer` flags, and which of them were of use.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    words: Vec<Word>,
    used: Mutex<BTreeSet<String>>,
}

impl Answers {
    pub(crate) fn new(words: Vec<Word>) -> Self {
        Self { words, used: Mutex::default() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The names that nothing was asked for so far, in order.
    pub(crate) fn unused(&self) -> Vec<&str> {
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut unused: Vec<&str> = Vec::new();
        for word in self.words.iter().filter(|word| !used.contains(&word.name)) {
            if !unused.contains(&word.name.as_str()) {
                unused.push(&word.name);
            }
        }
        unused
    }

    fn given(&self, name: &str) -> Option<&Given> {
        // The last one counts, as with most flags.
        let word = self.words.iter().rev().find(|word| word.name == name)?;
        self.used.lock().unwrap_or_else(PoisonError::into_inner).insert(word.name.clone());
        Some(&word.given)
    }

    /// The reply of a model: the answer called `text` or `response`.
    pub(crate) fn reply(&self) -> Option<String> {
        let given = self.given("text").or_else(|| self.given("response"))?;
        given.text().ok()
    }

    /// Fills in a form. Fields without an answer take their default.
    ///
    /// # Errors
    /// Why the form stays open: no answer is meant for it, one is missing, or one does not fit.
    pub(crate) fn fill(&self, form: &Form) -> Result<Object, String> {
        let mut content = Object::default();
        let mut answered = false;
        for field in &form.fields {
            let value = match self.given(&field.name) {
                Some(given) => {
                    answered = true;
                    Some(value(field, given).map_err(|why| format!("--answer {}: {why}", field.name))?)
                }
                None => field.default_value(),
            };
            match value {
                Some(value) => content.insert(field.name.clone(), value),
                None if field.required => return Err(format!("there is no --answer {}=VALUE", field.name)),
                None => {}
            }
        }
        if answered { Ok(content) } else { Err(format!("there is no --answer for any of: {}", form.names())) }
    }
}

fn value(field: &Field, given: &Given) -> Result<Box<RawValue>, String> {
    match given {
        Given::Text(text) => field.read(text),
        Given::Json(json) => field.check(json).map(|()| json.clone()),
        Given::File(contents) => field.read(contents.text().map_err(|failure| failure.to_string())?),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn fill(schema: &Value, answers: &[&str]) -> Result<String, String> {
        let answers = Answers::new(answers.iter().map(|word| word.parse().expect(word)).collect());
        answers.fill(&Form::new(schema)).map(|object| serde_json::to_string(&object).expect("an object"))
    }

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "age": {"type": "integer", "minimum": 0},
                "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
            },
            "required": ["name"],
        })
    }

    // spec: R371
    #[test]
    fn answers_take_the_types_of_the_form_and_defaults_fill_the_rest() {
        assert_eq!(
            fill(&schema(), &["age=42", "name=7"]).as_deref(),
            Ok(r#"{"name":"7","age":42,"colour":"red"}"#)
        );
        assert_eq!(
            fill(&schema(), &["name:=\"Ada\"", "colour=2", "other=x"]).as_deref(),
            Ok(r#"{"name":"Ada","colour":"green"}"#)
        );
    }

    #[test]
    fn a_form_without_its_answers_stays_open() {
        assert_eq!(fill(&schema(), &[]), Err("there is no --answer name=VALUE".into()));
        assert_eq!(fill(&schema(), &["age=1"]), Err("there is no --answer name=VALUE".into()));
        let optional =
            json!({"properties": {"a": {"type": "string"}, "b": {"type": "string", "default": "x"}}});
        assert_eq!(fill(&optional, &["name=Ada"]), Err("there is no --answer for any of: a, b".into()));
    }

    #[test]
    fn an_answer_that_does_not_fit_says_why() {
        assert_eq!(
            fill(&schema(), &["name=Ada", "age=old"]),
            Err("--answer age: it takes an integer, not \"old\"".into())
        );
        let error = fill(&schema(), &["name:=7"]).expect_err("a number");
        assert!(error.starts_with("--answer name: 7 is not of type \"string\""), "{error}");
    }

    #[test]
    fn answers_that_nothing_was_asked_for_are_known() {
        let words = ["age=1", "nmae=Ada", "name=Ada", "nmae=Eve"];
        let answers = Answers::new(words.iter().map(|word| word.parse().expect(word)).collect());
        assert_eq!(answers.unused(), ["age", "nmae", "name"]);
        answers.fill(&Form::new(&schema())).expect("a form");
        assert_eq!(answers.unused(), ["nmae"]);
    }

    #[test]
    fn a_models_reply_is_text_or_response() {
        let reply = |answers: &[&str]| {
            Answers::new(answers.iter().map(|word| word.parse().expect(word)).collect()).reply()
        };
        assert_eq!(reply(&["text=hi"]).as_deref(), Some("hi"));
        assert_eq!(reply(&["response:=\"hi\""]).as_deref(), Some("hi"));
        assert_eq!(reply(&["response=a", "response=b"]).as_deref(), Some("b"));
        assert_eq!(reply(&["name=Ada"]), None);
    }
}
