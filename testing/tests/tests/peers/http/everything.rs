//! The server that shows everything, of the TypeScript SDK's authors, as it is published: over both transports of HTTP.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hermes::types::{ElicitResult, RawJson, Revision, SubscriptionFilter};
use hermes::{Client, ClientError, Event, Events, Heard, Listening, News};
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::patience::{SECOND, by, soon};
use super::server::Server;
use crate::grid::{Cell, Role};
use crate::process::{Result, peers};

const TEXT: &str = "demo://resource/dynamic/text/1";

/// A conversation with the server.
struct Everything {
    name: &'static str,
    server: Server,
    client: Client,
}

impl Everything {
    async fn open(name: &'static str, transport: &str, path: &str) -> Result<Self> {
        let package = peers().join("node_modules/@modelcontextprotocol/server-everything");
        let command: Vec<PathBuf> = vec!["node".into(), package.join("dist/index.js"), transport.into()];
        let server = Server::start_by_variable(&format!("http-everything-{transport}"), command).await?;
        let cell = Cell::begin(Role::Server, name, "opening");
        let builder = Client::builder().on_elicit(|_| async {
            let content = json!({ "name": "Ada", "firstLine": "A line of text" });
            Ok(ElicitResult::accept(RawJson::encode(&content)?))
        });
        let client = builder.connect(server.url(path)).await?;
        assert_eq!(client.revision(), Revision::V2025_11_25);
        cell.pass();
        Ok(Self { name, server, client })
    }

    fn cell(&self, what: &str) -> Cell {
        Cell::begin(Role::Server, self.name, what)
    }

    async fn hold(&self) -> Result {
        let client = &self.client;
        let cell = self.cell("tools");
        assert!(client.list_all_tools().await?.values().any(|tool| tool.name == "get-sum"));
        assert_eq!(self.sum().await?, "The sum of 2 and 3 is 5.");
        cell.pass();

        let cell = self.cell("resources");
        assert!(client.list_all_resources().await?.values().next().is_some());
        let read = client.read(TEXT).await?;
        assert_eq!(read.contents.len(), 1);
        cell.pass();

        let cell = self.cell("prompts");
        assert!(client.list_all_prompts().await?.values().any(|prompt| prompt.name == "args-prompt"));
        let arguments = BTreeMap::from([("city".to_owned(), "Oslo".to_owned())]);
        let weather = client.prompt("args-prompt", &arguments).await?;
        let texts: Vec<&str> =
            weather.messages.iter().filter_map(|message| message.content.as_text()).collect();
        assert_eq!(texts, ["What's weather in Oslo?"]);
        cell.pass();

        let cell = self.cell("subscriptions");
        let mut listening = self.listen().await?;
        self.assert_updated(&mut listening).await?;
        cell.pass();

        let cell = self.cell("progress");
        let mut heard = Vec::new();
        let called = client
            .call("trigger-long-running-operation", json!({ "duration": 0.1, "steps": 4 }))
            .on_progress(|progress| heard.push(progress.progress))
            .await?;
        assert_eq!(heard, [1.0, 2.0, 3.0, 4.0]);
        assert!(called.read::<String>()?.starts_with("Long running operation completed."));
        cell.pass();

        let cell = self.cell("cancellation");
        let (working, heard) = self.working();
        heard.notified().await;
        working.abort();
        assert_eq!(self.sum().await?, "The sum of 2 and 3 is 5.");
        assert_eq!(client.pending(), 0);
        cell.pass();

        let cell = self.cell("elicitation");
        let asked = client.call("trigger-elicitation-request", ()).await?;
        let texts: Vec<&str> = asked.content.iter().filter_map(|block| block.as_text()).collect();
        assert!(texts.iter().any(|text| text.contains("- Name: Ada")), "{texts:?}");
        cell.pass();
        Ok(())
    }

    async fn sum(&self) -> std::result::Result<String, ClientError> {
        self.client.call("get-sum", json!({ "a": 2, "b": 3 })).await?.read()
    }

    /// A call that lasts, and what says that its progress was heard of.
    fn working(&self) -> (JoinHandle<std::result::Result<(), ClientError>>, Arc<Notify>) {
        let heard = Arc::new(Notify::new());
        let (client, hear) = (self.client.clone(), Arc::clone(&heard));
        let working = tokio::spawn(async move {
            let steps = json!({ "duration": 600, "steps": 60_000 });
            let call = client.call("trigger-long-running-operation", steps);
            call.on_progress(|_| hear.notify_one()).await.map(drop)
        });
        (working, heard)
    }

