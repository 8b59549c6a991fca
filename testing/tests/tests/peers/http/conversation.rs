//! Everything that the client can do, said to one server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use hermes::types::{ElicitResult, RawJson, ResourceContents, SubscriptionFilter};
use hermes::{Client, ClientBuilder, ClientError, Direction, Heard, Listening, News, Notice};
use hermes_testkit::{Side, Tape};
use serde::Deserialize;
use serde_json::json;
use tokio::sync::Notify;

use super::peer::{Peer, Sessions, Watch};
use super::server::Server;
use crate::process::Result;

pub(super) const COUNTER: &str = "peer://counter";

/// How often the tool `sleep` was started and cancelled.
#[derive(Debug, Deserialize)]
pub(super) struct Counters {
    pub(super) started: u64,
    pub(super) cancelled: u64,
}

/// A user who fills in the first form, declines the second, and fills in any other one only when told to.
#[derive(Clone, Default)]
pub(super) struct User {
    forms: Arc<AtomicUsize>,
    /// Says that the user thinks about a form.
    pub(super) thinks: Arc<Notify>,
    /// Tells the user to fill it in.
    pub(super) decide: Arc<Notify>,
}

impl User {
    /// A client that asks this user.
    pub(super) fn asked_by(&self, builder: ClientBuilder) -> ClientBuilder {
        let user = self.clone();
        builder.on_elicit(move |form| {
            let user = user.clone();
            async move {
                assert_eq!(form.message, "Who are you?");
                match user.forms.fetch_add(1, Relaxed) {
                    0 => {}
                    1 => return Ok(ElicitResult::decline()),
                    _ => {
                        user.thinks.notify_one();
                        user.decide.notified().await;
                    }
                }
                Ok(ElicitResult::accept(RawJson::encode(&json!({ "name": "Ada" }))?))
            }
        })
    }
}

/// A client in conversation with a server.
pub(super) struct Conversation {
    pub(super) peer: Peer,
    pub(super) client: Client,
    pub(super) user: User,
    /// Hears whether the client sends what its revision lacks.
    tape: Tape,
}

impl Conversation {
    /// Connects. What the two agree on is what this server can do.
    pub(super) async fn open(peer: Peer, server: &Server) -> Result<Self> {
        let cell = peer.cell("opening");
        let user = User::default();
        let tape = Tape::new(&[Side::Client]);
        let ear = tape.ear();
        let builder = user.asked_by(Client::builder()).on_wire(move |direction, text| {
            let side = match direction {
                Direction::Sent => Side::Client,
                Direction::Received => Side::Server,
            };
            ear.hears_line(side, text.as_bytes());
        });
        let client = connect(&peer, builder, server).await?;
        assert_eq!(client.revision(), peer.revision);
        assert!(client.server_info().is_some_and(|info| peer.name.starts_with(&info.name)), "{client:?}");
        cell.pass();
        Ok(Self { peer, client, user, tape })
    }

    /// Holds all of it.
    pub(super) async fn hold(&self) -> Result {
        self.tools().await?;
        self.resources().await?;
        self.prompts().await?;
        self.subscription().await?;
        self.progress().await?;
        self.cancellation().await?;
        self.elicitation().await
    }

    /// Closes, and asks the server whether it has forgotten the session.
    pub(super) async fn close(self, server: &Server) -> Result {
        let cell = self.peer.cell("closing");
        self.client.close().await;
        if self.peer.sessions == Sessions::Counted {
            let other = connect(&self.peer, Client::builder(), server).await?;
            assert_eq!(
                other.call("sessions", ()).await?.read::<u64>()?,
                1,
                "only that of whoever asks is left"
            );
            other.close().await;
        }
        assert_eq!(self.tape.faults(), Vec::<String>::new());
        cell.pass();
        Ok(())
    }

    async fn tools(&self) -> Result {
        let cell = self.peer.cell("tools");
        let tools = self.client.list_all_tools().await?;
        for name in ["add", "progress", "sleep", "counters", "ask", "touch"] {
            assert!(tools.values().any(|tool| tool.name == name), "{name} is missing");
        }
        assert_eq!(self.add().await?, 5.0);
        cell.pass();
        Ok(())
    }

    async fn resources(&self) -> Result {
        let cell = self.peer.cell("resources");
        let resources = self.client.list_all_resources().await?;
        assert!(resources.values().any(|resource| resource.uri == COUNTER));
        assert_eq!(self.counter().await?, "0");
        cell.pass();
        Ok(())
    }

    async fn prompts(&self) -> Result {
        let cell = self.peer.cell("prompts");
        let prompts = self.client.list_all_prompts().await?;
        assert!(prompts.values().any(|prompt| prompt.name == "greet"));
        let arguments = BTreeMap::from([("name".to_owned(), "Ada".to_owned())]);
        let greet = self.client.prompt("greet", &arguments).await?;
        let texts: Vec<&str> =
            greet.messages.iter().filter_map(|message| message.content.as_text()).collect();
        assert_eq!(texts, ["Please greet Ada."]);
        cell.pass();
        Ok(())
    }

