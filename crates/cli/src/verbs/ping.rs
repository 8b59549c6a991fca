//! `hermes ping`: whether a server answers.

use std::time::Instant;

use super::words::Words;
use crate::exit::{Exit, Result};
use crate::output::{print, print_raw};
use crate::session::Session;

pub(crate) struct Ping;

impl Ping {
    pub(crate) fn parse(words: Words) -> Result<Self> {
        words.end()?;
        Ok(Self)
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let started = Instant::now();
        let result = session.run(client.ping()).await?;
        let took = started.elapsed();
        if session.json {
            print_raw(&result.raw)?;
        } else {
            print(&format!("answered in {}.{} ms\n", took.as_millis(), took.subsec_micros() / 100 % 10))?;
        }
        Ok(Exit::Ok)
    }
}
