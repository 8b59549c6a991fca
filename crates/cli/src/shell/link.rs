//! The connection to the server, and everything that is heard of it meanwhile.

use std::collections::BTreeMap;
use std::time::Duration;

use hermes::types::{Era, SubscriptionFilter};
use hermes::{Client, Event, Events, Heard, Listening, Restart, Status};
use tokio::task::JoinHandle;

use super::catalogue::Catalogue;
use crate::console::Console;
use crate::exit::chain;
use crate::render::{style, told};
use crate::session::Session;

/// How often a server that has gone is started again by itself.
const ATTEMPTS: u32 = 3;
/// How long it is waited before each attempt.
const PAUSE: Duration = Duration::from_secs(1);

/// For how long a server has to stay so that the attempts are counted anew.
const STEADY: Duration = Duration::from_secs(3);

/// What to do when the server does not come back.
pub(crate) const GONE: &str = "r tries again, q leaves";

/// How a server is brought back.
pub(crate) fn restart() -> Restart {
    Restart::default().attempts(ATTEMPTS).first_pause(PAUSE).longest_pause(PAUSE).steady(STEADY)
}

/// A connection.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) session: Session,
    /// Whether somebody sits there to whom changes are told.
    announces: bool,
    /// In the modern era a stream for each resource that is subscribed to, and one for the lists.
    streams: BTreeMap<String, Task>,
    _events: Task,
}

/// A task that ends with its owner.
#[derive(Debug)]
struct Task(JoinHandle<()>);

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Under this name, which is no URI, the stream of the lists is kept.
const LISTS: &str = "";

impl Link {
    /// Takes over a connection that was opened just now.
    ///
    /// # Cancel safety
    /// Dropping the future closes the connection.
    pub(crate) async fn new(
        mut session: Session,
        announces: bool,
        console: &Console,
        catalogue: &Catalogue,
    ) -> Self {
        if announces {
            let catalogue = catalogue.clone();
            session.announce(move |notice| catalogue.is_news(notice));
        }
        let events = tell(session.client.events(), console.clone(), catalogue.clone());
        let events = Task(tokio::spawn(events));
        let mut link = Self { session, announces, streams: BTreeMap::new(), _events: events };
        link.hear_of_lists(console, catalogue).await;
        link
    }

    /// Has a modern server tell when its lists change. A legacy one does so by itself.
    async fn hear_of_lists(&mut self, console: &Console, catalogue: &Catalogue) {
        let client = &self.session.client;
        let declared = client.capabilities();
        let wanted = SubscriptionFilter {
            tools_list_changed: declared.tools.and_then(|it| it.list_changed),
            prompts_list_changed: declared.prompts.and_then(|it| it.list_changed),
            resources_list_changed: declared.resources.and_then(|it| it.list_changed),
            ..SubscriptionFilter::default()
        };
        if client.era() == Era::Legacy || wanted.is_empty() {
            return;
        }
        match client.listen(wanted).await {
            Ok(listening) => self.follow(LISTS, listening, console, catalogue),
            Err(error) => console.warn(&format!("changes of the lists are not told: {}", chain(&error))),
        }
    }

    /// Shows what a stream about this says from now on.
    pub(crate) fn follow(
        &mut self,
        about: &str,
        listening: Listening,
        console: &Console,
        catalogue: &Catalogue,
    ) {
        let is_told = self.announces || about != LISTS;
        let following = follow(listening, is_told, console.clone(), catalogue.clone());
        self.streams.insert(about.to_owned(), Task(tokio::spawn(following)));
    }

    /// Ends a stream.
    pub(crate) fn leave(&mut self, about: &str) {
        self.streams.remove(about);
    }

    /// Takes leave of the server.
    ///
    /// # Cancel safety
    /// The server is ended all the same.
    pub(crate) async fn close(self) {
        let Self { session, streams, _events, announces: _ } = self;
        drop((streams, _events));
        session.close().await;
    }

    /// The client.
    pub(crate) fn client(&self) -> Client {
        self.session.client.clone()
    }

    /// How many streams of changes are open. In the modern era each of them is a request that is never answered.
    pub(crate) fn listening(&self) -> usize {
        self.streams.values().filter(|stream| !stream.0.is_finished()).count()
    }

    /// Whether there is a server, or will be one again by itself.
    pub(crate) fn is_there(&self) -> bool {
        !matches!(self.session.client.status(), Status::GaveUp(_) | Status::Ended(_))
    }
}

/// Says what becomes of the connection.
async fn tell(mut events: Events, console: Console, catalogue: Catalogue) {
    let restarted = |text: &str| console.note("server", style::WARNING, &text);
    while let Some(event) = events.next().await {
        match event {
            Event::Lost(closed) => restarted(&format!("the server is gone: {closed}")),
            Event::Retrying { attempt, .. } => {
                restarted(&format!(
                    "it is started again in {} s, attempt {attempt} of {ATTEMPTS}",
                    PAUSE.as_secs()
                ));
            }
            Event::Reopened(revision) => {
                catalogue.forget();
                console.note(
                    "server",
                    style::GOOD,
                    &format!("the server is there again, revision {revision}"),
                );
            }
            Event::SessionReplaced => {
                catalogue.forget();
                restarted("the server had lost the session; a new one is begun");
            }
            Event::PushStreamLost(why) => {
                restarted(&format!("what the server says by itself is lost: {why}"));
            }
            Event::GaveUp(reason) => {
                let text = format!("the server does not come back: {}; {GONE}", chain(&*reason));
                console.note("error", style::BAD, &text);
            }
            Event::Ended(closed) if !matches!(closed.reason, hermes::CloseReason::Local) => {
                console.note("error", style::BAD, &format!("the server is gone: {closed}; {GONE}"));
            }
            _ => {}
        }
    }
}

/// Says what a stream of changes says.
async fn follow(mut listening: Listening, is_told: bool, console: Console, catalogue: Catalogue) {
    loop {
        match listening.next().await {
            Ok(Some(Heard::Notice(notice))) => {
                catalogue.hear(&notice);
                if is_told && catalogue.is_news(&notice) {
                    console.note("server", style::FAINT, &told(&notice));
                }
            }
            Ok(Some(Heard::Lost { reason, pause })) if !pause.is_zero() => {
                let text = format!("{}; listening again in {} ms", chain(&*reason), pause.as_millis());
                console.warn(&text);
            }
            Ok(Some(Heard::Gap)) => {
                catalogue.forget();
                console.warn(&"what has changed meanwhile was not told");
            }
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => return console.warn(&format!("changes are not told any more: {}", chain(&error))),
        }
    }
}
