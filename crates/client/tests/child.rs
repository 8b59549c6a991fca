//! Servers as child processes: how they start, speak, fail and end. The servers are small shell scripts.

use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_client::child::{Command, Environment, Grace};
use hermes_client::{Client, ClientBuilder, ClientError, Direction, EraChoice, Restart, Warning};
use hermes_testkit::{Side, Tape};
use rustix::process::{Pid, Signal, kill_process};

/// Answers `initialize` and names its own process in `instructions`; what follows is the test's.
const OPEN: &str = r#"
exec 9>"$LIFE"
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"instructions":"'$$'","serverInfo":{"name":"sh","version":"1"}}}'
read -r line
"#;

/// A folder of its own, and in it a pipe that ends when the last process that was started for the test has ended.
struct Stage {
    folder: PathBuf,
    /// Every message of a client is judged on it.
    tape: Tape,
}

impl Stage {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("hermes-child-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let made = std::process::Command::new("mkfifo").arg(folder.join("life")).status().expect("mkfifo");
        assert!(made.success());
        Self { folder, tape: Tape::new(&[Side::Client]) }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A client that finds out what to speak.
    fn auto(&self) -> ClientBuilder {
        let ear = self.tape.ear();
        Client::builder().restart(Restart::never()).on_wire(move |direction, text| {
            let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
            ear.hears_line(side, text.as_bytes());
        })
    }

    /// A client of the legacy era.
    fn legacy(&self) -> ClientBuilder {
        self.auto().era(EraChoice::Legacy)
    }

    /// A server that opens a session and then does this.
    fn server(&self, script: &str) -> Command {
        self.script(&format!("{OPEN}{script}"))
    }

    fn script(&self, script: &str) -> Command {
        let grace = Grace { eof: Duration::from_millis(600), term: Duration::from_millis(600) };
        Command::new("sh").args(["-c", script]).env("LIFE", self.file("life")).cwd(&self.folder).grace(grace)
    }

    /// Waits, from now on, for the end of every process that the test starts.
    fn life(&self) -> tokio::task::JoinHandle<()> {
        let life = self.file("life");
        tokio::task::spawn_blocking(move || {
            std::fs::read(life).expect("readable");
        })
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // What is left of a failed test does no harm.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The server's process, which it named.
fn process(client: &Client) -> i32 {
    client.instructions().and_then(|pid| pid.parse().ok()).expect("a process")
}

/// Whether a process is there, be it as a zombie.
fn is_there(process: i32) -> bool {
    PathBuf::from(format!("/proc/{process}")).exists()
}

/// Waits for the end of all processes, and for us to reap the one that is our child.
async fn gone(life: tokio::task::JoinHandle<()>, process: i32) {
    let ended = async {
        life.await.expect("read to its end");
        let mut look = tokio::time::interval(Duration::from_millis(5));
        while is_there(process) {
            look.tick().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(5), ended).await.expect("neither alive nor a zombie");
}

#[tokio::test]
async fn a_dead_child_fails_every_call_with_its_exit_code_and_last_words() {
    let stage = Stage::new();
    let life = stage.life();
    let server = stage.server(r#"read -r a; read -r b; echo "disk full" >&2; echo "giving up" >&2; exit 3"#);
    let client = stage.legacy().connect(server).await.expect("connected");
    let begun = Instant::now();
    let (one, two) = tokio::join!(client.call("a", ()).into_future(), client.call("b", ()).into_future());
    assert!(begun.elapsed() < Duration::from_secs(2), "at once");
    for outcome in [one, two] {
        let Err(ClientError::Closed(closed)) = outcome else { panic!("{outcome:?}") };
        assert_eq!(closed.exit.and_then(|exit| exit.code()), Some(3));
        assert_eq!(closed.stderr, "disk full\ngiving up");
    }
    let error = client.ping().await.expect_err("still dead");
    assert_eq!(
        error.to_string(),
        "the server ended (exit status: 3); its stderr ends with:\ndisk full\ngiving up"
    );
    gone(life, process(&client)).await;
}

#[tokio::test]
async fn a_child_that_dies_while_its_own_child_holds_the_pipes_is_noticed() {
    let stage = Stage::new();
    let life = stage.life();
    let server = stage.server("read -r call; sleep 600 & kill -KILL $$");
    let client = stage.legacy().connect(server).await.expect("connected");
    let Err(ClientError::Closed(closed)) = client.call("t", ()).await else { panic!("it is dead") };
    assert_eq!(closed.exit.and_then(|exit| exit.signal()), Some(9));
    // What it left behind is ended too, although nobody has closed the client.
    gone(life, process(&client)).await;
}

#[tokio::test]
async fn a_child_that_closes_its_output_is_as_good_as_gone() {
    let stage = Stage::new();
    let life = stage.life();
    let server = stage.server("read -r call; exec >&-; read -r more");
    let client = stage.legacy().connect(server).await.expect("connected");
    let Err(ClientError::Closed(closed)) = client.call("t", ()).await else { panic!("no answer can come") };
    assert!(closed.exit.is_none(), "it still runs");
    client.close().await;
    gone(life, process(&client)).await;
}

// spec: R104
#[tokio::test]
async fn b056_stderr_is_always_drained_and_its_end_is_kept() {
    let stage = Stage::new();
    let script = r#"
        head -c 1048576 /dev/zero | tr '\0' '\377' >&2
        read -r line
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}}}}'
        read -r line
        head -c 5000000 /dev/zero | tr '\0' 'y' >&2
        n=2
        while read -r line; do
            head -c 262144 /dev/zero | tr '\0' 'z' >&2
            echo '{"jsonrpc":"2.0","id":'$n',"result":{"content":[]}}'
            n=$((n + 1))
        done
        echo >&2; echo "good bye" >&2
        exit 4
    "#;
    let begun = Instant::now();
    let longest = Arc::new(Mutex::new(0));
    let sink = Arc::clone(&longest);
    let command = stage.script(script).on_stderr(move |line| {
        let mut longest = sink.lock().expect("not poisoned");
        *longest = line.len().max(*longest);
    });
    let client = stage.legacy().connect(command).await.expect("connected");
    for _ in 0..20 {
        client.call("t", ()).await.expect("a result");
    }
    assert!(begun.elapsed() < Duration::from_secs(10));
    let exit = client.close().await.expect("it was reaped");
    assert_eq!(exit.code(), Some(4));
    // A byte that is no UTF-8 is shown as a character of three.
    assert!(*longest.lock().expect("not poisoned") <= 3 * 16 * 1024, "lines are shown in pieces");
}

#[tokio::test]
async fn b057_a_failed_handshake_leaves_no_process_and_no_zombie() {
    let stage = Stage::new();
    for _ in 0..20 {
        let life = stage.life();
        let script = r#"exec 9>"$LIFE"; echo $$ > pid; read -r line; exec sleep 600"#;
        let builder = stage.legacy().timeout(Duration::from_millis(50));
        let grace = Grace { eof: Duration::from_millis(20), term: Duration::from_millis(200) };
        let error = builder.connect(stage.script(script).grace(grace)).await.expect_err("no answer");
        assert!(error.is_timeout());
        let pid = std::fs::read_to_string(stage.file("pid")).expect("written");
        gone(life, pid.trim().parse().expect("a number")).await;
    }
}

#[tokio::test]
async fn b057_a_client_dropped_inside_a_call_leaves_no_process_and_no_zombie() {
    let stage = Stage::new();
    let life = stage.life();
    let client = stage
        .legacy()
        .connect(stage.server("trap '' TERM; while :; do sleep 1; done"))
        .await
        .expect("connected");
    let process = process(&client);
    let call = tokio::spawn(async move { client.call("t", ()).await.map(|_| ()) });
    tokio::task::yield_now().await;
    call.abort();
    assert!(call.await.expect_err("aborted").is_cancelled());
    gone(life, process).await;
}

#[tokio::test]
async fn b057_a_stopped_child_does_not_hold_up_closing() {
    let stage = Stage::new();
    let life = stage.life();
    let client = stage.legacy().connect(stage.server("read -r line")).await.expect("connected");
    let process = process(&client);
    kill_process(Pid::from_raw(process).expect("a process"), Signal::STOP).expect("stopped");
    let begun = Instant::now();
    let exit = client.close().await.expect("it was reaped");
    assert_eq!(exit.signal(), Some(9));
    assert!(begun.elapsed() < Duration::from_millis(2000), "within the two periods of grace");
    assert!(!is_there(process));
    gone(life, process).await;
}

// spec: R034
#[tokio::test]
async fn a_child_outlives_the_task_and_the_conversation_that_it_was_started_in() {
    let stage = Stage::new();
    let life = stage.life();
    let answer = r#"echo '{"jsonrpc":"2.0","id":'$1',"result":{"content":[{"type":"text","text":"'$$'"}]}}'"#;
    let script = format!(
        "reply() {{ {answer}; }}; while read -r line; do case $line in *tools/call*) n=$((n + 1)); reply $((n + 1)) ;; esac; done"
    );
    let client = stage.legacy().connect(stage.server(&script)).await.expect("connected");
    let mut processes = Vec::new();
    for _ in 0..3 {
        let client = client.clone();
        let conversation = tokio::spawn(async move { client.call("t", ()).await.expect("a result") });
        let result = conversation.await.expect("no panic");
        processes.push(result.content[0].as_text().and_then(|text| text.parse().ok()));
    }
    assert_eq!(processes, [Some(process(&client)); 3]);
    client.close().await;
    gone(life, process(&client)).await;
}

// spec: R084, R112
#[tokio::test]
async fn b058_a_child_is_given_time_at_every_step_of_its_end() {
    async fn close(stage: &Stage, script: &str, grace: Grace) -> (ExitStatus, Duration) {
        let life = stage.life();
        let client = stage.legacy().connect(stage.server(script).grace(grace)).await.expect("connected");
        let process = process(&client);
        let begun = Instant::now();
        let exit = client.close().await.expect("it was reaped");
        let elapsed = begun.elapsed();
        assert!(!is_there(process), "reaped");
        gone(life, process).await;
        (exit, elapsed)
    }
    let stage = Stage::new();
    let ample = Grace { eof: Duration::from_secs(10), term: Duration::from_secs(10) };
    let short = Grace { eof: Duration::from_millis(300), term: Duration::from_millis(300) };

    // It ends by itself, after some last work, and no signal is sent.
    let polite = "trap 'echo TERM > signal' TERM; read -r line; sleep 0.3; echo bye > bye; exit 7";
    let (exit, elapsed) = close(&stage, polite, ample).await;
    assert_eq!(exit.code(), Some(7));
    assert!(elapsed < ample.eof, "{elapsed:?}");
    assert_eq!(std::fs::read_to_string(stage.file("bye")).expect("written"), "bye\n");
    assert!(!stage.file("signal").exists());

    // It does not mind the end of its input, and obeys SIGTERM.
    let deaf = "trap 'exit 5' TERM; while :; do sleep 0.05; done";
    let (exit, elapsed) = close(&stage, deaf, Grace { term: ample.term, ..short }).await;
    assert_eq!(exit.code(), Some(5));
    assert!((short.eof..ample.term).contains(&elapsed), "{elapsed:?}");

    // It minds nothing.
    let stubborn = "trap '' TERM; while :; do sleep 1; done";
    let (exit, elapsed) = close(&stage, stubborn, short).await;
    assert_eq!(exit.signal(), Some(9));
    assert!((short.eof + short.term..ample.eof).contains(&elapsed), "{elapsed:?}");
}

#[tokio::test]
async fn what_a_child_leaves_behind_in_its_group_is_ended_too() {
    let stage = Stage::new();
    let life = stage.life();
    let script = "(trap '' TERM; sleep 600) & sleep 600 & read -r line; exit 0";
    let client = stage.legacy().connect(stage.server(script)).await.expect("connected");
    let process = process(&client);
    assert_eq!(client.close().await.and_then(|exit| exit.code()), Some(0));
    gone(life, process).await;
}

#[test]
fn a_child_ends_when_the_runtime_is_shut_down_without_closing() {
    let stage = Stage::new();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (client, life) = runtime.block_on(async {
        let life = stage.life();
        let script = "trap '' TERM; while :; do sleep 1; done";
        (stage.legacy().connect(stage.server(script)).await.expect("connected"), life)
    });
    runtime.shutdown_background();
    let after = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    after.block_on(gone(life, process(&client)));
    drop(client);
}

// spec: R095, R105
#[tokio::test]
async fn b078_a_server_that_exits_upon_the_probe_is_started_once_more_without_it() {
    for last_words in ["", r#"echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}';"#] {
        let stage = Stage::new();
        let script = format!(
            r#"
            echo start >> starts
            read -r line
            case $line in *server/discover*) {last_words} exit 1 ;; esac
            echo '{{"jsonrpc":"2.0","id":1,"result":{{"protocolVersion":"2024-11-05","capabilities":{{}},"instructions":"'$$'"}}}}'
            read -r line
            read -r line
            "#
        );
        let client = stage.auto().connect(stage.script(&script)).await.expect("connected");
        assert_eq!(client.revision().as_str(), "2024-11-05");
        assert_eq!(std::fs::read_to_string(stage.file("starts")).expect("written"), "start\nstart\n");
        client.close().await;
        assert!(!is_there(process(&client)));
    }
}

