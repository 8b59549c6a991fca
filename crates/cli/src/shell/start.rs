//! The state of a shell, and how it comes to a server.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes::ClientBuilder;
use hermes::types::{Era, LoggingLevel};
use tokio::sync::Notify;

use super::asking::Seat;
use super::candidates::Candidates;
use super::keyboard::Keyboard;
use super::link::{self, Link};
use crate::args::Flags;
use crate::console::Console;
use crate::exit::{Exit, Failure, Result};
use crate::output::print;
use crate::questions::{Answers, Host};
use crate::render::style;
use crate::session::Session;
use crate::target::Target;

/// A shell.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) target: Target,
    pub(crate) flags: Flags,
    pub(crate) console: Console,
    /// Where somebody types; none in a script.
    pub(crate) keyboard: Option<Keyboard>,
    /// Told when an answer is interrupted.
    pub(crate) interrupt: Arc<Notify>,
    pub(crate) candidates: Candidates,
    /// The level of log messages that was chosen here.
    pub(crate) level: Option<LoggingLevel>,
    pub(crate) link: Option<Link>,
}

impl Shell {
    /// Connects to the target, and leaves the server that was there. What was chosen before counts for the new one.
    ///
    /// # Errors
    /// The target cannot be reached. Then there is no server.
    ///
    /// # Cancel safety
    /// There may be no server then.
    pub(crate) async fn connect(&mut self) -> Result<()> {
        self.leave().await;
        let (console, host) = (self.console.clone(), self.host());
        let (catalogue, roots) = (self.candidates.catalogue.clone(), self.candidates.roots.clone());
        let hears = catalogue.clone();
        let more = move |builder: ClientBuilder| {
            builder
                .restart(link::restart())
                .on_notification(move |notice| hears.hear(notice))
                .on_roots(move || std::future::ready(Ok(roots.list())))
        };
        let opened = Box::pin(Session::at(&self.target, &self.flags, console, host, more)).await;
        let session = opened.map_err(|failure| failure.at(self.target.address().as_deref()))?;
        catalogue.turn_to(Some(session.client.clone()));
        self.link = Some(Link::new(session, self.keyboard.is_some(), &self.console, &catalogue).await);
        self.repeat_wishes().await;
        Ok(())
    }

    /// Tells a new server what the last one was told.
    async fn repeat_wishes(&mut self) {
        if let (Some(level), Some(link)) = (self.level.clone(), &self.link)
            && let Err(error) = link.client().set_log_level(level).await
        {
            self.console.warn(&error);
        }
        for uri in self.candidates.catalogue.watched() {
            if let Err(failure) = self.watch(&uri).await {
                self.console.warn(&format!("{uri} is not subscribed to any more: {failure}"));
                self.forget(&uri);
            }
        }
    }

    /// Leaves the server, if there is one.
    ///
    /// # Cancel safety
    /// The server is ended all the same.
    pub(crate) async fn leave(&mut self) {
        self.candidates.catalogue.turn_to(None);
        if let Some(link) = self.link.take() {
            link.close().await;
        }
    }

    /// The connection.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn link(&mut self) -> Result<&mut Link> {
        self.link.as_mut().ok_or_else(|| {
            Failure::new(Exit::Unreachable, "there is no server").with_hint(link::GONE.to_owned())
        })
    }

    /// Asks to hear of changes of a resource.
    ///
    /// # Errors
    /// The server refuses.
    ///
    /// # Cancel safety
    /// The request is taken back.
    pub(crate) async fn watch(&mut self, uri: &str) -> Result<()> {
        let (console, catalogue) = (self.console.clone(), self.candidates.catalogue.clone());
        let link = self.link()?;
        let client = link.client();
        match client.era() {
            Era::Legacy => {
                let operation = link.session.watched(client.subscribe(uri));
                link.session.run(operation).await?;
            }
            Era::Modern => {
                let wanted = hermes::types::SubscriptionFilter {
                    resource_subscriptions: Some(vec![uri.to_owned()]),
                    ..Default::default()
                };
                let listening = link.session.run(client.listen(wanted)).await?;
                if listening.granted().resource_subscriptions.as_deref().unwrap_or_default().is_empty() {
                    let message = format!("the server does not tell of changes of {uri}");
                    return Err(Failure::new(Exit::Protocol, message));
                }
                link.follow(uri, listening, &console, &catalogue);
            }
        }
        let mut watched = catalogue.watched();
        watched.insert(uri.to_owned());
        catalogue.watch(watched);
        Ok(())
    }

    /// Does not count a resource as subscribed to any more.
    pub(crate) fn forget(&self, uri: &str) {
        let watched: BTreeSet<String> =
            self.candidates.catalogue.watched().into_iter().filter(|watched| watched != uri).collect();
        self.candidates.catalogue.watch(watched);
    }

    fn host(&self) -> Host {
        let answers = Answers::new(self.flags.answers.clone());
        let (console, server) = (self.console.clone(), self.target.to_string());
        match self.seat() {
            Some(seat) => Host::at(console, answers, server, move || Box::new(seat.clone())),
            None => Host::new(console, answers, server),
        }
    }

    /// Where somebody answers.
    pub(crate) fn seat(&self) -> Option<Seat> {
        let keyboard = self.keyboard.clone()?;
        let (console, interrupt) = (self.console.clone(), Arc::clone(&self.interrupt));
        Some(Seat { keyboard, console, interrupt, filling: None })
    }

    /// Shows a result.
    ///
    /// # Errors
    /// Standard output cannot be written to.
    pub(crate) fn show(&self, text: &str) -> Result<()> {
        // An answer may be asked for that has nothing to do with this.
        match &self.keyboard {
            Some(keyboard) if keyboard.above().say(text.trim_end_matches('\n')) => Ok(()),
            _ => print(text),
        }
    }

    /// Says something that is no result.
    pub(crate) fn note(&self, text: &str) {
        self.console.note("note", style::FAINT, &text);
    }
}
