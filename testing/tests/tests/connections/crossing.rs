//! Two clients of one server, over every transport that has sessions: whatever they do in whatever order, nothing of one
//! reaches the other.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::socket::Socket;
use hermes::types::{LoggingLevel, Resource};
use hermes::{EraChoice, News, Notice, Target};
use proptest::prelude::*;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::{Empty, Outcome};

const TOOLS: [&str; 2] = ["alpha", "beta"];
const URIS: [&str; 2] = ["res://a", "res://b"];
const LEVELS: [LoggingLevel; 3] = [LoggingLevel::Debug, LoggingLevel::Warning, LoggingLevel::Error];

/// What one of two clients does, or what happens to its session; or what concerns both.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// It calls the tool that counts calls in its session's data.
    Visit(usize),
    /// It asks for log messages of this level.
    Level(usize, usize),
    Subscribe(usize, usize),
    Unsubscribe(usize, usize),
    /// Its session gets a tool, or loses it.
    Turn(usize, usize),
    /// A resource changes in its session only.
    Touch(usize, usize),
    /// A resource changes for everybody.
    Change(usize),
    /// The server logs at this level.
    Log(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let (who, which, level) = (0..2_usize, 0..2_usize, 0..LEVELS.len());
    prop_oneof![
        who.clone().prop_map(Step::Visit),
        (who.clone(), level.clone()).prop_map(|(who, level)| Step::Level(who, level)),
        (who.clone(), which.clone()).prop_map(|(who, uri)| Step::Subscribe(who, uri)),
        (who.clone(), which.clone()).prop_map(|(who, uri)| Step::Unsubscribe(who, uri)),
        (who.clone(), which.clone()).prop_map(|(who, tool)| Step::Turn(who, tool)),
        (who, which.clone()).prop_map(|(who, uri)| Step::Touch(who, uri)),
        which.prop_map(Step::Change),
        level.prop_map(Step::Log),
    ]
}

/// What a client is told of, in short.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Told {
    Tools,
    Resource(String),
    Log(String),
    Else(String),
}

impl Told {
    fn of(notice: &Notice) -> Self {
        match notice.news() {
            News::ToolsChanged => Self::Tools,
            News::ResourceUpdated(updated) => Self::Resource(updated.uri),
            News::Log(log) => Self::Log(log.data.get().to_owned()),
            _ => Self::Else(notice.method.clone()),
        }
    }
}

/// One of the two clients, its session, and how both should be.
struct Guest {
    client: Client,
    session: SessionHandle,
    told: UnboundedReceiver<Told>,
    visits: usize,
    level: LoggingLevel,
    uris: BTreeSet<&'static str>,
    tools: BTreeSet<&'static str>,
}

impl Guest {
    async fn come(server: &Server, target: &Target) -> Outcome<Self> {
        let (tell, told) = unbounded_channel();
        let before: BTreeSet<String> =
            server.handle().sessions().iter().map(|it| format!("{it:?}")).collect();
        let client = Client::builder()
            .era(EraChoice::Legacy)
            // Who listens no more wants to hear nothing more.
            .on_notification(move |notice| drop(tell.send(Told::of(notice))))
            .connect(target.clone())
            .await?;
        // Its first call comes after the handshake is over.
        client.list_all_tools().await?;
        let sessions = server.handle().sessions();
        let session = sessions.into_iter().find(|session| !before.contains(&format!("{session:?}")));
        let session = session.ok_or("it has no session")?;
        let mut guest = Self {
            client,
            session,
            told,
            visits: 0,
            level: LoggingLevel::Info,
            uris: BTreeSet::new(),
            tools: BTreeSet::new(),
        };
        guest.hears("come", &[]).await?;
        Ok(guest)
    }

    /// Says that this is all that it hears until it is told to look up.
    async fn hears(&mut self, why: &str, expected: &[Told]) -> Outcome {
        const LOOK_UP: &str = "look up";
        self.session.log(LoggingLevel::Emergency, LOOK_UP);
        let last = Told::Log(format!("\"{LOOK_UP}\""));
        let mut heard = Vec::new();
        loop {
            let told = self.told.recv().await.ok_or("it hears no more")?;
            if told == last {
                break;
            }
            heard.push(told);
        }
        assert_eq!(heard, expected, "after {why}");
        Ok(())
    }
}

/// Takes a step. Gives what each of the two is to hear of.
async fn take(server: &Server, guests: &mut [Guest; 2], step: Step) -> Outcome<[Vec<Told>; 2]> {
    let mut heard = [Vec::new(), Vec::new()];
    match step {
        Step::Visit(who) => {
            let guest = &mut guests[who];
            guest.visits += 1;
            let visits: usize = guest.client.call("visit", ()).await?.read()?;
            assert_eq!(visits, guest.visits, "the data of a session are its own");
        }
        Step::Level(who, level) => {
            guests[who].client.set_log_level(LEVELS[level].clone()).await?;
            guests[who].level = LEVELS[level].clone();
        }
        Step::Subscribe(who, uri) => {
            guests[who].client.subscribe(URIS[uri]).await?;
            guests[who].uris.insert(URIS[uri]);
        }
        Step::Unsubscribe(who, uri) => {
            guests[who].client.unsubscribe(URIS[uri]).await?;
            guests[who].uris.remove(URIS[uri]);
        }
        Step::Turn(who, tool) => {
            let (guest, name) = (&mut guests[who], TOOLS[tool]);
            if guest.tools.remove(name) {
                guest.session.remove(Part::Tool(name));
            } else {
                guest.session.add(Component::tool(name, move |_: Empty, _: Context| async move { name }));
                guest.tools.insert(name);
            }
            heard[who].push(Told::Tools);
        }
        Step::Touch(who, uri) => {
            guests[who].session.resource_updated(URIS[uri]);
            if guests[who].uris.contains(URIS[uri]) {
                heard[who].push(Told::Resource(URIS[uri].to_owned()));
            }
        }
        Step::Change(uri) => {
            server.handle().resource_updated(URIS[uri]);
            for (guest, heard) in guests.iter().zip(&mut heard) {
                if guest.uris.contains(URIS[uri]) {
                    heard.push(Told::Resource(URIS[uri].to_owned()));
                }
            }
        }
        Step::Log(level) => {
            server.handle().log(LEVELS[level].clone(), "news");
            for (guest, heard) in guests.iter().zip(&mut heard) {
                if LEVELS[level] >= guest.level {
                    heard.push(Told::Log("\"news\"".to_owned()));
                }
            }
        }
    }
    Ok(heard)
}

