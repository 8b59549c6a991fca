//! `hermes listen`: what changes.

use std::time::Duration;

use hermes::types::SubscriptionFilter;
use hermes::{ClientError, Listening, News, Notice};
use serde_json::json;

use super::words::Words;
use crate::exit::{Exit, Failure, Result, chain};
use crate::output::{print, print_json};
use crate::render::{Screen, style};
use crate::session::Session;

/// The pauses before a stream that was cut is opened again.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) struct Listen {
    uris: Vec<String>,
}

impl Listen {
    pub(crate) fn parse(words: Words) -> Result<Self> {
        Ok(Self { uris: words.rest() })
    }

    /// Shows changes until the server ends the stream. One that is cut is opened again.
    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let wanted = SubscriptionFilter {
            tools_list_changed: Some(true),
            prompts_list_changed: Some(true),
            resources_list_changed: Some(true),
            resource_subscriptions: Some(self.uris.clone()).filter(|uris| !uris.is_empty()),
            ..SubscriptionFilter::default()
        };
        let mut listening = session.run(client.listen(wanted.clone())).await?;
        self.report(session, listening.granted())?;
        loop {
            let notice = match session.attempt(listening.next()).await {
                Ok(Some(notice)) => notice,
                Ok(None) => return Ok(Exit::Ok),
                Err(error) if is_cut(&error) => {
                    listening = listen_again(session, &wanted, error).await?;
                    self.report(session, listening.granted())?;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            if session.json {
                print_json(&json!({ "method": notice.method, "params": notice.params }))?;
            } else {
                let screen = Screen::stdout();
                print(&format!("{}\n", screen.clean(&told(&notice))))?;
            }
        }
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

/// Whether a stream is lost in a way that another may be had.
fn is_cut(error: &ClientError) -> bool {
    match error {
        ClientError::StreamEnded { .. } | ClientError::Unreachable { .. } => true,
        ClientError::Http(answer) => answer.status >= 500,
        _ => false,
    }
}

/// Opens the stream again, after pauses that grow. What happened meanwhile is not told by it.
async fn listen_again(
    session: &mut Session,
    wanted: &SubscriptionFilter,
    mut error: ClientError,
) -> Result<Listening> {
    let client = session.client.clone();
    let mut pause = FIRST_PAUSE;
    loop {
        let text = format!("{}; listening again in {} ms", chain(&error), pause.as_millis());
        session.console().warn(&text);
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        error = match session.attempt(client.listen(wanted.clone())).await {
            Ok(listening) => return Ok(listening),
            Err(error) if is_cut(&error) => error,
            Err(error) => return Err(error.into()),
        };
    }
}

/// A change in words.
fn told(notice: &Notice) -> String {
    match notice.news() {
        News::ToolsChanged => "the list of tools has changed".to_owned(),
        News::PromptsChanged => "the list of prompts has changed".to_owned(),
        News::ResourcesChanged => "the list of resources has changed".to_owned(),
        News::ResourceUpdated(updated) => format!("{} has changed", updated.uri),
        _ => {
            let params =
                notice.params.as_ref().map(|params| format!(" {}", params.get())).unwrap_or_default();
            format!("{}{params}", notice.method)
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes::types::RawJson;

    use super::*;

    fn notice(method: &str, params: Option<&str>) -> Notice {
        let params = params.map(|params| RawJson::parse(params).expect(params));
        Notice { method: method.to_owned(), params }
    }

    #[test]
    fn changes_are_told_in_words() {
        for (method, params, words) in [
            ("notifications/tools/list_changed", None, "the list of tools has changed"),
            (
                "notifications/resources/updated",
                Some(r#"{"uri":"demo://counter"}"#),
                "demo://counter has changed",
            ),
            ("notifications/unheard/of", Some(r#"{"x":1}"#), "notifications/unheard/of {\"x\":1}"),
        ] {
            assert_eq!(told(&notice(method, params)), words);
        }
    }
}
