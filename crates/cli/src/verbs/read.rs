//! `hermes read`: the contents of a resource.

use super::words::Words;
use crate::exit::{Exit, Result};
use crate::output::{print, print_raw};
use crate::render::{Screen, read_result};
use crate::session::Session;

pub(crate) struct Read {
    uri: String,
}

impl Read {
    pub(crate) fn parse(mut words: Words) -> Result<Self> {
        let uri = words.next("the URI of a resource")?;
        words.end()?;
        Ok(Self { uri })
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let operation = session.watched(client.read(self.uri));
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
        } else {
            print(&read_result(Screen::stdout(), &result))?;
        }
        Ok(Exit::Ok)
    }
}
