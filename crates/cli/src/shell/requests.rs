//! What is asked of the server: lists, calls, prompts, resources, changes, log levels, roots.

use std::collections::BTreeMap;

use hermes::types::{Era, LoggingLevel, Prompt, RawJson};
use hermes::{Listing, Received};
use serde::Serialize;
use serde_json::value::to_raw_value;
use serde_json::{Map, Value, json};

use super::asking::Filling;
use super::command::{Change, Given, Listed, Options};
use super::fields::missing;
use super::start::Shell;
use crate::arguments::{self, Object, Shape, Word, plain};
use crate::exit::{Exit, Failure, Result};
use crate::hint;
use crate::output::{print_json, print_raw};
use crate::questions::{Dialogue, Form, Reply};
use crate::render::{Offer, Screen, call_result, offer, prompt_result, read_result, style};

/// The lists that are wanted, each entry as it came.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    #[serde(skip_serializing_if = "Option::is_none")]
    tools: Option<Vec<RawJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resources: Option<Vec<RawJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource_templates: Option<Vec<RawJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prompts: Option<Vec<RawJson>>,
}

impl Shell {
    /// Lists something.
    pub(super) async fn list(&mut self, listed: Listed) -> Result<Exit> {
        let session = &mut self.link()?.session;
        let client = session.client.clone();
        let wants = |one: Listed| listed == one || listed == Listed::All;
        let (mut shown, mut raw) = (Offer::default(), Lists::default());
        if wants(Listed::Tools) {
            shown.tools = taken(session.run(client.list_all_tools()).await?, &mut raw.tools);
        }
        if wants(Listed::Resources) {
            shown.resources = taken(session.run(client.list_all_resources()).await?, &mut raw.resources);
        }
        if wants(Listed::Templates) {
            let templates = session.run(client.list_all_resource_templates()).await?;
            shown.templates = taken(templates, &mut raw.resource_templates);
        }
        if wants(Listed::Prompts) {
            shown.prompts = taken(session.run(client.list_all_prompts()).await?, &mut raw.prompts);
        }
        if session.json {
            print_json(&raw)?;
        } else if shown.is_empty() {
            self.note(match listed {
                Listed::All => "the server offers nothing",
                Listed::Tools => "the server offers no tools",
                Listed::Resources => "the server offers no resources",
                Listed::Templates => "the server offers no resource templates",
                Listed::Prompts => "the server offers no prompts",
            });
        } else {
            self.show(&offer(Screen::stdout(), &shown))?;
        }
        Ok(Exit::Ok)
    }

