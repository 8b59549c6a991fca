//! The demo server over HTTP: what it says when it starts, and how it ends.

use std::fs::{self, Permissions};
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hermes_testkit::daemon::Daemon;
use serde_json::Value;

use crate::common::{HERMES, command, hermes, line, run};

/// The address that it printed.
fn url(demo: &Daemon) -> String {
    let target = demo.target();
    format!("http://{}{}", target.host, target.path)
}

fn serve(options: &[&str]) -> Daemon {
    Daemon::run(Command::new(HERMES).arg("demo").args(options)).expect("it serves")
}

#[test]
fn the_demo_server_says_where_it_is_what_it_speaks_and_how_to_call_it() {
    let demo = serve(&["--http", "127.0.0.1:0"]);
    let url = url(&demo);
    // The address stands in the first line; the rest is printed with it, in one piece.
    let printed = demo.until_printed("Ctrl-C ends it.").expect("it introduces itself");
    for text in [
        format!("The demo server listens on {url}\n"),
        "2026-07-28".to_owned(),
        "2024-11-05".to_owned(),
        "add a:=2 b:=3 gives 5.".to_owned(),
        format!(r#"{{ "mcpServers": {{ "hermes-demo": {{ "type": "http", "url": "{url}" }} }} }}"#),
        format!("hermes call {url} add a:=2 b:=3"),
        format!("curl {url} "),
    ] {
        assert!(printed.contains(&text), "{text} is missing in {printed}");
    }
    assert!(!printed.contains("is taken"), "{printed}");
}

// spec: R122, R170
#[test]
fn without_an_address_another_port_of_loopback_is_taken_when_the_usual_one_is_not_free() {
    // Whoever has the usual port, this test or another program: it is taken.
    let _taken = TcpListener::bind("127.0.0.1:8000");
    let demo = serve(&[]);
    assert_ne!(url(&demo), "http://127.0.0.1:8000/mcp");
    demo.until_printed("127.0.0.1:8000 is taken").expect("it says so");
}

#[test]
fn a_named_port_that_is_taken_is_an_error_that_names_it() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let ran = line(&format!("demo --http {address}")).exits(4);
    assert_eq!(ran.stdout, "");
    assert!(ran.stderr.contains(&format!("cannot listen on {address}")), "{}", ran.stderr);
}

#[test]
fn it_is_told_to_end_and_ends_in_good_order() {
    let mut demo = serve(&["--http", "127.0.0.1:0"]);
    demo.terminate().expect("it runs");
    let status = demo.wait(Duration::from_secs(10)).expect("it ends");
    assert_eq!(status.code(), Some(0), "{}", demo.printed());
}

#[test]
fn every_signal_that_asks_a_server_to_end_ends_it_in_good_order() {
    for (name, options) in [("INT", &["--http", "127.0.0.1:0"][..]), ("HUP", &["--http", "127.0.0.1:0"])] {
        let mut demo = serve(options);
        let told = Command::new("kill").args(["-s", name, &demo.process_id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()));
        let status = demo.wait(Duration::from_secs(10)).expect("it ends");
        assert_eq!(status.code(), Some(0), "{name}: {}", demo.printed());
    }
}

#[test]
fn what_cannot_be_served_at_is_a_mistake_of_the_command_line() {
    for line in [
        "demo --http 127.0.0.1",
        "demo --http 127.0.0.1:99999",
        "demo --http ::1:8000",
        "demo --http http://127.0.0.1:8000",
        "demo --socket 127.0.0.1:7000",
        "demo --socket tcp:localhost",
        "demo --socket tcp:127.0.0.1:70000",
        "demo --socket unix:",
        "demo --http 127.0.0.1:0 --max-sessions 0",
        "demo --http 127.0.0.1:0 --max-body 0",
        "demo --stdio --max-sessions 5",
        "demo --stdio --store sessions",
        "demo --show --metrics",
        "demo --stateless --store sessions",
    ] {
        let ran = hermes(line.split_whitespace()).exits(1).prints("");
        assert_ne!(ran.stderr, "", "{line}");
    }
    let mut command = command(["demo"]);
    command.env("HERMES_HTTP", "127.0.0.1");
    run(command, "").exits(1).says(&["HERMES_HTTP: \"127.0.0.1\": write ADDRESS:PORT"]);
}

