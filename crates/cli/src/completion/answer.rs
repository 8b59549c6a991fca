//! What a target says that it offers, kept for a while.

use std::collections::BTreeMap;

use hermes::types::{CompleteRequestParams, CompletionContext, CompletionReference};
use hermes::types::{PromptReference, ResourceTemplateReference};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::session::Session;

/// What is asked of a target.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Question {
    /// Its tools.
    Tools,
    /// Its resources and their templates.
    Resources,
    /// Its prompts.
    Prompts,
    /// Its prompts and templates, which have arguments to complete.
    Completable,
    /// How an argument may go on.
    Values { of: String, name: String, typed: String, context: BTreeMap<String, String> },
}

/// Something that is offered.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Offered {
    /// Its name, or its URI.
    pub(super) name: String,
    /// What it is, in a line.
    pub(super) about: String,
    /// The names of its arguments; those that are needed come first.
    pub(super) arguments: Vec<Argument>,
}

/// An argument of a tool or of a prompt.
#[derive(Clone, Debug, Serialize, Deserialize, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) about: String,
    /// The values that it may have, where the schema names them.
    pub(super) choices: Vec<String>,
}

impl Question {
    /// Asks it.
    pub(super) async fn ask(&self, session: &mut Session) -> Vec<Offered> {
        let client = session.client.clone();
        let mut offered = Vec::new();
        if *self == Self::Tools {
            let tools = session.run(client.list_all_tools()).await;
            for tool in tools.iter().flat_map(|tools| tools.values()) {
                let schema: Value = tool.input_schema.decode().unwrap_or_default();
                let about = tool.description.as_deref().unwrap_or_else(|| tool.display_name());
                offered.push(Offered::new(&tool.name, about, of_schema(&schema)));
            }
        }
        if *self == Self::Resources {
            let resources = session.run(client.list_all_resources()).await;
            for resource in resources.iter().flat_map(|resources| resources.values()) {
                let about = resource.title.as_ref().unwrap_or(&resource.name);
                offered.push(Offered::new(&resource.uri, about, Vec::new()));
            }
        }
        if matches!(self, Self::Resources | Self::Completable) {
            let templates = session.run(client.list_all_resource_templates()).await;
            for template in templates.iter().flat_map(|templates| templates.values()) {
                let about = template.title.as_ref().unwrap_or(&template.name);
                let arguments = variables(&template.uri_template);
                offered.push(Offered::new(&template.uri_template, about, arguments));
            }
        }
        if matches!(self, Self::Prompts | Self::Completable) {
            let prompts = session.run(client.list_all_prompts()).await;
            for prompt in prompts.iter().flat_map(|prompts| prompts.values()) {
                let about = prompt.description.as_ref().or(prompt.title.as_ref());
                let declared = prompt.arguments.iter().flatten();
                let arguments = declared.map(|argument| {
                    let about = argument.description.clone().unwrap_or_default();
                    Argument { name: argument.name.clone(), about, choices: Vec::new() }
                });
                let about = about.map_or("", String::as_str);
                offered.push(Offered::new(&prompt.name, about, arguments.collect()));
            }
        }
        if let Self::Values { of, name, typed, context } = self {
            let reference: CompletionReference = if of.contains("://") || of.contains('{') {
                CompletionReference::Resource(ResourceTemplateReference::new(of))
            } else {
                CompletionReference::Prompt(PromptReference::new(of))
            };
            let mut params = CompleteRequestParams::new(reference, name, typed);
            if !context.is_empty() {
                let arguments = Some(context.clone());
                params.context = Some(CompletionContext { arguments, ..CompletionContext::default() });
            }
            let result = session.run(client.complete(&params)).await;
            let values = result.iter().flat_map(|result| &result.completion.values);
            offered.extend(values.map(|value| Offered::new(value, "", Vec::new())));
        }
        offered
    }
}

impl Offered {
    fn new(name: &str, about: &str, arguments: Vec<Argument>) -> Self {
        let about = about.lines().next().unwrap_or_default().trim().to_owned();
        Self { name: name.to_owned(), about, arguments }
    }
}

/// The arguments of a tool, those that are needed first.
fn of_schema(schema: &Value) -> Vec<Argument> {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut arguments: Vec<Argument> = properties
        .map(|(name, property)| {
            let about = property["description"].as_str().unwrap_or_default();
            let about = about.lines().next().unwrap_or_default().to_owned();
            Argument { name: name.clone(), about, choices: choices(property) }
        })
        .collect();
    arguments.sort_by_key(|argument| !required.contains(&argument.name.as_str()));
    arguments
}

/// The values that a schema names, as they are typed.
fn choices(property: &Value) -> Vec<String> {
    let typed = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match property["enum"].as_array() {
        Some(choices) => choices.iter().map(typed).collect(),
        None if property["type"] == "boolean" => vec!["true".to_owned(), "false".to_owned()],
        None => Vec::new(),
    }
}

/// The variables of a template.
fn variables(template: &str) -> Vec<Argument> {
    let inside = template.split('{').skip(1).filter_map(|part| part.split('}').next());
    let names =
        inside.flat_map(|list| list.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).split(','));
    names
        .map(|name| name.trim_end_matches('*').split(':').next().unwrap_or_default())
        .filter(|name| !name.is_empty())
        .map(|name| Argument { name: name.to_owned(), about: String::new(), choices: Vec::new() })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_needed_comes_first_and_choices_are_as_they_are_typed() {
        let schema = json!({ "required": ["b"], "properties": {
            "a": { "type": "boolean" }, "b": { "enum": ["x", 1], "description": "One\nmore" } } });
        let arguments = of_schema(&schema);
        let names: Vec<&str> = arguments.iter().map(|argument| argument.name.as_str()).collect();
        assert_eq!(names, ["b", "a"]);
        assert_eq!(
            (&*arguments[0].about, &*arguments[0].choices),
            ("One", &["x".to_owned(), "1".to_owned()][..])
        );
        assert_eq!(arguments[1].choices, ["true", "false"]);
        assert_eq!(of_schema(&Value::Null), []);
    }

    #[test]
    fn variables_of_a_template_are_its_arguments() {
        let names = |text| variables(text).into_iter().map(|it| it.name).collect::<Vec<_>>();
        assert_eq!(names("demo://users/{name}"), ["name"]);
        assert_eq!(names("x://{+path}/{?a,b*}{c:3}"), ["path", "a", "b", "c"]);
        assert_eq!(names("x://none"), [""; 0]);
    }
}
