//! `hermes list`: what a server offers.

use hermes::types::{RawJson, SubscriptionFilter};
use hermes::{Listing, Received};
use serde::Serialize;

use super::watch::{Watched, watch};
use super::words::Words;
use crate::args::Watch;
use crate::exit::{Exit, Result};
use crate::output::{print, print_json, report};
use crate::render::{Offer, Screen, offer};
use crate::session::Session;

/// The four lists as one object, each entry as it came.
#[derive(PartialEq, Serialize)]
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
            let seen = self.look(session).await?;
            return self.show(session, &seen);
        }
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            ..SubscriptionFilter::default()
        };
        watch(session, wanted, &self).await
    }
}

/// Everything that is offered, as it came and as it is shown.
pub(crate) struct All {
    lists: Lists,
    shown: Offer,
    exit: Exit,
}

impl PartialEq for All {
    fn eq(&self, other: &Self) -> bool {
        self.lists == other.lists && self.exit == other.exit
    }
}

impl Watched for List {
    type Seen = All;

    async fn look(&self, session: &mut Session) -> Result<All> {
        let client = session.client.clone();
        let mut exit = Exit::Ok;
        let tools = entries(session.run(client.list_all_tools()).await, session, &mut exit)?;
        let resources = entries(session.run(client.list_all_resources()).await, session, &mut exit)?;
        let templates = entries(session.run(client.list_all_resource_templates()).await, session, &mut exit)?;
        let prompts = entries(session.run(client.list_all_prompts()).await, session, &mut exit)?;
        let lists = Lists {
            tools: raw(&tools),
            resources: raw(&resources),
            resource_templates: raw(&templates),
            prompts: raw(&prompts),
        };
        let shown = Offer {
            tools: values(tools),
            resources: values(resources),
            templates: values(templates),
            prompts: values(prompts),
        };
        Ok(All { lists, shown, exit })
    }

    fn show(&self, session: &Session, All { lists, shown, exit }: &All) -> Result<Exit> {
        if session.json {
            print_json(lists)?;
        } else if *exit == Exit::Ok || !shown.is_empty() {
            // That nothing is offered can be said of a server only when every list came.
            print(&offer(Screen::stdout(), shown))?;
        }
        Ok(*exit)
    }
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

fn raw<T>(entries: &[Received<T>]) -> Vec<RawJson> {
    entries.iter().map(|entry| entry.raw.clone()).collect()
}

fn values<T>(entries: Vec<Received<T>>) -> Vec<T> {
    entries.into_iter().map(Received::into_value).collect()
}
