//! What a word may be completed to.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use hermes::types::{CompletionReference, LoggingLevel, PromptReference, ResourceTemplateReference, Tool};
use serde_json::Value;

use super::catalogue::{Catalogue, in_time};
use super::command::LEVELS;
use super::fields::choices;
use super::keyboard::Choice;
use super::names::ENTRIES;
use super::place::{Owner, Place, Wanted};
use super::roots::Roots;
use super::words::quoted;
use crate::target::DEMO;

/// Whoever knows what there is to choose from.
#[derive(Clone, Debug)]
pub(crate) struct Candidates {
    pub(crate) catalogue: Catalogue,
    pub(crate) roots: Roots,
}

/// Something to choose: the word, and how it is shown.
struct Offer {
    shown: String,
    word: String,
    /// Whether nothing follows in the same word.
    is_whole: bool,
}

impl Offer {
    fn whole(word: impl Into<String>) -> Self {
        let word = word.into();
        Self { shown: word.clone(), word, is_whole: true }
    }

    fn part(word: impl Into<String>) -> Self {
        Self { is_whole: false, ..Self::whole(word) }
    }
}

impl Candidates {
    /// What the line up to the cursor may go on with, and where that begins.
    ///
    /// # Cancel safety
    /// Requests are taken back.
    pub(crate) async fn of(&self, line: &str) -> (usize, Vec<Choice>) {
        let Place { wanted, typed, start } = Place::of(line);
        let offers = in_time(self.offers(wanted, &typed)).await;
        let fits = |offer: &Offer| offer.word.to_lowercase().starts_with(&typed.to_lowercase());
        let choice = |offer: Offer| {
            let gap = if offer.is_whole { " " } else { "" };
            Choice {
                shown: offer.shown,
                replacement: format!("{}{gap}", written(&offer.word, offer.is_whole)),
            }
        };
        (start, offers.into_iter().filter(fits).map(choice).collect())
    }

    async fn offers(&self, wanted: Wanted, typed: &str) -> Vec<Offer> {
        let whole = |words: Vec<String>| words.into_iter().map(Offer::whole).collect();
        match wanted {
            Wanted::Command => ENTRIES.iter().map(|entry| Offer::whole(entry.name)).collect(),
            Wanted::Word(words) => words.iter().map(|word| Offer::whole(*word)).collect(),
            Wanted::Level => LEVELS.iter().map(|level| Offer::whole(LoggingLevel::as_str(level))).collect(),
            Wanted::Target => vec![Offer::whole(DEMO), Offer::part("http://"), Offer::part("https://")],
            Wanted::File(mark) => files(typed, mark),
            Wanted::Tool => whole(self.tools().await.iter().map(|tool| tool.name.clone()).collect()),
            Wanted::Prompt => whole(self.prompts().await),
            Wanted::Uri => self.uris(typed).await,
            Wanted::Subscribed => whole(self.catalogue.watched().into_iter().collect()),
            Wanted::Root => whole(self.roots.paths()),
            Wanted::Completable => {
                let templates = self.templates().await.into_iter().map(Offer::whole);
                self.prompts().await.into_iter().map(Offer::whole).chain(templates).collect()
            }
            Wanted::Argument { of, given } => self.arguments(&of, &given).await,
            Wanted::Value { of, name, mark, typed, others } => {
                let values = self.values(of, &name, &typed, others).await;
                let offer = |value: String| Offer {
                    word: format!("{name}{mark}{value}"),
                    shown: value,
                    is_whole: true,
                };
                values.into_iter().map(offer).collect()
            }
            Wanted::Nothing => Vec::new(),
        }
    }

    async fn tools(&self) -> std::sync::Arc<[Tool]> {
        self.catalogue.tools().await.unwrap_or_default()
    }

    async fn prompts(&self) -> Vec<String> {
        let prompts = self.catalogue.prompts().await.unwrap_or_default();
        prompts.iter().map(|prompt| prompt.name.clone()).collect()
    }

    async fn templates(&self) -> Vec<String> {
        let templates = self.catalogue.templates().await.unwrap_or_default();
        templates.iter().map(|template| template.uri_template.clone()).collect()
    }

    async fn schema(&self, tool: &str) -> Value {
        let tools = self.tools().await;
        let found = tools.iter().find(|known| known.name == tool);
        found.and_then(|tool| tool.input_schema.decode().ok()).unwrap_or_default()
    }

    /// The names of arguments, each with what divides it from its value.
    async fn arguments(&self, of: &Owner, given: &[String]) -> Vec<Offer> {
        let names: Vec<String> = match of {
            Owner::Tool(tool) => {
                let schema = self.schema(tool).await;
                let properties = schema.get("properties").and_then(Value::as_object);
                properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()
            }
            Owner::Prompt(of) | Owner::Completable(of) => self.arguments_of_prompt(of).await,
        };
        names
            .into_iter()
            .filter(|name| !given.contains(name))
            .map(|name| Offer { shown: name.clone(), word: format!("{name}="), is_whole: false })
            .collect()
    }

    async fn arguments_of_prompt(&self, of: &str) -> Vec<String> {
        if of.contains('{') {
            return variables(of).into_iter().map(str::to_owned).collect();
        }
        let prompts = self.catalogue.prompts().await.unwrap_or_default();
        let arguments =
            prompts.iter().filter(|prompt| prompt.name == of).flat_map(|prompt| &prompt.arguments);
        arguments.flatten().map(|argument| argument.name.clone()).collect()
    }

