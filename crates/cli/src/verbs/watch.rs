//! `--watch`: once now, and again whenever it changes.

use hermes::types::SubscriptionFilter;
use hermes::{Heard, News};

use crate::exit::{Exit, Failure, Result, chain};
use crate::render::style;
use crate::session::Session;

/// Does something, and does it again whenever something of what is wanted has changed, until the server ends the
/// stream. Listens before the first time, so that no change falls between.
///
/// # Errors
/// The server tells of no such change, or it fails once.
pub(super) async fn watch(
    session: &mut Session,
    wanted: SubscriptionFilter,
    mut again: impl AsyncFnMut(&mut Session) -> Result<Exit>,
) -> Result<Exit> {
    let client = session.client.clone();
    let mut listening = session.run(client.listen(wanted)).await?;
    if listening.granted().is_empty() {
        return Err(Failure::new(Exit::Protocol, "the server does not tell of changes"));
    }
    let mut exit = again(session).await?;
    while let Some(heard) = session.attempt(listening.next()).await? {
        let news = match heard {
            Heard::Notice(notice) => match notice.news() {
                News::ToolsChanged => "the list of tools".to_owned(),
                News::PromptsChanged => "the list of prompts".to_owned(),
                News::ResourcesChanged => "the list of resources".to_owned(),
                News::ResourceUpdated(updated) => updated.uri,
                _ => continue,
            },
            Heard::Lost { reason, .. } => {
                session.console().warn(&format!("{}; listening again", chain(&*reason)));
                continue;
            }
            // What was missed is seen by looking.
            Heard::Gap => "there may be news".to_owned(),
            _ => continue,
        };
        session.console().note("changed", style::FAINT, &news);
        exit = again(session).await?;
    }
    Ok(exit)
}