    async fn subscription(&self) -> Result {
        let cell = self.peer.cell("subscriptions");
        match self.peer.watch {
            Watch::Nothing => match self.listen().await {
                Err(ClientError::Rpc { error, .. }) => assert_eq!(error.code, -32601),
                other => panic!("{other:?}"),
            },
            Watch::Silent => {
                self.listen().await?;
                assert_eq!(self.add().await?, 5.0);
            }
            Watch::Counter | Watch::Tools => {
                let mut listening = self.listen().await?;
                self.change().await?;
                match listening.next().await? {
                    Some(Heard::Notice(notice)) => self.assert_changed(&notice),
                    other => panic!("{other:?}"),
                }
            }
        }
        if self.peer.watch == Watch::Counter {
            assert_eq!(self.counter().await?, "1");
        }
        cell.pass();
        Ok(())
    }

    /// Has the server change what is listened to.
    pub(super) async fn change(&self) -> Result {
        let tool = if self.peer.watch == Watch::Counter { "touch" } else { "announce" };
        self.client.call(tool, ()).await?;
        Ok(())
    }

    /// It is what the server says of that change.
    pub(super) fn assert_changed(&self, notice: &Notice) {
        let news = notice.news();
        let is_it = match (&news, self.peer.watch) {
            (News::ResourceUpdated(updated), Watch::Counter) => updated.uri == COUNTER,
            (News::ToolsChanged, Watch::Tools) => true,
            _ => false,
        };
        assert!(is_it, "{news:?}");
    }

    async fn progress(&self) -> Result {
        let cell = self.peer.cell("progress");
        let mut heard = Vec::new();
        self.client
            .call("progress", json!({ "n": 5, "interval_ms": 1 }))
            .on_progress(|progress| heard.push((progress.progress, progress.total)))
            .await?;
        let expected = if self.peer.streams { 5 } else { 0 };
        assert_eq!(heard, (1..=expected).map(|step| (f64::from(step), Some(5.0))).collect::<Vec<_>>());
        cell.pass();
        Ok(())
    }

    async fn cancellation(&self) -> Result {
        let cell = self.peer.cell("cancellation");
        {
            let sleeping = async { self.client.call("sleep", json!({ "ms": 600_000 })).await };
            tokio::select! {
                slept = sleeping => panic!("{slept:?}"),
                started = self.counters(|it| it.started == 1) => assert_eq!(started?.cancelled, 0),
            }
        }
        if self.peer.hears_cancellation {
            assert_eq!(self.counters(|it| it.cancelled == 1).await?.started, 1);
        }
        assert_eq!(self.add().await?, 5.0);
        assert_eq!(self.client.pending(), 0);
        cell.pass();
        Ok(())
    }

    async fn elicitation(&self) -> Result {
        if !self.peer.asks {
            return Ok(());
        }
        let cell = self.peer.cell("elicitation");
        for expected in ["Hello, Ada", "decline"] {
            assert_eq!(ask(&self.client).await?, expected);
        }
        cell.pass();
        Ok(())
    }

    pub(super) async fn add(&self) -> Result<f64> {
        #[derive(Deserialize)]
        struct Sum {
            sum: f64,
        }
        Ok(self.client.call("add", json!({ "a": 2, "b": 3 })).await?.read::<Sum>()?.sum)
    }

    async fn counter(&self) -> Result<String> {
        let read = self.client.read(COUNTER).await?;
        match read.contents.as_slice() {
            [ResourceContents::Text(contents)] => Ok(contents.text.clone()),
            other => Err(format!("{other:?}").into()),
        }
    }

    /// Asks for the counters until they are as they should be.
    pub(super) async fn counters(&self, done: impl Fn(&Counters) -> bool) -> Result<Counters> {
        loop {
            let counters = self.client.call("counters", ()).await?.read()?;
            if done(&counters) {
                return Ok(counters);
            }
        }
    }

    pub(super) async fn listen(&self) -> std::result::Result<Listening, ClientError> {
        let wish = SubscriptionFilter {
            resource_subscriptions: (self.peer.watch == Watch::Counter).then(|| vec![COUNTER.to_owned()]),
            tools_list_changed: (self.peer.watch != Watch::Counter).then_some(true),
            ..SubscriptionFilter::default()
        };
        self.client.listen(wish).await
    }
}

/// What the tool says that asks the user.
pub(super) async fn ask(client: &Client) -> std::result::Result<String, ClientError> {
    client.call("ask", json!({ "message": "Who are you?" })).await?.read()
}

async fn connect(peer: &Peer, builder: ClientBuilder, server: &Server) -> Result<Client> {
    Ok(builder.era(peer.era).connect(server.url("/mcp")).await?)
}
