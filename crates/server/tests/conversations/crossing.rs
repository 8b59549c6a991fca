//! Two sessions and a modern client of one server, whatever they do: nothing of one reaches another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_server::{Component, Context, Part, Server, SessionData, SessionHandle, ToolError};
use hermes_types::{LoggingLevel, Resource, Revision};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::client::{Client, modern};

const TOOLS: [&str; 3] = ["alpha", "beta", "gamma"];
const URIS: [&str; 2] = ["res://a", "res://b"];
const LEVELS: [LoggingLevel; 3] = [LoggingLevel::Debug, LoggingLevel::Warning, LoggingLevel::Error];

/// Whose tools change.
#[derive(Clone, Copy, Debug)]
enum Whose {
    Server,
    Session(usize),
}

/// What happens to a tool.
#[derive(Clone, Copy, Debug)]
enum Turn {
    Add,
    Remove,
    Enable,
    Disable,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    /// A client calls the tool that counts calls in its session's data.
    Visit(usize),
    /// A session asks for log messages of this level.
    Level(usize, usize),
    /// A call of a session logs.
    CallLogs(usize, usize),
    /// The server logs.
    ServerLogs(usize),
    Subscribe(usize, usize),
    Unsubscribe(usize, usize),
    /// A resource changes for everybody, or in one session only.
    Updated(Whose, usize),
    Tool(Whose, Turn, usize),
}

fn step() -> impl Strategy<Value = Step> {
    let session = 0..2_usize;
    let whose = || prop_oneof![Just(Whose::Server), (0..2_usize).prop_map(Whose::Session)];
    let turn = prop_oneof![Just(Turn::Add), Just(Turn::Remove), Just(Turn::Enable), Just(Turn::Disable)];
    prop_oneof![
        1 => (0..3_usize).prop_map(Step::Visit),
        1 => (session.clone(), 0..LEVELS.len()).prop_map(|(who, level)| Step::Level(who, level)),
        1 => (session.clone(), 0..LEVELS.len()).prop_map(|(who, level)| Step::CallLogs(who, level)),
        1 => (0..LEVELS.len()).prop_map(Step::ServerLogs),
        1 => (session.clone(), 0..URIS.len()).prop_map(|(who, uri)| Step::Subscribe(who, uri)),
        1 => (session, 0..URIS.len()).prop_map(|(who, uri)| Step::Unsubscribe(who, uri)),
        1 => (whose(), 0..URIS.len()).prop_map(|(whose, uri)| Step::Updated(whose, uri)),
        6 => (whose(), turn, 0..TOOLS.len()).prop_map(|(whose, turn, tool)| Step::Tool(whose, turn, tool)),
    ]
}

/// The tools of the server or of a session, as they should be.
#[derive(Clone, Default)]
struct Shelf {
    /// Each with the number of its registration.
    tools: BTreeMap<&'static str, usize>,
    switches: BTreeMap<&'static str, bool>,
}

/// What a client is shown: each tool with whose it is, and which registration.
type Shown = BTreeMap<&'static str, (bool, usize)>;

impl Shelf {
    /// What a client sees in whose session these are.
    fn shown(&self, server: &Self) -> Shown {
        let mut shown: Shown = self.tools.iter().map(|(name, number)| (*name, (false, *number))).collect();
        shown.extend(server.tools.iter().map(|(name, number)| (*name, (true, *number))));
        shown.retain(|name, _| {
            *self.switches.get(name).or_else(|| server.switches.get(name)).unwrap_or(&true)
        });
        shown
    }

    fn turn(&mut self, turn: Turn, tool: &'static str, is_taken: bool, number: usize) {
        match turn {
            Turn::Add if is_taken => {}
            Turn::Add => {
                self.tools.entry(tool).or_insert(number);
            }
            Turn::Remove => {
                self.tools.remove(tool);
            }
            Turn::Enable => {
                self.switches.insert(tool, true);
            }
            Turn::Disable => {
                self.switches.insert(tool, false);
            }
        }
    }
}

/// One session, as it should be.
struct Session {
    visits: usize,
    level: LoggingLevel,
    uris: BTreeSet<&'static str>,
    shelf: Shelf,
}