    /// Calls a tool.
    pub(super) async fn call(&mut self, tool: String, given: Given, options: Options) -> Result<Exit> {
        let client = self.link()?.client();
        let owner = format!("the tool \"{tool}\"");
        let schema = if options.no_check { None } else { self.schema(&tool).await? };
        let operation = match &schema {
            Some(schema) => client.call(&tool, self.fill_in(owner, schema, given, None).await?),
            None => {
                let arguments = Shape::new(owner, &Value::Null).fill(given.base, given.words)?;
                client.call(&tool, arguments).without_output_check()
            }
        };
        let session = &mut self.link()?.session;
        let operation = session.watched(operation);
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
        }
        if result.is_error() {
            let text = call_result(Screen::stderr(), &result);
            let text = if text.trim().is_empty() { "it does not say why" } else { text.trim_end() };
            self.console.report(&Failure::new(Exit::Tool, format!("the tool \"{tool}\" failed: {text}")));
            return Ok(Exit::Tool);
        }
        if !session.json {
            self.show(&call_result(Screen::stdout(), &result))?;
            self.pictures(result.content.iter())?;
        }
        Ok(Exit::Ok)
    }

    /// The schema of a tool's arguments; `None` for a server that lists no tools, but may have them.
    async fn schema(&mut self, tool: &str) -> Result<Option<Value>> {
        let catalogue = self.candidates.catalogue.clone();
        let tools = self.link()?.session.run(catalogue.tools()).await?;
        if tools.is_empty() {
            return Ok(None);
        }
        let found = tools.iter().find(|known| known.name == tool).ok_or_else(|| {
            let names = tools.iter().map(|tool| tool.name.as_str());
            Failure::usage(format!("the server has no tool \"{tool}\"")).with_hint(hint::offer(tool, names))
        })?;
        Ok(Some(found.input_schema.decode().unwrap_or_default()))
    }

    /// Fills in a prompt.
    pub(super) async fn prompt(&mut self, name: String, given: Given) -> Result<Exit> {
        let catalogue = self.candidates.catalogue.clone();
        let prompts = self.link()?.session.run(catalogue.prompts()).await?;
        let found = prompts.iter().find(|prompt| prompt.name == name).ok_or_else(|| {
            let names = prompts.iter().map(|prompt| prompt.name.as_str());
            Failure::usage(format!("the server has no prompt \"{name}\""))
                .with_hint(hint::offer(&name, names))
        })?;
        let owner = format!("the prompt \"{name}\"");
        let filled = self.fill_in(owner, &schema_of(found), texts(given)?, Some(&name)).await?;
        let arguments: BTreeMap<String, String> =
            filled.members().map(|(name, value)| (name.to_owned(), plain(value.get()))).collect();
        let session = &mut self.link()?.session;
        let client = session.client.clone();
        let operation = session.watched(client.prompt(name, &arguments));
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
        } else {
            self.show(&prompt_result(Screen::stdout(), &result))?;
            self.pictures(result.messages.iter().map(|message| &message.content))?;
        }
        Ok(Exit::Ok)
    }

    /// Puts the arguments together. What has to be there and is missing is asked of whoever types; what those of a prompt may be,
    /// the server is asked.
    async fn fill_in(
        &self,
        owner: String,
        schema: &Value,
        given: Given,
        prompt: Option<&str>,
    ) -> Result<Object> {
        let shape = Shape::new(owner.clone(), schema);
        let mut arguments = shape.fill(given.base, given.words)?;
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let lacks = required.filter_map(Value::as_str).any(|name| !arguments.contains(name));
        if let (true, Some(mut seat)) = (lacks, self.seat()) {
            seat.filling = prompt
                .map(|prompt| Filling::new(prompt.to_owned(), &arguments, self.candidates.catalogue.clone()));
            let names: Vec<&str> = arguments.members().map(|(name, _)| name).collect();
            let form = Form::new(&missing(schema, &names));
            let hush = self.console.hush();
            let (screen, heading) = (self.console.screen(), owner);
            let asked = tokio::task::spawn_blocking(move || {
                let mut dialogue = Dialogue::new(&mut seat, screen, &heading);
                dialogue.head(
                    "takes",
                    &form.names(),
                    "Enter takes the default or leaves a field empty; - or Ctrl-D gives up.",
                )?;
                dialogue.complete(&form)
            });
            let reply = asked.await.map_err(std::io::Error::other).and_then(|reply| reply);
            drop(hush);
            match reply.map_err(|error| Failure::usage(format!("the terminal failed: {error}")))? {
                Reply::Given(answers) => arguments.extend(answers),
                Reply::Declined | Reply::Cancelled => {
                    return Err(Failure::usage("given up; nothing was sent"));
                }
            }
        }
        shape.check(&arguments)?;
        Ok(arguments)
    }

    /// Reads a resource.
    pub(super) async fn read(&mut self, uri: String) -> Result<Exit> {
        let session = &mut self.link()?.session;
        let client = session.client.clone();
        let operation = session.watched(client.read(uri));
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
        } else {
            self.show(&read_result(Screen::stdout(), &result))?;
            self.pictures_of(result.contents.iter())?;
        }
        Ok(Exit::Ok)
    }

    /// Hears of changes of a resource from now on, or shows which are heard of.
    pub(super) async fn subscribe(&mut self, uri: Option<String>) -> Result<Exit> {
        let Some(uri) = uri else {
            let watched = self.candidates.catalogue.watched();
            let lines: String = watched.iter().map(|uri| format!("{uri}\n")).collect();
            if lines.is_empty() {
                self.note("nothing is subscribed to");
            }
            self.show(&lines)?;
            return Ok(Exit::Ok);
        };
        self.watch(&uri).await?;
        self.console.note("subscribed", style::GOOD, &uri);
        Ok(Exit::Ok)
    }

    /// Takes that back.
    pub(super) async fn unsubscribe(&mut self, uri: &str) -> Result<Exit> {
        let watched = self.candidates.catalogue.watched();
        if !watched.contains(uri) {
            let hint = hint::offer(uri, watched.iter().map(String::as_str));
            return Err(Failure::usage(format!("{uri} is not subscribed to")).with_hint(hint));
        }
        let link = self.link()?;
        let client = link.client();
        match client.era() {
            Era::Legacy => {
                let operation = link.session.watched(client.unsubscribe(uri));
                link.session.run(operation).await?;
            }
            Era::Modern => link.leave(uri),
        }
        self.forget(uri);
        self.console.note("unsubscribed", style::GOOD, &uri);
        Ok(Exit::Ok)
    }

    /// Chooses which log messages come.
    pub(super) async fn set_level(&mut self, level: LoggingLevel) -> Result<Exit> {
        let session = &mut self.link()?.session;
        let client = session.client.clone();
        session.run(client.set_log_level(level.clone())).await?;
        let when = match client.era() {
            Era::Legacy => "the server sends them from now on",
            Era::Modern => "every request asks for them from now on",
        };
        self.note(&format!("log messages of level {} and above: {when}", LoggingLevel::as_str(&level)));
        self.level = Some(level);
        Ok(Exit::Ok)
    }

    /// Shows or changes the roots.
    pub(super) fn roots(&self, change: Option<&Change>) -> Result<()> {
        let roots = &self.candidates.roots;
        if let Some(change) = change {
            roots.change(change)?;
            if let Some(link) = &self.link {
                link.client().roots_changed().map_err(Failure::from)?;
                if link.client().era() == Era::Modern {
                    self.note("the server asks for them when it needs them; it is not told of changes");
                }
            }
        }
        let list = roots.list();
        if list.is_empty() {
            self.note("there are no roots");
        }
        self.show(&list.iter().map(|root| format!("{}\n", root.uri)).collect::<String>())
    }
}

