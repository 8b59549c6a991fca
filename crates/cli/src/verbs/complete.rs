//! `hermes complete`: what an argument may be.

use std::collections::BTreeMap;

use hermes::Listing;
use hermes::types::{
    CompleteRequestParams, CompletionContext, CompletionReference, PromptReference, ResourceTemplate,
    ResourceTemplateReference,
};

use super::prompt;
use super::words::Words;
use crate::arguments::{Object, Word};
use crate::exit::{Exit, Failure, Result};
use crate::hint;
use crate::output::{print, print_raw};
use crate::render::{Screen, style};
use crate::session::Session;

/// The last argument, and what is known of the others.
#[derive(Debug)]
pub(crate) struct Complete {
    /// A prompt's name, or a template.
    of: String,
    name: String,
    prefix: String,
    /// The arguments that are filled in already.
    context: BTreeMap<String, String>,
}

impl Complete {
    pub(crate) fn parse(mut words: Words) -> Result<Self> {
        let of = words.next("the name of a prompt, or a resource template")?;
        let (base, words) = words.arguments(None)?;
        Self::of(of, &base, words)?.ok_or_else(|| {
            Failure::usage("hermes complete wants the argument to complete: NAME=PREFIX")
                .with_hint("it comes last, behind those that are filled in already".to_owned())
        })
    }

    /// What the last word may be where the others are filled in already; `None` if there is no word.
    ///
    /// # Errors
    /// An argument is given twice, or is no text.
    pub(crate) fn of(of: String, base: &Object, mut words: Vec<Word>) -> Result<Option<Self>> {
        let Some(last) = words.pop() else { return Ok(None) };
        let (name, prefix) = (last.name, last.given.text()?);
        Ok(Some(Self { of, name, prefix, context: prompt::texts(base, words)? }))
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let reference: CompletionReference = if is_template(&self.of) {
            let templates = session.run(client.list_all_resource_templates()).await?;
            find(&templates, &self.of)?;
            CompletionReference::Resource(ResourceTemplateReference::new(&self.of))
        } else {
            let prompts = session.run(client.list_all_prompts()).await?;
            prompt::has_argument(prompt::find(&prompts, &self.of)?, &self.name)?;
            CompletionReference::Prompt(PromptReference::new(&self.of))
        };
        let mut params = CompleteRequestParams::new(reference, self.name, self.prefix);
        if !self.context.is_empty() {
            let arguments = Some(self.context);
            params.context = Some(CompletionContext { arguments, ..CompletionContext::default() });
        }
        let operation = session.watched(client.complete(&params));
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
            return Ok(Exit::Ok);
        }
        let screen = Screen::stdout();
        let lines = result.completion.values.iter().map(|value| format!("{}\n", screen.clean(value)));
        print(&lines.collect::<String>())?;
        if result.completion.values.is_empty() {
            session.console().note("note", style::FAINT, &"the server has nothing to offer for that");
        }
        if result.completion.has_more == Some(true) {
            let total = result.completion.total.map(|total| format!(", {total} in all")).unwrap_or_default();
            session.console().note("note", style::FAINT, &format!("there are more{total}"));
        }
        Ok(Exit::Ok)
    }
}

/// A template has a variable or a scheme, which no prompt's name does.
fn is_template(name: &str) -> bool {
    name.contains('{') || name.contains("://")
}

fn find<'a>(templates: &'a Listing<ResourceTemplate>, uri: &str) -> Result<&'a ResourceTemplate> {
    let names = templates.values().map(|template| template.uri_template.as_str());
    templates.values().find(|template| template.uri_template == uri).ok_or_else(|| {
        Failure::usage(format!("the server has no resource template \"{uri}\""))
            .with_hint(hint::offer(uri, names))
    })
}
