//! `hermes list`: what a server offers.

use hermes::types::{RawJson, SubscriptionFilter};
use hermes::{Listing, Received};
use serde::Serialize;

use super::watch::watch;
use super::words::Words;
use crate::args::Watch;
use crate::exit::{Exit, Result};
use crate::output::{print, print_json, report};
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

pub(crate) struct List {
    watch: bool,
}

impl List {
    pub(crate) fn parse(words: Words, watch: Watch) -> Result<Self> {
        words.end()?;
        Ok(Self { watch: watch.watch })
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        if !self.watch {
            return once(session).await;
        }
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            ..SubscriptionFilter::default()
        };
        watch(session, wanted, once).await
    }
}

/// Lists everything, and shows it.
async fn once(session: &mut Session) -> Result<Exit> {
    let client = session.client.clone();
    let mut exit = Exit::Ok;
    let tools = entries(session.run(client.list_all_tools()).await, session, &mut exit)?;
    let resources = entries(session.run(client.list_all_resources()).await, session, &mut exit)?;
    let templates = entries(session.run(client.list_all_resource_templates()).await, session, &mut exit)?;
    let prompts = entries(session.run(client.list_all_prompts()).await, session, &mut exit)?;
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
        // That nothing is offered can be said of a server only when every list came.
        if exit == Exit::Ok || !shown.is_empty() {
            print(&offer(Screen::stdout(), &shown))?;
        }
    }
    Ok(exit)
}

/// What a list holds. One that the server refuses or gets wrong is told of, and does not spoil the others; it makes
/// the exit another.
fn entries<T>(listed: Result<Listing<T>>, session: &Session, exit: &mut Exit) -> Result<Vec<Received<T>>> {
    match listed {
        Ok(list) => Ok(list.entries),
        Err(failure) if failure.exit() == Exit::Protocol => {
            let failure = failure.at(session.address.as_deref());
            report(&failure);
            *exit = failure.exit();
            Ok(Vec::new())
        }
        Err(failure) => Err(failure),
    }
}

fn raw<T>(entries: Vec<Received<T>>) -> Vec<RawJson> {
    entries.into_iter().map(|entry| entry.raw).collect()
}

fn values<T>(entries: Vec<Received<T>>) -> Vec<T> {
    entries.into_iter().map(Received::into_value).collect()
}