/// Takes the entries of a list, and keeps them as they came.
fn taken<T>(listing: Listing<T>, raw: &mut Option<Vec<RawJson>>) -> Vec<T> {
    *raw = Some(listing.entries.iter().map(|entry| entry.raw.clone()).collect());
    listing.entries.into_iter().map(Received::into_value).collect()
}

/// The arguments of a prompt as a schema: texts, and any of them if none are declared.
fn schema_of(prompt: &Prompt) -> Value {
    let Some(arguments) = &prompt.arguments else { return json!({ "type": "object" }) };
    let property = |title: &Option<String>, description: &Option<String>| {
        let mut property = json!({ "type": "string" });
        for (name, text) in [("title", title), ("description", description)] {
            if let Some(text) = text {
                property[name] = json!(text);
            }
        }
        property
    };
    let properties: Map<String, Value> = arguments
        .iter()
        .map(|argument| (argument.name.clone(), property(&argument.title, &argument.description)))
        .collect();
    let required: Vec<&str> = arguments
        .iter()
        .filter(|argument| argument.required == Some(true))
        .map(|argument| argument.name.as_str())
        .collect();
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The arguments of a prompt, which are texts all of them.
fn texts(given: Given) -> Result<Given> {
    let mut base = Object::default();
    for (name, value) in given.base.members() {
        let text = to_raw_value(&plain(value.get()));
        let text = text.map_err(|error| Failure::usage(format!("the argument \"{name}\": {error}")))?;
        base.insert(name.to_owned(), text);
    }
    let words = given.words.into_iter().map(|word| {
        let given = arguments::Given::Text(word.given.text()?);
        Ok(Word { name: word.name, given })
    });
    Ok(Given { base, words: words.collect::<Result<_>>()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompts_arguments_are_texts_with_what_is_said_of_them() {
        let prompt: Prompt = serde_json::from_value(json!({
            "name": "review",
            "arguments": [{"name": "code", "description": "The code", "required": true}, {"name": "language"}],
        }))
        .expect("a prompt");
        assert_eq!(
            schema_of(&prompt),
            json!({
                "type": "object",
                "properties": {"code": {"type": "string", "description": "The code"}, "language": {"type": "string"}},
                "required": ["code"],
            })
        );
    }
}
