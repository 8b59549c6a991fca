//! Sets of servers: what one of them does is nothing to the others. The servers are small shell scripts.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use hermes_client::servers::{
    ServerEvent, ServerEvents, ServerFile, ServerStatus, Servers, StartError, Surroundings,
};
use hermes_client::{Client, ClientError, Direction, EraChoice, Event, Restart, Status};
use hermes_testkit::{Side, Tape};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// Answers `initialize` and names its own process in `instructions`; what follows is the test's.
const OPEN: &str = r#"
exec 9>"$LIFE"
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"'$$'","serverInfo":{"name":"sh","version":"1"}}}'
read -r line
"#;

/// Reads until there is no more.
const LISTEN: &str = "while read -r line; do :; done";

/// A folder of its own, and in it a pipe that ends when the last process that was started for the test has ended.
struct Stage {
    folder: PathBuf,
    /// Held open, so that no server waits for a reader.
    life: Option<File>,
    /// Every message of a client is judged on it.
    tape: Arc<Tape>,
}

impl Stage {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hermes-servers-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(folder.join("life")).status().expect("mkfifo");
        assert!(made.success());
        let life = File::options().read(true).write(true).open(folder.join("life")).expect("a pipe");
        Self { folder, life: Some(life), tape: Arc::new(Tape::new(&[Side::Client])) }
    }

    /// The entry of a server that opens a session and then does this.
    fn server(&self, script: &str) -> Value {
        let life = self.folder.join("life");
        json!({ "command": "sh", "args": ["-c", format!("{OPEN}{script}")], "env": { "LIFE": life } })
    }

    fn file(&self, servers: &Value) -> ServerFile {
        let text = json!({ "mcpServers": servers }).to_string();
        ServerFile::parse(&text, self.folder.join(".mcp.json"), &Surroundings::process())
            .expect("a file of servers")
    }

    fn start(&self, servers: &Value) -> Servers {
        let restart = Restart::default().first_pause(Duration::from_millis(1));
        let tape = Arc::clone(&self.tape);
        Servers::of(&self.file(servers), move |_| {
            let ear = tape.ear();
            Client::builder().era(EraChoice::Legacy).restart(restart).on_wire(move |direction, text| {
                let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
                ear.hears_line(side, text.as_bytes());
            })
        })
    }

    /// Waits until all processes have ended that were started meanwhile.
    async fn all_ended(&mut self, doing: impl Future<Output = ()>) {
        let mut life = File::open(self.folder.join("life")).expect("a pipe");
        self.life = None;
        let ended = tokio::task::spawn_blocking(move || life.read_to_end(&mut Vec::new()));
        doing.await;
        assert_eq!(ended.await.expect("no panic").expect("the pipe is there"), 0);
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.folder).expect("the folder can be removed");
    }
}

fn process(client: &Client) -> String {
    client.instructions().expect("the number of the process")
}