#[tokio::test]
async fn a_server_that_always_exits_is_started_twice_and_reported_with_its_last_words() {
    let stage = Stage::new();
    let script = "echo start >> starts; read -r line; echo 'no config' >&2; exit 2";
    let error = stage.auto().connect(stage.script(script)).await.expect_err("it exits");
    assert!(error.is_transport());
    assert_eq!(error.to_string(), "the server ended (exit status: 2); its stderr ends with:\nno config");
    assert_eq!(std::fs::read_to_string(stage.file("starts")).expect("written"), "start\nstart\n");
}

#[tokio::test]
async fn a_missing_command_is_named_at_once() {
    let begun = Instant::now();
    let error = Client::connect(Command::new("no-such-server-anywhere")).await.expect_err("no such command");
    assert!(begun.elapsed() < Duration::from_millis(500));
    assert!(error.is_transport());
    let ClientError::Spawn(spawn) = &error else { panic!("{error}") };
    assert!(spawn.to_string().starts_with("the command `no-such-server-anywhere` was not found; PATH is /"));
}

// spec: R525
#[tokio::test]
async fn a_child_sees_the_variables_and_the_folder_it_is_given() {
    // Cargo sets this one for every test, and no server has any business with it.
    let ours = "CARGO_MANIFEST_DIR";
    assert!(std::env::var_os(ours).is_some());
    let stage = Stage::new();
    let script = r#"
        read -r line
        seen="$(pwd)|${HOME+home}|${CARGO_MANIFEST_DIR+leak}|$GIVEN"
        echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"instructions":"'"$seen"'"}}'
        read -r line
        read -r line
    "#;
    let folder = stage.folder.canonicalize().expect("a folder");
    let cases = [
        (Environment::Inherit, format!("{}|home|leak|7", folder.display())),
        (Environment::Clean, format!("{}|home||7", folder.display())),
    ];
    for (environment, expected) in cases {
        let command = stage.script(script).environment(environment).env("GIVEN", "7").env("HOME", "/home/x");
        let client = stage.legacy().connect(command).await.expect("connected");
        assert_eq!(client.instructions(), Some(expected));
        client.close().await;
    }
    let command = stage.script(script).env_remove("HOME").env_remove(ours);
    let client = stage.legacy().connect(command).await.expect("connected");
    assert_eq!(client.instructions(), Some(format!("{}|||", folder.display())));
    client.close().await;
}

#[tokio::test]
async fn noise_on_the_output_of_a_child_is_skipped_with_a_warning() {
    let stage = Stage::new();
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let builder =
        stage.legacy().on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone()));
    let script = format!("echo 'Listening on stdio'; echo; echo 'v1.2'; {OPEN} read -r line");
    let client = builder.connect(stage.script(&script).env("LIFE", "/dev/null")).await.expect("connected");
    client.close().await;
    let warnings = warnings.lock().expect("not poisoned");
    assert!(matches!(warnings.as_slice(), [Warning::Noise { .. }]), "{warnings:?}");
}