/// A folder of its own, gone with the test.
struct Folder(std::path::PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("hermes-serving-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder).expect("a new folder");
        Self(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().expect("UTF-8").to_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).expect("the folder can be removed");
    }
}

/// Starts the demo server, ends it when it is there, and gives what it has said on standard error.
fn said(options: &[&str]) -> String {
    let mut command = Command::new(HERMES);
    command.arg("demo").args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect(HERMES);
    let mut stdout = BufReader::new(child.stdout.take().expect("it is piped"));
    let mut line = String::new();
    while !line.contains("Ctrl-C ends it.") {
        assert_ne!(stdout.read_line(&mut line).expect("it can be read"), 0, "{line}");
    }
    let told = Command::new("kill").args(["-s", "TERM", &child.id().to_string()]).status();
    assert!(told.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    String::from_utf8(output.stderr).expect("UTF-8")
}

fn mode(path: &str) -> u32 {
    fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn a_store_of_the_environment_gives_way_to_a_flag_that_says_stateless() {
    let folder = Folder::new("stateless");
    let store = folder.path("sessions");
    let start = |options: &[&str]| {
        let mut command = Command::new(HERMES);
        command.args(["demo", "--http", "127.0.0.1:0"]).args(options).env("HERMES_STORE", &store);
        Daemon::run(&mut command).expect("it serves")
    };
    drop(start(&["--stateless"]));
    assert!(!Path::new(&store).exists());
    drop(start(&[]));
    assert!(Path::new(&store).exists());
    let other = folder.path("others");
    let mut command = Command::new(HERMES);
    command.args(["demo", "--http", "127.0.0.1:0", "--store", &other]).env("HERMES_STATELESS", "true");
    drop(Daemon::run(&mut command).expect("it serves"));
    assert!(Path::new(&other).exists(), "the flag is said later than the variable");
}

#[test]
fn an_empty_store_is_closed_to_others_and_a_full_one_that_is_open_is_told_of() {
    let folder = Folder::new("mode");
    let store = folder.path("sessions");
    fs::write(&store, "").expect("written");
    fs::set_permissions(&store, Permissions::from_mode(0o644)).expect("its mode is set");
    drop(serve(&["--http", "127.0.0.1:0", "--store", &store]));
    assert_eq!(mode(&store), 0o600);
    fs::set_permissions(&store, Permissions::from_mode(0o640)).expect("its mode is set");
    let said = said(&["--http", "127.0.0.1:0", "--store", &store]);
    assert!(said.contains("is open to other users (mode 640)"), "{said}");
    assert_eq!(mode(&store), 0o640);
}

#[test]
fn a_mistake_in_the_settings_is_told_with_its_file_line_and_key() {
    let folder = Folder::new("settings");
    let file = folder.path("server.toml");
    fs::write(folder.path("key"), "short").expect("written");
    for (text, says) in [
        ("metrics = true\nstate-key-file = \"key\"", ":2: `state-key-file`: "),
        ("state-key-file = \"none\"", ":1: `state-key-file`: cannot read "),
        ("max-sessions = -1", ":1: `max-sessions`: -1: write a whole number, 1 or more"),
        ("max-body = 0", ":1: `max-body`: 0: write a whole number, 1 or more"),
        ("http = \"127.0.0.1\"", ":1: `http`: \"127.0.0.1\": write ADDRESS:PORT"),
        ("store = \"no/such/folder/s\"", ":1: `store`: "),
        ("retention = 5", ":1: `retention`: 5: write a time: "),
        ("metricks = true", ":1: `metricks`: there is no such key; did you mean `metrics`?"),
    ] {
        fs::write(&file, text).expect("written");
        let says = format!("{file}{says}");
        line(&format!("demo --settings {file}")).exits(1).prints("").says(&[says.as_str()]);
    }
}

#[test]
fn all_mistakes_in_variables_and_file_are_told_in_one_go() {
    let folder = Folder::new("mistakes");
    let file = folder.path("server.toml");
    fs::write(&file, "metricks = true\nmax-body = 0\n").expect("written");
    let mut command = Command::new(HERMES);
    command.args(["demo", "--settings", &file]).env("HERMES_RETENTION", "5");
    let told = format!(
        "error: these settings cannot be used:\n  HERMES_RETENTION: \"5\": a unit is missing: write 700ms, 8s or 1m\n  \
         {file}:1: `metricks`: there is no such key; did you mean `metrics`?\n  \
         {file}:2: `max-body`: 0: write a whole number, 1 or more\n"
    );
    assert_eq!(run(command, "").exits(1).prints("").stderr, told);
}

#[test]
fn a_store_that_was_cut_is_told_in_our_words_alone() {
    let folder = Folder::new("cut");
    let store = folder.path("sessions");
    drop(serve(&["--http", "127.0.0.1:0", "--store", &store]));
    let file = fs::OpenOptions::new().write(true).open(&store).expect("a store");
    let whole = file.metadata().expect("it is there").len();
    file.set_len(whole / 2).expect("it can be cut");
    let told = line(&format!("demo --http 127.0.0.1:0 --store {store}")).exits(1).prints("").stderr;
    assert!(told.starts_with("error: `store`: ") && told.contains("or is damaged"), "{told}");
    assert_eq!(told.lines().count(), 1, "{told}");
}

#[test]
fn a_file_without_an_end_is_refused_before_it_is_read() {
    let folder = Folder::new("endless");
    let file = folder.path("server.toml");
    let says = "cannot read /dev/zero: it is larger than 1 MiB";
    line("demo --settings /dev/zero").exits(1).prints("").says(&[says]);
    fs::write(&file, "state-key-file = \"/dev/zero\"").expect("written");
    line(&format!("demo --settings {file}")).exits(1).prints("").says(&[":1: `state-key-file`: ", says]);
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let folder = Folder::new("order");
    let [weak, strong] = ["weak.toml", "strong.toml"].map(|name| folder.path(name));
    fs::write(&weak, "http = \"127.0.0.1:1\"\nstore = \"in-a-weak-file\"\n").expect("written");
    fs::write(&strong, "http = \"127.0.0.1:0\"\nstore = \"in-a-file\"\nmax-sessions = 7\n").expect("written");
    let start = |options: &[&str], variables: &[(&str, &str)]| {
        let mut command = Command::new(HERMES);
        command.arg("demo").args(options).envs(variables.iter().copied());
        Daemon::run(&mut command).expect("it serves")
    };
    // The file of the flag, and not that of the variable.
    drop(start(&["--settings", &strong], &[("HERMES_SETTINGS", &weak)]));
    assert!(Path::new(&folder.path("in-a-file")).exists());
    assert!(!Path::new(&folder.path("in-a-weak-file")).exists());
    let variable = folder.path("in-a-variable");
    drop(start(&["--settings", &strong], &[("HERMES_STORE", &variable)]));
    assert!(Path::new(&variable).exists());
    let flag = folder.path("in-a-flag");
    let variables = [("HERMES_STORE", "no/such/folder/s"), ("HERMES_MAX_SESSIONS", "5")];
    drop(start(&["--settings", &strong, "--store", &flag], &variables));
    assert!(Path::new(&flag).exists());
}

#[test]
fn everything_that_a_server_says_to_machines_is_json() {
    let said = said(&["--http", "127.0.0.1:0", "--log-format", "json"]);
    let lines: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(lines.iter().any(|line| line["fields"]["message"] == "ending: what runs may finish"), "{said}");
}

#[test]
fn one_way_of_serving_is_enough() {
    let ran = line("demo --stdio --http 127.0.0.1:0").exits(1);
    assert!(ran.stderr.contains("--http"), "{}", ran.stderr);
}

#[test]
fn the_demo_server_takes_websockets_at_the_same_address() {
    let demo = serve(&["--http", "127.0.0.1:0"]);
    let target = url(&demo).replace("http://", "ws://");
    line(&format!("call {target} add a:=2 b:=3")).exits(0).prints("5\n");
    line(&format!("call {target} add a:=2 b:=3 --era legacy --header X-Key:1")).exits(0).prints("5\n");
    line(&format!("ping {}", target.replace("/mcp", "/none"))).exits(2).says(&["HTTP 404"]);
}
