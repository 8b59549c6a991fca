//! The forms that tools show: each type is one.

use hermes::Elicited;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Account {
    username: String,
    email: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Name {
    pub(crate) name: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Color {
    pub(crate) color: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Confirmation {
    pub(crate) ok: bool,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Topic {
    pub(crate) context: String,
}

/// Every kind of field with a default value.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Defaults {
    name: String,
    age: i64,
    score: f64,
    status: Status,
    verified: bool,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { name: "John Doe".to_owned(), age: 30, score: 95.5, status: Status::Active, verified: true }
    }
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Status {
    Active,
    Inactive,
    Pending,
}

/// Every kind of choice.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Choices {
    untitled_single: Untitled,
    titled_single: Titled,
    legacy_enum: Named,
    untitled_multi: Vec<Untitled>,
    titled_multi: Vec<Titled>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Untitled {
    Option1,
    Option2,
    Option3,
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Titled {
    /// First value
    Value1,
    /// Second value
    Value2,
    /// Third value
    Value3,
}

/// Titles beside the values, as before 2025-11-25.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(extend("enumNames" = ["First option", "Second option", "Third option"]))]
enum Named {
    Opt1,
    Opt2,
    Opt3,
}

/// What the user did, in words.
pub(crate) fn told<T: Serialize>(answer: &Elicited<T>) -> serde_json::Result<String> {
    Ok(match answer {
        Elicited::Accepted(form) => format!("The user accepted: {}", serde_json::to_string(form)?),
        Elicited::Declined => "The user declined".to_owned(),
        Elicited::Cancelled => "The user dismissed the form".to_owned(),
    })
}
