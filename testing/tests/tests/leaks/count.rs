//! What there is of clients: their tasks, the descriptors of the process, its children, and the sessions of a server.

use std::fs;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hermes::http::{McpService, StreamableHttp};
use hermes::types::Era;
use hermes::{Server, ToolDef};
use tokio::runtime::{Builder, Runtime};

use crate::ways::Kind;

/// No count takes longer to come down.
const PATIENCE: Duration = Duration::from_secs(10);

/// The one process that ends all children should ours be killed: it comes with the first of them, and stays.
const GUARD: usize = 1;

/// Descriptors are counted for the whole process, so one test has it at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The variable by which a child and whatever it starts are known, whoever their parent is by then.
pub(crate) const MARK: &str = "HERMES_LEAK_MARK";

/// A process with a runtime for clients, and another for the server they come to.
pub(crate) struct House {
    pub(crate) runtime: Runtime,
    server: Runtime,
    service: McpService,
    pub(crate) address: SocketAddr,
    /// How many tasks the server has without anybody.
    at_rest: usize,
    pub(crate) mark: String,
    _alone: MutexGuard<'static, ()>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Left {
    tasks: usize,
    server_tasks: usize,
    processes: usize,
    sessions: u64,
    running: u64,
}

impl House {
    /// A server at rest accepts, and looks after sessions as soon as there was one.
    pub(crate) fn open(kind: Kind) -> Self {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let server = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let bound = server.block_on(StreamableHttp::new(small()).bind("127.0.0.1:0")).expect("a port");
        let (service, address) = (bound.service().clone(), bound.address());
        server.spawn(bound.serve(std::future::pending()));
        let mark = format!("{}-{}", std::process::id(), address.port());
        let at_rest = if let Kind::Http(Era::Legacy) = kind { 2 } else { 1 };
        Self { runtime, server, service, address, at_rest, mark, _alone: alone }
    }

    /// Waits until nobody is there, then counts the descriptors of the process.
    #[expect(clippy::disallowed_methods, reason = "counts come down by themselves, and nobody says when")]
    pub(crate) async fn empty(&self) -> usize {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = self.left();
            if left
                == (Left { tasks: 0, server_tasks: self.at_rest, processes: GUARD, sessions: 0, running: 0 })
            {
                return descriptors().len();
            }
            assert!(Instant::now() < until, "there is still {left:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    fn left(&self) -> Left {
        let metrics = self.service.endpoint().metrics();
        Left {
            tasks: self.runtime.metrics().num_alive_tasks(),
            server_tasks: self.server.metrics().num_alive_tasks(),
            processes: processes(&self.mark),
            sessions: metrics.sessions,
            running: metrics.running,
        }
    }
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

/// The server that clients come to.
pub(crate) fn small() -> Server {
    let echo = ToolDef::new("echo").description("Sends a text back").read_only();
    Server::new("small", "0.1.0").tool(echo, |Echo { text }, _| async move { text })
}

fn descriptors() -> Vec<String> {
    let shown = |entry: fs::DirEntry| fs::read_link(entry.path()).map(|to| to.display().to_string());
    let all = fs::read_dir("/proc/self/fd").expect("Linux");
    // The folder itself is open while it is read.
    let mut all: Vec<String> =
        all.filter_map(|entry| shown(entry.ok()?).ok()).filter(|to| !to.starts_with("/proc/")).collect();
    all.sort();
    all
}

/// What the descriptors are, for a test that fails.
pub(crate) fn descriptors_shown() -> String {
    descriptors().join(", ")
}

/// How many processes are children of ours, or know the mark.
fn processes(mark: &str) -> usize {
    let (own, variable) = (std::process::id(), format!("{MARK}={mark}"));
    let is_ours = |id: u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        // The name before may have blanks and brackets.
        let parent = stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(1));
        let knows_it = || {
            let variables = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
            variables.split(|byte| *byte == 0).any(|it| it == variable.as_bytes())
        };
        parent.and_then(|parent| parent.parse().ok()) == Some(own) || knows_it()
    };
    let all = fs::read_dir("/proc").expect("Linux");
    let ids = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| *id != own && is_ours(*id)).count()
}
