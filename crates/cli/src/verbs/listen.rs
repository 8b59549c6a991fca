//! `hermes listen`: what changes.

use hermes::types::SubscriptionFilter;
use hermes::{Heard, Notice};
use serde_json::json;

use super::words::Words;
use crate::exit::{Exit, Failure, Result, chain};
use crate::output::{print, print_json};
use crate::render::{Screen, style, told};
use crate::session::Session;

pub(crate) struct Listen {
    uris: Vec<String>,
}

impl Listen {
    pub(crate) fn parse(words: Words) -> Result<Self> {
        Ok(Self { uris: words.rest()? })
    }

    /// Shows changes until the server ends the stream.
    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            resource_subscriptions: Some(self.uris.clone()).filter(|uris| !uris.is_empty()),
            ..SubscriptionFilter::default()
        };
        let mut listening = session.run(client.listen(wanted)).await?;
        self.report(session, listening.granted())?;
        while let Some(heard) = session.attempt(listening.next()).await? {
            match heard {
                Heard::Notice(notice) => show(session, &notice)?,
                Heard::Lost { reason, pause } => {
                    let again = match pause.as_millis() {
                        0 => "when it is back".to_owned(),
                        pause => format!("in {pause} ms"),
                    };
                    session.console().warn(&format!("{}; listening again {again}", chain(&*reason)));
                }
                Heard::Gap => {
                    session.console().warn(&"what has changed meanwhile was not told");
                    self.report(session, listening.granted())?;
                }
                _ => {}
            }
        }
        Ok(Exit::Ok)
    }

    /// Says what the server has agreed to, on standard error.
    fn report(&self, session: &Session, granted: &SubscriptionFilter) -> Result<()> {
        if granted.is_empty() {
            return Err(Failure::new(Exit::Protocol, "the server tells of no changes"));
        }
        let watched = granted.resource_subscriptions.as_deref().unwrap_or_default();
        for uri in self.uris.iter().filter(|uri| !watched.contains(uri)) {
            session.console().warn(&format!("the server does not tell of changes of {uri}"));
        }
        let lists = [
            ("tools", granted.tools_list_changed),
            ("prompts", granted.prompts_list_changed),
            ("resources", granted.resources_list_changed),
        ];
        let lists =
            lists.iter().filter(|(_, on)| *on == Some(true)).map(|(name, _)| format!("the list of {name}"));
        let all: Vec<String> = lists.chain(watched.iter().cloned()).collect();
        session.console().note("listening", style::GOOD, &all.join(", "));
        Ok(())
    }
}

/// Shows a change on standard output.
fn show(session: &Session, notice: &Notice) -> Result<()> {
    if session.json {
        return print_json(&json!({ "method": notice.method, "params": notice.params }));
    }
    print(&format!("{}\n", Screen::stdout().clean(&told(notice))))
}