/// The server and its clients, and how they should be.
struct World {
    server: Server,
    clients: [Client; 3],
    handles: [SessionHandle; 2],
    sessions: [Session; 2],
    shelf: Shelf,
    made: usize,
    /// What came before the answer to a call.
    early: Heard,
}

/// What each client hears of: the parameters of notifications.
type Heard = [Vec<Value>; 3];

/// What a client hears of before the answer to its request with this id.
async fn news_before(id: &str, client: &mut Client) -> Vec<Value> {
    let mut news = Vec::new();
    loop {
        let mut message = client.next().await;
        if message["id"] == id {
            return news;
        }
        let mut params = message["params"].take();
        // What a listen stream hears says which one it is.
        params.as_object_mut().expect("an object").remove("_meta");
        news.push(params);
    }
}

impl World {
    async fn new() -> Self {
        let server = Server::new("test", "1")
            .tool("visit", |(): (), ctx: Context| async move {
                let visits: SessionData<AtomicUsize> = ctx.extract().await?;
                Ok::<_, ToolError>(visits.fetch_add(1, Ordering::Relaxed) + 1)
            })
            .tool("log", |level: BTreeMap<String, usize>, ctx: Context| async move {
                level.into_values().for_each(|level| ctx.log(LEVELS[level].clone(), "of a call"));
            });
        let server = URIS
            .into_iter()
            .fold(server, |server, uri| server.resource(Resource::new(uri, uri), |_| async { "contents" }));
        let first = Client::legacy(&server, Revision::V2025_11_25).await;
        let mut second = Client::legacy(&server, Revision::V2025_03_26).await;
        second.expect_silence().await;
        let mut listener = Client::connect(&server);
        let wish = json!({ "notifications": { "toolsListChanged": true } });
        listener.request(json!("L"), "subscriptions/listen", modern(wish)).await;
        assert_eq!(listener.next().await["method"], "notifications/subscriptions/acknowledged");
        let handles = server.handle().sessions().try_into().expect("two sessions");
        let session = || Session {
            visits: 0,
            level: LoggingLevel::Info,
            uris: BTreeSet::new(),
            shelf: Shelf::default(),
        };
        Self {
            server,
            clients: [first, second, listener],
            handles,
            sessions: [session(), session()],
            shelf: Shelf::default(),
            made: 0,
            early: Heard::default(),
        }
    }

    /// Takes a step. Gives what each client is to hear of.
    async fn take(&mut self, step: Step) -> Heard {
        let mut heard = Heard::default();
        let handle = self.server.handle();
        let logged = |level: &LoggingLevel, data: &str| json!({ "level": level.as_str(), "data": data });
        match step {
            Step::Visit(2) => {
                let call = modern(json!({ "name": "visit" }));
                let result = self.clients[2].result(json!("visit"), "tools/call", call).await;
                assert_eq!(result["content"][0]["text"], "1", "a modern call has data of its own");
            }
            Step::Visit(who) => {
                self.sessions[who].visits += 1;
                let result = self.clients[who].call(0, "visit", json!({})).await;
                assert_eq!(result["content"][0]["text"], self.sessions[who].visits.to_string());
            }
            Step::Level(who, level) => {
                let level = &LEVELS[level];
                let params = json!({ "level": level.as_str() });
                self.clients[who].result(json!("level"), "logging/setLevel", params).await;
                self.sessions[who].level = level.clone();
            }
            Step::CallLogs(who, level) => {
                let params = json!({ "name": "log", "arguments": { "level": level } });
                let level = &LEVELS[level];
                self.clients[who].request(json!("log"), "tools/call", params).await;
                self.early[who] = news_before("log", &mut self.clients[who]).await;
                if *level >= self.sessions[who].level {
                    heard[who].push(logged(level, "of a call"));
                }
            }
            Step::ServerLogs(level) => {
                let level = &LEVELS[level];
                handle.log(level.clone(), "of the server");
                for (session, heard) in self.sessions.iter().zip(&mut heard) {
                    if *level >= session.level {
                        heard.push(logged(level, "of the server"));
                    }
                }
            }
            Step::Subscribe(who, uri) => {
                let params = json!({ "uri": URIS[uri] });
                self.clients[who].result(json!("on"), "resources/subscribe", params).await;
                self.sessions[who].uris.insert(URIS[uri]);
            }
            Step::Unsubscribe(who, uri) => {
                let params = json!({ "uri": URIS[uri] });
                self.clients[who].result(json!("off"), "resources/unsubscribe", params).await;
                self.sessions[who].uris.remove(URIS[uri]);
            }
            Step::Updated(whose, uri) => {
                match whose {
                    Whose::Server => handle.resource_updated(URIS[uri]),
                    Whose::Session(who) => self.handles[who].resource_updated(URIS[uri]),
                }
                for (index, session) in self.sessions.iter().enumerate() {
                    let is_meant = matches!(whose, Whose::Server)
                        || matches!(whose, Whose::Session(who) if who == index);
                    if is_meant && session.uris.contains(URIS[uri]) {
                        heard[index].push(json!({ "uri": URIS[uri] }));
                    }
                }
            }
            Step::Tool(whose, turn, tool) => {
                let before = self.shown();
                self.turn(whose, turn, TOOLS[tool]);
                for ((before, after), heard) in before.iter().zip(&self.shown()).zip(&mut heard) {
                    if before != after {
                        heard.push(json!({}));
                    }
                }
            }
        }
        heard
    }