/// The next event of this server for which there is something to say.
async fn next<T>(events: &mut ServerEvents, name: &str, fits: impl Fn(ServerEvent) -> Option<T>) -> T {
    loop {
        let (server, event) = events.next().await.expect("the set is there");
        if &*server == name
            && let Some(found) = fits(event)
        {
            return found;
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_one_server_delays_no_other() {
    let stage = Stage::new();
    let servers = stage.start(&json!({
        "good": stage.server(LISTEN),
        "hangs": { "command": "sleep", "args": ["1000"] },
        "exits": { "command": "sh", "args": ["-c", "echo no >&2; exit 7"] },
        "gone": { "command": "no-such-program-anywhere" },
        "unset": { "command": "x", "args": ["${HERMES_TEST_UNSET}"] },
        "off": { "command": "x", "disabled": true },
    }));
    let good = servers.await_ready("good").await.expect("it is there");
    assert_eq!(good.server_info().expect("a name").name, "sh");
    let closed = servers.await_ready("exits").await.expect_err("it exits");
    let StartError::Connect { source, .. } = closed else { panic!("{closed:?}") };
    assert!(matches!(&*source, ClientError::Closed(closed) if closed.stderr == "no"), "{source:?}");
    let gone = servers.await_ready("gone").await.expect_err("it is not there");
    assert_eq!(gone.to_string(), "the server \"gone\" has no client");
    assert!(matches!(gone, StartError::Connect { source, .. } if matches!(*source, ClientError::Spawn(_))));
    let unset = servers.await_ready("unset").await.expect_err("a variable is missing");
    assert!(unset.to_string().contains("HERMES_TEST_UNSET"), "{unset}");
    assert!(matches!(servers.await_ready("off").await, Err(StartError::Disabled { .. })));
    assert!(matches!(servers.await_ready("none").await, Err(StartError::Unknown { .. })));
    let status = servers.status();
    assert!(matches!(status["good"], ServerStatus::Client(Status::Ready)), "{status:?}");
    assert!(matches!(status["hangs"], ServerStatus::Starting), "{status:?}");
    assert!(matches!(status["exits"], ServerStatus::Failed(_)), "{status:?}");
    assert!(matches!(status["off"], ServerStatus::Disabled), "{status:?}");
    let names: Vec<Arc<str>> = servers.names();
    assert_eq!(names.len(), 6);
    servers.close().await;
    assert!(servers.names().is_empty());
}

#[tokio::test]
async fn all_are_waited_for_and_those_that_failed_are_named() {
    let stage = Stage::new();
    let servers = stage.start(&json!({
        "a": stage.server(LISTEN),
        "b": { "command": "false" },
        "c": stage.server(LISTEN),
        "d": { "command": "x", "disabled": true },
    }));
    let failed = servers.await_all().await;
    assert_eq!(failed.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["b"]);
    assert!(servers.client("a").is_some() && servers.client("c").is_some() && servers.client("b").is_none());
    servers.close().await;
}

// spec: R114
#[tokio::test]
async fn a_server_that_is_killed_comes_back_and_its_events_bear_its_name() {
    let stage = Stage::new();
    let servers = stage.start(&json!({ "one": stage.server(LISTEN), "two": stage.server(LISTEN) }));
    assert!(servers.await_all().await.is_empty());
    let mut events = servers.events();
    let (one, two) = (servers.client("one").expect("one"), servers.client("two").expect("two"));
    let (first, other) = (process(&one), process(&two));
    let pid = Pid::from_raw(first.parse().expect("a number")).expect("a process");
    kill_process(pid, Signal::KILL).expect("it can be killed");
    next(&mut events, "one", |event| matches!(event, ServerEvent::Client(Event::Lost(_))).then_some(()))
        .await;
    next(&mut events, "one", |event| matches!(event, ServerEvent::Client(Event::Reopened(_))).then_some(()))
        .await;
    servers.await_ready("one").await.expect("it is there again");
    assert_ne!(process(&one), first);
    assert_eq!(process(&two), other);
    assert_eq!(events.missed(), 0);
    servers.close().await;
}

#[tokio::test]
async fn a_server_that_failed_is_started_anew_when_it_is_asked_for() {
    let stage = Stage::new();
    let script = stage.folder.join("server.sh");
    let mut entry = stage.server("");
    entry["args"] = json!([script]);
    let servers = stage.start(&json!({ "late": entry }));
    servers.await_ready("late").await.expect_err("the script is not there");
    fs::write(&script, format!("{OPEN}{LISTEN}")).expect("the script is written");
    let mut events = servers.events();
    assert!(servers.start("late"));
    assert!(!servers.start("none"));
    servers.await_ready("late").await.expect("the script is there");
    next(&mut events, "late", |event| matches!(event, ServerEvent::Starting).then_some(())).await;
    next(&mut events, "late", |event| matches!(event, ServerEvent::Ready).then_some(())).await;
    servers.close().await;
}

#[tokio::test]
async fn a_disabled_server_is_started_when_it_is_asked_for() {
    let stage = Stage::new();
    let mut entry = stage.server(LISTEN);
    entry["disabled"] = json!(true);
    let servers = stage.start(&json!({ "off": entry }));
    assert!(servers.await_all().await.is_empty());
    assert!(servers.start("off"));
    servers.await_ready("off").await.expect("it is started");
    servers.close().await;
}

#[tokio::test]
async fn reloading_disturbs_only_what_has_changed() {
    let stage = Stage::new();
    let (same, old, gone) = (stage.server(LISTEN), stage.server(LISTEN), stage.server(LISTEN));
    let servers = stage.start(&json!({ "same": same, "changed": old, "gone": gone }));
    assert!(servers.await_all().await.is_empty());
    let same_before = process(&servers.client("same").expect("same"));
    let (changed, removed) =
        (servers.client("changed").expect("changed"), servers.client("gone").expect("gone"));
    let mut events = servers.events();
    let new = stage.server(&format!(": changed; {LISTEN}"));
    // It stands in another line by now, which changes nothing.
    let file = stage.file(&json!({ "added": stage.server(LISTEN), "changed": new, "same": same }));
    servers.reload(&file).await;
    assert!(servers.await_all().await.is_empty());
    assert_eq!(process(&servers.client("same").expect("same")), same_before);
    let again = servers.client("changed").expect("changed");
    assert_ne!(process(&again), process(&changed));
    assert!(matches!(changed.status(), Status::Ended(_)), "the last one was closed first");
    assert!(matches!(removed.status(), Status::Ended(_)));
    assert!(servers.client("added").is_some() && servers.client("gone").is_none());
    next(&mut events, "gone", |event| matches!(event, ServerEvent::Removed).then_some(())).await;
    servers.close().await;
}

#[tokio::test]
async fn all_servers_are_closed_at_the_same_time() {
    let mut stage = Stage::new();
    // Each ends in good order only while the other one is being closed as well.
    let meets = |ours: &str, theirs: &str| {
        let folder = stage.folder.display();
        let (ours, theirs) = (format!("{folder}/{ours}"), format!("{folder}/{theirs}"));
        stage.server(&format!("{LISTEN}; mkfifo {ours}; until test -p {theirs}; do :; done; : > {ours}.done"))
    };
    let servers = stage.start(&json!({ "a": meets("a", "b"), "b": meets("b", "a") }));
    assert!(servers.await_all().await.is_empty());
    stage.all_ended(servers.close()).await;
    for done in ["a.done", "b.done"] {
        assert!(stage.folder.join(done).exists(), "{done}: it was ended by a signal");
    }
}

#[tokio::test]
async fn dropping_the_set_ends_every_server() {
    let mut stage = Stage::new();
    let servers = stage.start(&json!({ "a": stage.server(LISTEN), "b": stage.server(LISTEN) }));
    assert!(servers.await_all().await.is_empty());
    stage.all_ended(async move { drop(servers) }).await;
}

#[tokio::test]
async fn a_server_that_is_removed_is_unknown_and_whoever_waits_for_it_hears_so() {
    let stage = Stage::new();
    let servers = stage.start(&json!({ "hangs": { "command": "sleep", "args": ["1000"] } }));
    let waiting = servers.clone();
    let waiting = tokio::spawn(async move { waiting.await_ready("hangs").await });
    tokio::task::yield_now().await;
    assert!(servers.remove("hangs").await);
    assert!(!servers.remove("hangs").await);
    let unknown = waiting.await.expect("no panic").expect_err("it is gone");
    assert_eq!(unknown.to_string(), "there is no server \"hangs\"");
}

#[cfg(feature = "http")]
#[tokio::test]
async fn an_address_that_nobody_answers_at_fails_alone() {
    let stage = Stage::new();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    // It speaks no TLS.
    tokio::spawn(async move { while listener.accept().await.is_ok() {} });
    let servers = stage.start(&json!({
        "good": stage.server(LISTEN),
        "refused": { "url": "http://127.0.0.1:1/mcp" },
        "untrusted": { "url": format!("https://{address}/mcp") },
        "bad": { "url": "http://127.0.0.1:1/", "headers": { "no name": "x" } },
    }));
    let failed = servers.await_all().await;
    assert_eq!(failed.iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["bad", "refused", "untrusted"]);
    servers.close().await;
}

#[tokio::test]
async fn what_each_server_writes_to_stderr_is_heard_under_its_name() {
    let stage = Stage::new();
    let file = stage.file(&json!({
        "a": stage.server(&format!("echo from a >&2; {LISTEN}")),
        "b": stage.server(&format!("echo from b >&2; {LISTEN}")),
    }));
    let (sender, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let servers = Servers::of(&file, move |entry| {
        let (name, sender) = (entry.name().to_owned(), sender.clone());
        let hear = move |line: &str| drop(sender.send(format!("{name}: {line}")));
        Client::builder().era(EraChoice::Legacy).on_stderr(hear)
    });
    let mut lines = [heard.recv().await.expect("a line"), heard.recv().await.expect("another one")];
    lines.sort();
    assert_eq!(lines, ["a: from a", "b: from b"]);
    servers.close().await;
}