/// What carries messages between a server and several clients.
#[derive(Clone, Copy)]
enum Carrier {
    Memory,
    StreamableHttp,
    HttpSse,
    WebSocket,
    Unix,
    Tcp,
}

impl fmt::Display for Carrier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Memory => "memory",
            Self::StreamableHttp => "http",
            Self::HttpSse => "http-sse",
            Self::WebSocket => "websocket",
            Self::Unix => "unix",
            Self::Tcp => "tcp",
        })
    }
}

/// A server that is served until the sender is dropped.
type Serving = Option<(oneshot::Sender<()>, JoinHandle<()>)>;

impl Carrier {
    /// Serves, and says where.
    async fn serve(self, server: &Server) -> Outcome<(Target, Serving)> {
        let (stop, stopped) = oneshot::channel::<()>();
        let end = async { drop(stopped.await) };
        let socket = match self {
            Self::Memory => return Ok((hermes::in_memory(server.clone()), None)),
            Self::StreamableHttp | Self::HttpSse | Self::WebSocket => {
                let http = StreamableHttp::new(server.clone()).http_sse("/sse").websockets();
                let bound = http.bind("127.0.0.1:0").await?;
                let address = bound.address();
                let target = match self {
                    Self::HttpSse => format!("http://{address}/sse"),
                    Self::WebSocket => format!("ws://{address}/mcp"),
                    _ => bound.url(),
                };
                return Ok((target.into(), Some((stop, tokio::spawn(bound.serve(end))))));
            }
            Self::Unix => {
                let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR"));
                let path = path.join(format!("crossing-{}.sock", std::process::id()));
                Socket::unix(path).await?
            }
            Self::Tcp => Socket::tcp("127.0.0.1:0").await?,
        };
        let (address, server) = (socket.address(), server.clone());
        let serving = tokio::spawn(async move { socket.serve(&server, end).await });
        Ok((address.into(), Some((stop, serving))))
    }

    /// Two clients do this and that.
    async fn meet(self, steps: Vec<Step>) -> Outcome {
        let server = Server::new("crossing", "1").tool("visit", |_: Empty, ctx: Context| async move {
            let visits: SessionData<AtomicUsize> = ctx.extract().await?;
            Ok::<_, ToolError>(visits.fetch_add(1, Ordering::Relaxed) + 1)
        });
        let server = URIS
            .into_iter()
            .fold(server, |server, uri| server.resource(Resource::new(uri, uri), |_| async { "contents" }));
        let (target, serving) = self.serve(&server).await?;
        let mut guests = [Guest::come(&server, &target).await?, Guest::come(&server, &target).await?];
        for step in steps {
            let expected = take(&server, &mut guests, step).await?;
            for (guest, expected) in guests.iter_mut().zip(&expected) {
                guest.hears(&format!("{step:?} over {self}"), expected).await?;
            }
        }
        for guest in &guests {
            let listed = guest.client.list_all_tools().await?;
            let names: BTreeSet<&str> = listed.values().map(|tool| tool.name.as_str()).collect();
            let expected: BTreeSet<&str> = guest.tools.iter().copied().chain(["visit"]).collect();
            assert_eq!(names, expected, "over {self}");
            for tool in TOOLS {
                let called = guest.client.call(tool, ()).await;
                assert_eq!(called.is_ok(), guest.tools.contains(tool), "{tool} over {self}: {called:?}");
            }
            guest.client.close().await;
        }
        if let Some((stop, serving)) = serving {
            drop(stop);
            serving.await?;
        }
        Ok(())
    }
}

/// Has them meet over one transport, in many ways.
fn never_cross(carrier: Carrier) {
    let config = ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.expect("a runtime");
    proptest!(config, |(steps in proptest::collection::vec(step(), 1..30))| {
        runtime.block_on(carrier.meet(steps)).expect("no client fails");
    });
}

#[test]
fn two_clients_never_cross_in_memory() {
    never_cross(Carrier::Memory);
}

#[test]
fn two_clients_never_cross_over_streamable_http() {
    never_cross(Carrier::StreamableHttp);
}

#[test]
fn two_clients_never_cross_over_http_sse() {
    never_cross(Carrier::HttpSse);
}

#[test]
fn two_clients_never_cross_over_a_websocket() {
    never_cross(Carrier::WebSocket);
}

#[test]
fn two_clients_never_cross_over_a_unix_domain_socket() {
    never_cross(Carrier::Unix);
}

#[test]
fn two_clients_never_cross_over_a_tcp_socket() {
    never_cross(Carrier::Tcp);
}
