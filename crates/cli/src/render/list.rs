//! Lists of what a server offers.

use serde_json::Value;

use super::measure::size;
use super::screen::{Screen, style};
use super::table::{Row, table};
use crate::arguments::summary;
use hermes::types::{Prompt, Resource, ResourceTemplate, Tool};

/// Everything that a server offers.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    pub(crate) tools: Vec<Tool>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) prompts: Vec<Prompt>,
}

impl Offer {
    /// Whether all four lists are empty.
    pub(crate) const fn is_empty(&self) -> bool {
        self.tools.is_empty()
            && self.resources.is_empty()
            && self.templates.is_empty()
            && self.prompts.is_empty()
    }
}

/// The four lists, each under its heading; empty ones are left out.
pub(crate) fn offer(screen: Screen, offer: &Offer) -> String {
    let sections = [
        section(screen, "Tools", &offer.tools.iter().map(tool).collect::<Vec<_>>()),
        section(screen, "Resources", &offer.resources.iter().map(resource).collect::<Vec<_>>()),
        section(screen, "Resource templates", &offer.templates.iter().map(template).collect::<Vec<_>>()),
        section(screen, "Prompts", &offer.prompts.iter().map(prompt).collect::<Vec<_>>()),
    ];
    let text = sections.into_iter().flatten().collect::<Vec<_>>().join("\n");
    if text.is_empty() { "The server offers nothing.\n".to_owned() } else { text }
}

fn section(screen: Screen, heading: &str, rows: &[Row]) -> Option<String> {
    if rows.is_empty() {
        return None;
    }
    let heading = screen.paint(style::HEADING, heading);
    Some(format!("{heading} ({})\n{}", rows.len(), table(screen, rows)))
}

fn tool(tool: &Tool) -> Row {
    let schema = tool.input_schema.decode::<Value>().unwrap_or_default();
    let mut notes = summary(&schema).join(", ");
    let annotations = tool.annotations.as_ref();
    if annotations
        .is_some_and(|hints| hints.read_only_hint != Some(true) && hints.destructive_hint == Some(true))
    {
        let and = if notes.is_empty() { "" } else { "; " };
        notes.push_str(&format!("{and}may destroy"));
    }
    let text = tool.description.as_deref().unwrap_or_else(|| tool.display_name());
    let text = if text == tool.name { "" } else { text };
    Row::new(&tool.name).with(style::PLAIN, text).with(style::FAINT, notes)
}

fn resource(resource: &Resource) -> Row {
    let bytes = resource.size.and_then(|bytes| usize::try_from(bytes).ok()).map(size);
    let notes: Vec<String> = resource.mime_type.clone().into_iter().chain(bytes).collect();
    let title = resource.title.as_ref().unwrap_or(&resource.name);
    Row::new(&resource.uri)
        .with(style::PLAIN, described(title, resource.description.as_deref()))
        .with(style::FAINT, notes.join(", "))
}

fn template(template: &ResourceTemplate) -> Row {
    let title = template.title.as_ref().unwrap_or(&template.name);
    Row::new(&template.uri_template)
        .with(style::PLAIN, described(title, template.description.as_deref()))
        .with(style::FAINT, template.mime_type.clone().unwrap_or_default())
}

fn prompt(prompt: &Prompt) -> Row {
    let arguments = prompt.arguments.iter().flatten().map(|argument| match argument.required {
        Some(true) => argument.name.clone(),
        _ => format!("[{}]", argument.name),
    });
    let arguments = arguments.collect::<Vec<_>>().join(", ");
    let text = prompt.description.as_ref().or(prompt.title.as_ref()).cloned().unwrap_or_default();
    Row::new(&prompt.name).with(style::PLAIN, text).with(style::FAINT, arguments)
}

fn described(title: &str, description: Option<&str>) -> String {
    match description {
        Some(description) => format!("{title}: {description}"),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    fn all<T: DeserializeOwned>(value: Value) -> Vec<T> {
        serde_json::from_value(value).expect("fits the type")
    }

    #[test]
    fn each_list_stands_under_its_heading_in_columns() {
        let shown = Offer {
            tools: all(json!([
                {"name": "add", "description": "Adds two integers", "inputSchema": {
                    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]}},
                {"name": "wipe", "title": "Wipe the disk", "inputSchema": {"type": "object"},
                    "annotations": {"destructiveHint": true}},
            ])),
            resources: all(json!([
                {"uri": "demo://logo", "name": "logo", "title": "The logo", "mimeType": "image/png", "size": 90},
            ])),
            templates: all(
                json!([{"uriTemplate": "demo://users/{name}", "name": "user", "description": "A user"}]),
            ),
            prompts: all(json!([
                {"name": "greet", "title": "Greet", "arguments": [{"name": "name", "required": true}, {"name": "tone"}]},
            ])),
        };
        assert_eq!(
            offer(Screen::file(80), &shown),
            "Tools (2)\n  \
               add   Adds two integers\n        \
                     a integer, [b integer]\n  \
               wipe  Wipe the disk\n        \
                     may destroy\n\
             \n\
             Resources (1)\n  \
               demo://logo  The logo\n               \
                            image/png, 90 bytes\n\
             \n\
             Resource templates (1)\n  \
               demo://users/{name}  user: A user\n\
             \n\
             Prompts (1)\n  \
               greet  Greet\n         \
                      name, [tone]\n"
        );
    }

    #[test]
    fn a_server_without_anything_says_so() {
        assert_eq!(offer(Screen::file(80), &Offer::default()), "The server offers nothing.\n");
    }
}