    async fn values(
        &self,
        of: Owner,
        name: &str,
        typed: &str,
        others: BTreeMap<String, String>,
    ) -> Vec<String> {
        let of: CompletionReference = match of {
            Owner::Tool(tool) => return choices(&self.schema(&tool).await, name),
            Owner::Completable(of) if of.contains('{') => {
                CompletionReference::Resource(ResourceTemplateReference::new(of))
            }
            Owner::Prompt(of) | Owner::Completable(of) => {
                CompletionReference::Prompt(PromptReference::new(of))
            }
        };
        self.catalogue.values(of, name, typed, others).await
    }

    /// Resources, and what templates make of what is typed.
    async fn uris(&self, typed: &str) -> Vec<Offer> {
        let resources = self.catalogue.resources().await.unwrap_or_default();
        let mut offers: Vec<Offer> = resources.iter().map(|resource| Offer::whole(&resource.uri)).collect();
        for template in self.templates().await {
            let Some(Hole { before, name, after, is_last }) = hole(&template, typed) else { continue };
            let Some(begun) = typed.strip_prefix(&before) else {
                offers.push(Offer::part(before));
                continue;
            };
            let of = CompletionReference::Resource(ResourceTemplateReference::new(&template));
            let values = self.catalogue.values(of, &name, begun, BTreeMap::new()).await;
            offers.extend(values.into_iter().map(|value| Offer {
                shown: format!("{before}{value}{after}"),
                word: format!("{before}{value}{after}"),
                is_whole: is_last,
            }));
        }
        offers
    }
}

/// The first variable of a template that is still to be filled in.
#[derive(Debug, PartialEq, Eq)]
struct Hole {
    /// What stands before it.
    before: String,
    name: String,
    /// What follows, up to the next one.
    after: String,
    is_last: bool,
}

/// Finds it: `typed` is what is there of the URI.
fn hole(template: &str, typed: &str) -> Option<Hole> {
    let (before, rest) = template.split_once('{')?;
    let (name, rest) = rest.split_once('}')?;
    let common = before.len().min(typed.len());
    if before.get(..common)? != typed.get(..common)? {
        return None;
    }
    let after = rest.split('{').next().unwrap_or_default();
    let is_last = !rest.contains('{');
    Some(Hole { before: before.to_owned(), name: bare(name).to_owned(), after: after.to_owned(), is_last })
}

/// The names of a template's variables.
fn variables(template: &str) -> Vec<&str> {
    let inside = template.split('{').skip(1).filter_map(|part| part.split('}').next());
    inside.flat_map(|list| bare(list).split(',')).map(bare).collect()
}

/// A variable without what says how it is filled in.
fn bare(name: &str) -> &str {
    let name = name.trim_start_matches(['+', '#', '.', '/', ';', '?', '&']).trim_end_matches('*');
    name.split(':').next().unwrap_or_default()
}

/// Files and folders that begin like this.
fn files(typed: &str, mark: &str) -> Vec<Offer> {
    let Some(at) = typed.find(mark) else { return Vec::new() };
    let (before, path) = typed.split_at(at + mark.len());
    let folder = path.rfind('/').map_or("", |slash| path.get(..=slash).unwrap_or_default());
    let entries = fs::read_dir(if folder.is_empty() { Path::new(".") } else { Path::new(folder) });
    let mut offers: Vec<Offer> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let is_folder = entry.path().is_dir();
            let name = entry.file_name().into_string().ok()?;
            let slash = if is_folder { "/" } else { "" };
            let word = format!("{before}{folder}{name}{slash}");
            Some(Offer { shown: format!("{name}{slash}"), word, is_whole: !is_folder })
        })
        .collect();
    offers.sort_by(|a, b| a.word.cmp(&b.word));
    offers
}

/// The word as it is typed. One that goes on is not closed.
fn written(word: &str, is_whole: bool) -> String {
    let text = quoted(word);
    match text.strip_suffix(['\'', '"']) {
        Some(open) if !is_whole => open.to_owned(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_filled_in_from_the_left() {
        let hole = |typed: &str| hole("demo://users/{name}/posts/{id}", typed);
        let before = "demo://users/".to_owned();
        let found = Hole { before, name: "name".into(), after: "/posts/".into(), is_last: false };
        assert_eq!(hole("demo://users/a"), Some(found));
        assert!(hole("demo:").is_some());
        assert_eq!(hole("file:"), None);
        assert_eq!(super::hole("demo://greeting", "demo"), None);
        assert_eq!(variables("x://{+path}/{?a,b*}{c:3}"), ["path", "a", "b", "c"]);
    }

    #[test]
    fn a_word_that_goes_on_is_left_open() {
        assert_eq!(written("a b/", false), "'a b/");
        assert_eq!(written("a b", true), "'a b'");
        assert_eq!(written("text=", false), "text=");
    }

    #[test]
    fn files_are_completed_after_the_mark() {
        let words = |typed: &str, mark: &str| -> Vec<String> {
            files(typed, mark).into_iter().map(|offer| offer.word).collect()
        };
        assert!(words("text=@Car", "@").contains(&"text=@Cargo.toml".to_owned()));
        assert!(words("src/sh", "").contains(&"src/shell/".to_owned()));
    }
}
