//! `hermes read`: the contents of a resource.

use hermes::Received;
use hermes::types::{ReadResourceResult, SubscriptionFilter};

use super::watch::{Watched, watch};
use super::words::Words;
use crate::args::{Output, Watch};
use crate::exit::{Exit, Failure, Result};
use crate::output::{print, print_raw};
use crate::render::{Screen, read_result};
use crate::save::{Piece, Save};
use crate::session::Session;

pub(crate) struct Read {
    uri: String,
    save: Option<Save>,
    watch: bool,
}

impl Read {
    pub(crate) fn parse(mut words: Words, output: &Output, watch: Watch, json: bool) -> Result<Self> {
        let uri = words.next("the URI of a resource")?;
        words.end()?;
        Ok(Self { uri, save: Save::parse(output, json)?, watch: watch.watch })
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        if !self.watch {
            let seen = self.look(session).await?;
            return self.show(session, &seen);
        }
        let wanted = SubscriptionFilter {
            resource_subscriptions: Some(vec![self.uri.clone()]),
            ..SubscriptionFilter::default()
        };
        watch(session, wanted, &self).await
    }
}

/// The contents of a resource, and the result as it came.
pub(crate) struct Contents(Received<ReadResourceResult>);

impl PartialEq for Contents {
    fn eq(&self, other: &Self) -> bool {
        self.0.contents == other.0.contents
    }
}

impl Watched for Read {
    type Seen = Contents;

    async fn look(&self, session: &mut Session) -> Result<Contents> {
        let client = session.client.clone();
        let operation = session.watched(client.read(&self.uri));
        session.run(operation).await.map(Contents)
    }

    fn show(&self, session: &Session, Contents(result): &Contents) -> Result<Exit> {
        if session.json {
            print_raw(&result.raw)?;
        }
        if let Some(save) = &self.save {
            let pieces = result.contents.iter().map(Piece::of_contents).collect::<Result<Vec<_>>>()?;
            if pieces.is_empty() {
                return Err(Failure::new(Exit::Protocol, format!("{} has no contents", self.uri)));
            }
            save.write(&pieces, session.console())?;
        } else if !session.json {
            print(&read_result(Screen::stdout(), result))?;
        }
        Ok(Exit::Ok)
    }
}
