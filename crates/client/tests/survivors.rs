//! What is left of a server when its host ends, be it by SIGKILL.
//!
//! The tests start this very program a second time as the host. All processes of the server write their numbers
//! into a pipe and keep it open, so that its end is the end of the last of them.

#![expect(
    clippy::print_stdout,
    reason = "this is a test runner, and the host tells its parent that it is ready"
)]

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use hermes_client::{Client, Direction, EraChoice, child};
use hermes_testkit::{Side, Tape};

const ROLE: &str = "HERMES_TEST_HOST";
const PIPE: &str = "HERMES_TEST_PIPE";

const OPEN: &str = r#"
exec 9>"$HERMES_TEST_PIPE"
echo $$ >&9
read -r line
echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{}}}'
read -r line
"#;

/// A server with children and grandchildren, none of which minds the end of its input or SIGTERM.
const STUBBORN: &str = r#"
trap '' TERM HUP
for child in 1 2; do
    sh -c 'trap "" TERM; echo $$ >&9; sh -c "echo \$\$ >&9; while :; do sleep 1; done" & while :; do sleep 1; done' &
done
while :; do sleep 1; done
"#;

/// A server that says good-bye at the end of its input, and shouts if it gets a signal.
const POLITE: &str = r#"
trap 'echo signalled >&9' TERM HUP INT
read -r line
echo bye >&9
"#;

fn main() {
    match std::env::var(ROLE).ok().as_deref() {
        Some("killed") => host(STUBBORN, false),
        Some(_) => host(POLITE, true),
        None => {
            a_killed_host_leaves_no_survivor();
            println!("test a_killed_host_leaves_no_survivor ... ok");
            a_host_that_closes_its_client_has_nothing_killed();
            println!("test a_host_that_closes_its_client_has_nothing_killed ... ok");
        }
    }
}

/// The program that uses a client.
#[tokio::main(flavor = "current_thread")]
async fn host(script: &str, closes: bool) {
    let command = child::Command::new("sh").args(["-c", &format!("{OPEN}{script}")]);
    let tape = Tape::new(&[Side::Client]);
    let ear = tape.ear();
    let builder = Client::builder().era(EraChoice::Legacy).on_wire(move |direction, text| {
        let side = if direction == Direction::Sent { Side::Client } else { Side::Server };
        ear.hears_line(side, text.as_bytes());
    });
    let client = builder.connect(command).await.expect("connected");
    println!("ready");
    if closes {
        let exit = client.close().await.expect("it was reaped");
        assert!(exit.success(), "{exit}");
    } else {
        std::future::pending::<()>().await;
    }
}

fn a_killed_host_leaves_no_survivor() {
    let (mut host, lines) = start("killed");
    // The server, two children and two grandchildren.
    let processes: Vec<u32> = (0..5)
        .map(|_| lines.recv_timeout(Duration::from_secs(10)).expect("a process").parse().expect("a number"))
        .collect();
    assert_eq!(processes.iter().filter(|process| is_alive(**process)).count(), 5);
    host.kill().expect("killed");
    host.wait().expect("reaped");
    assert_eq!(lines.recv_timeout(Duration::from_secs(10)), Err(mpsc::RecvTimeoutError::Disconnected));
    // A process closes its files a moment before it has ended.
    let until = Instant::now() + Duration::from_secs(10);
    while processes.iter().any(|process| is_alive(*process)) {
        assert!(Instant::now() < until, "survivors among {processes:?}");
        std::thread::yield_now();
    }
}

fn a_host_that_closes_its_client_has_nothing_killed() {
    let (mut host, lines) = start("polite");
    let process = lines.recv_timeout(Duration::from_secs(10)).expect("a process");
    assert!(process.parse::<u32>().is_ok(), "{process}");
    assert!(host.wait().expect("reaped").success());
    let said: Vec<String> = lines.iter().collect();
    assert_eq!(said, ["bye"]);
}

/// Starts the host; gives the lines that its server's processes write, until the last of them has ended.
fn start(role: &str) -> (Child, mpsc::Receiver<String>) {
    let pipe = pipe(role);
    let mut host = Command::new(std::env::current_exe().expect("this program"))
        .env(ROLE, role)
        .env(PIPE, &pipe)
        .stdout(Stdio::piped())
        // A group of its own, as a shell would give it: nothing but the guard ties it to its server.
        .process_group(0)
        .spawn()
        .expect("started");
    let (sender, lines) = mpsc::channel();
    std::thread::spawn(move || {
        let life = std::fs::File::open(&pipe).expect("a pipe");
        for line in BufReader::new(life).lines() {
            sender.send(line.expect("text")).expect("the test listens");
        }
        std::fs::remove_file(&pipe).expect("removed");
    });
    let mut ready = String::new();
    BufReader::new(host.stdout.take().expect("piped")).read_line(&mut ready).expect("readable");
    assert_eq!(ready, "ready\n");
    (host, lines)
}

fn pipe(role: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hermes-survivors-{}-{role}", std::process::id()));
    let made = Command::new("mkfifo").arg(&path).status().expect("mkfifo");
    assert!(made.success());
    path
}

/// Whether a process runs; a zombie does not.
fn is_alive(process: u32) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"));
    stat.is_ok_and(|stat| stat.rsplit(") ").next().is_some_and(|rest| !rest.starts_with('Z')))
}