    fn turn(&mut self, whose: Whose, turn: Turn, tool: &'static str) {
        let part = Part::Tool(tool);
        self.made += 1;
        let says = format!("{tool} {}", self.made);
        let component = || {
            Component::tool(tool, move |(): (), _: Context| {
                let says = says.clone();
                async move { says }
            })
        };
        match whose {
            Whose::Server => {
                let handle = self.server.handle();
                match turn {
                    Turn::Add => handle.add(component()),
                    Turn::Remove => handle.remove(part),
                    Turn::Enable => handle.enable(part),
                    Turn::Disable => handle.disable(part),
                };
                self.shelf.turn(turn, tool, false, self.made);
            }
            Whose::Session(who) => {
                let handle = &self.handles[who];
                match turn {
                    Turn::Add => handle.add(component()),
                    Turn::Remove => handle.remove(part),
                    Turn::Enable => handle.enable(part),
                    Turn::Disable => handle.disable(part),
                };
                let is_taken = self.shelf.tools.contains_key(tool);
                self.sessions[who].shelf.turn(turn, tool, is_taken, self.made);
            }
        }
    }

    /// What each client is shown, as it should be.
    fn shown(&self) -> [Shown; 3] {
        let [first, second] = &self.sessions;
        [first.shelf.shown(&self.shelf), second.shelf.shown(&self.shelf), Shelf::default().shown(&self.shelf)]
    }

    /// What each client has heard of since it was asked last: the parameters of all notifications.
    async fn heard(&mut self) -> Heard {
        let mut heard = Heard::default();
        let early = self.early.iter_mut().map(std::mem::take);
        for ((client, heard), early) in self.clients.iter_mut().zip(&mut heard).zip(early) {
            *heard = early;
            client.request(json!("ping"), "ping", json!({})).await;
            heard.extend(news_before("ping", client).await);
        }
        heard
    }

    /// Asks each client what it is shown, and calls all of it.
    async fn look(&mut self) {
        let shown = self.shown();
        for (index, (client, shown)) in self.clients.iter_mut().zip(&shown).enumerate() {
            let params = |params: Value| if index == 2 { modern(params) } else { params };
            let listed = client.result(json!("list"), "tools/list", params(json!({}))).await;
            let listed = listed["tools"].as_array().expect("tools").iter();
            let names: Vec<_> =
                listed.map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
            let expected: Vec<_> = shown.keys().copied().chain(["log", "visit"]).collect();
            assert_eq!(names, expected, "client {index}");
            for tool in TOOLS {
                let call = params(json!({ "name": tool }));
                match shown.get(tool) {
                    Some((_, number)) => {
                        let result = client.result(json!("call"), "tools/call", call).await;
                        assert_eq!(
                            result["content"][0]["text"],
                            format!("{tool} {number}"),
                            "client {index}"
                        );
                    }
                    None => {
                        let error = client.error(json!("call"), "tools/call", call).await;
                        assert_eq!(error["code"], -32602, "client {index}");
                    }
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_of_one_client_reaches_another(steps in proptest::collection::vec(step(), 1..40)) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut world = World::new().await;
            for step in steps {
                let expected = world.take(step).await;
                assert_eq!(world.heard().await, expected, "after {step:?}");
            }
            world.look().await;
        });
    }
}
