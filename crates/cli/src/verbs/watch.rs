//! `--watch`: once now, and again whenever it changes.

use hermes::types::SubscriptionFilter;
use hermes::{Heard, Listening, News};

use crate::exit::{Exit, Failure, Result, chain};
use crate::render::style;
use crate::session::Session;

/// Something to look at again and again.
pub(super) trait Watched {
    /// What is seen of it. Where two are the same, there is no change to show.
    type Seen: PartialEq;

    /// Looks at it.
    ///
    /// # Errors
    /// The server does not show it.
    ///
    /// # Cancel safety
    /// What was asked is taken back.
    async fn look(&self, session: &mut Session) -> Result<Self::Seen>;

    /// Shows what was seen.
    ///
    /// # Errors
    /// It cannot be written.
    fn show(&self, session: &Session, seen: &Self::Seen) -> Result<Exit>;
}

/// What was heard before it is looked again.
#[derive(Default)]
struct Talk {
    /// What has changed, in words.
    changes: Vec<String>,
    /// Whether there may have been more.
    is_doubtful: bool,
    /// Whether the stream is lost, which is said once.
    is_lost: bool,
}

impl Talk {
    fn hear(&mut self, heard: Heard, session: &Session) {
        let change = match heard {
            Heard::Notice(notice) => match notice.news() {
                News::ToolsChanged => "the list of tools".to_owned(),
                News::PromptsChanged => "the list of prompts".to_owned(),
                News::ResourcesChanged => "the list of resources".to_owned(),
                News::ResourceUpdated(updated) => updated.uri,
                _ => return,
            },
            Heard::Lost { reason, .. } => {
                if !std::mem::replace(&mut self.is_lost, true) {
                    session.console().warn(&format!("{}; listening again", chain(&*reason)));
                }
                return;
            }
            // What was missed is seen by looking.
            Heard::Gap => {
                (self.is_doubtful, self.is_lost) = (true, false);
                return;
            }
            _ => return,
        };
        if !self.changes.contains(&change) {
            self.changes.push(change);
        }
    }

    const fn is_reason(&self) -> bool {
        self.is_doubtful || !self.changes.is_empty()
    }
}

/// Shows something, and shows it again whenever something of what is wanted has changed, until the server ends the
/// stream. Listens before the first time, so that no change falls between. What is heard at once is looked at once.
///
/// # Errors
/// The server tells of no such change, or it fails once.
///
/// # Cancel safety
/// What was asked is taken back.
pub(super) async fn watch(
    session: &mut Session,
    wanted: SubscriptionFilter,
    watched: &impl Watched,
) -> Result<Exit> {
    let client = session.client.clone();
    let mut listening = session.run(client.listen(wanted)).await?;
    if listening.granted().is_empty() {
        return Err(Failure::new(Exit::Protocol, "the server does not tell of changes"));
    }
    let mut last = watched.look(session).await?;
    let mut exit = watched.show(session, &last)?;
    let mut talk = Talk::default();
    while let Some(heard) = session.attempt(listening.next()).await? {
        talk.hear(heard, session);
        if !talk.is_reason() {
            continue;
        }
        let end = loop {
            match at_once(&mut listening).await {
                Ok(Some(heard)) => talk.hear(heard, session),
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let seen = watched.look(session).await?;
        let (changes, was_told) = (std::mem::take(&mut talk.changes), !talk.changes.is_empty());
        talk.is_doubtful = false;
        if !was_told && seen == last {
            session.console().note("listening", style::GOOD, &"again; nothing has changed meanwhile");
        } else {
            let told = if was_told { changes.join(", ") } else { "while nothing was heard".to_owned() };
            session.console().note("changed", style::FAINT, &told);
            exit = watched.show(session, &seen)?;
            last = seen;
        }
        end?;
    }
    Ok(exit)
}

/// What is there already. That the stream has ended is left to be heard.
async fn at_once(listening: &mut Listening) -> Result<Option<Heard>> {
    tokio::select! {
        biased;
        heard = listening.next() => Ok(heard?),
        () = std::future::ready(()) => Ok(None),
    }
}