    async fn listen(&self) -> Result<Listening> {
        let wish = SubscriptionFilter {
            resource_subscriptions: Some(vec![TEXT.to_owned()]),
            ..SubscriptionFilter::default()
        };
        Ok(self.client.listen(wish).await?)
    }

    /// It tells of updates as long as it is made to pretend that there are some.
    async fn assert_updated(&self, listening: &mut Listening) -> Result {
        self.client.call("toggle-subscriber-updates", ()).await?;
        match soon("an update", listening.next()).await?? {
            Some(Heard::Notice(notice)) => {
                assert!(matches!(notice.news(), News::ResourceUpdated(it) if it.uri == TEXT), "{notice:?}");
            }
            other => panic!("{other:?}"),
        }
        self.client.call("toggle-subscriber-updates", ()).await?;
        Ok(())
    }
}

/// The next event that is about more than the standalone stream.
async fn next(events: &mut Events) -> Result<Event> {
    loop {
        match soon("an event", events.next()).await?.ok_or("the client is at its end")? {
            Event::PushStreamLost(_) => {}
            event => return Ok(event),
        }
    }
}

#[tokio::test]
async fn the_client_outlives_server_everything_over_streamable_http() -> Result {
    let mut it = Everything::open("server-everything over HTTP", "streamableHttp", "/mcp").await?;
    it.hold().await?;

    let cell = it.cell("killed");
    let mut events = it.client.events();
    let mut listening = it.listen().await?;
    let (working, heard) = it.working();
    heard.notified().await;
    it.server.kill()?;
    cell.pass();

    let cell = it.cell("restarted");
    it.server.restart().await?;
    let restarted = Instant::now();
    // It keeps the events of its answers, so the rest of this one might have been had. That the session is lost is found
    // out without any other call.
    let expired = by(restarted + SECOND, "a call to settle", working).await??;
    assert!(matches!(expired, Err(ClientError::SessionExpired { .. })), "{expired:?}");
    // It answers 400 to a session that it does not know.
    assert_eq!(it.sum().await?, "The sum of 2 and 3 is 5.");
    assert!(matches!(next(&mut events).await?, Event::SessionReplaced));
    assert!(matches!(soon("the gap", listening.next()).await??, Some(Heard::Gap)));
    it.assert_updated(&mut listening).await?;
    cell.pass();

    let cell = it.cell("closing");
    drop(listening);
    it.client.close().await;
    let log = it.server.log()?;
    let count = |words| log.matches(words).count();
    let (begun, ended) = (count("Session initialized with ID"), count("Transport closed for session"));
    assert_eq!((begun, ended), (2, 1), "the first was killed\n{log}");
    cell.pass();
    Ok(())
}

#[tokio::test]
async fn the_client_outlives_server_everything_over_http_with_sse() -> Result {
    let mut it = Everything::open("server-everything over HTTP+SSE", "sse", "/sse").await?;
    it.hold().await?;

    let cell = it.cell("killed");
    let mut events = it.client.events();
    let mut listening = it.listen().await?;
    let (working, heard) = it.working();
    heard.notified().await;
    it.server.kill()?;
    let lost = Instant::now();
    // All answers come on the one stream that is broken.
    let closed = by(lost + SECOND, "a call to settle", working).await??;
    assert!(matches!(closed, Err(ClientError::Closed(_))), "{closed:?}");
    assert!(matches!(next(&mut events).await?, Event::Lost(_)));
    assert!(matches!(soon("the loss", listening.next()).await??, Some(Heard::Lost { .. })));
    cell.pass();

    let cell = it.cell("restarted");
    it.server.restart().await?;
    // It waits for the stream, which is asked for again and again.
    assert_eq!(it.sum().await?, "The sum of 2 and 3 is 5.");
    assert!(matches!(soon("the gap", listening.next()).await??, Some(Heard::Gap)));
    it.assert_updated(&mut listening).await?;
    let reopened = loop {
        match next(&mut events).await? {
            Event::Retrying { .. } => {}
            event => break event,
        }
    };
    assert!(matches!(reopened, Event::Reopened(Revision::V2025_11_25)), "{reopened:?}");
    cell.pass();

    let cell = it.cell("closing");
    drop(listening);
    it.client.close().await;
    // The end of the stream is the end of the session. It is noticed when the connection is closed, by nobody's answer.
    let begun = it.server.prints("Client Connected", 2).await?;
    let ended = it.server.prints("Client Disconnected", 1).await?;
    assert_eq!((begun, ended), (2, 1), "the first was killed\n{}", it.server.log()?);
    cell.pass();
    Ok(())
}
