//! `hermes list`: what a server offers.

use hermes::types::{Prompt, RawJson, Resource, ResourceTemplate, Tool};
use hermes::{Listing, Received};
use serde::Serialize;

use super::words::Words;
use crate::exit::{Exit, Result};
use crate::output::{print, print_json};
use crate::render::{Offer, Screen, offer};
use crate::session::Session;

/// The four lists as one object, each entry as it came.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Lists {
    tools: Vec<RawJson>,
    resources: Vec<RawJson>,
    resource_templates: Vec<RawJson>,
    prompts: Vec<RawJson>,
}

pub(crate) struct List;

impl List {
    pub(crate) fn parse(words: Words) -> Result<Self> {
        words.end()?;
        Ok(Self)
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let tools: Listing<Tool> = session.run(client.list_all_tools()).await?;
        let resources: Listing<Resource> = session.run(client.list_all_resources()).await?;
        let templates: Listing<ResourceTemplate> = session.run(client.list_all_resource_templates()).await?;
        let prompts: Listing<Prompt> = session.run(client.list_all_prompts()).await?;
        if session.json {
            print_json(&Lists {
                tools: raw(tools),
                resources: raw(resources),
                resource_templates: raw(templates),
                prompts: raw(prompts),
            })?;
        } else {
            let shown = Offer {
                tools: values(tools),
                resources: values(resources),
                templates: values(templates),
                prompts: values(prompts),
            };
            print(&offer(Screen::stdout(), &shown))?;
        }
        Ok(Exit::Ok)
    }
}

fn raw<T>(list: Listing<T>) -> Vec<RawJson> {
    list.entries.into_iter().map(|entry| entry.raw).collect()
}

fn values<T>(list: Listing<T>) -> Vec<T> {
    list.entries.into_iter().map(Received::into_value).collect()
}
