//! `--watch`: once now, and again whenever it changes.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, ChildStdout, Command, Stdio};

use hermes_testkit::daemon::Daemon;

use crate::common::{HERMES, hermes, line, with_fake};

/// A running `hermes` whose lines are read one by one; ended with the test.
struct Watching(Child, BufReader<ChildStdout>);

impl Watching {
    fn start(args: &[&str]) -> Self {
        let mut command = Command::new(HERMES);
        let command = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("it starts");
        let stdout = child.stdout.take().expect("it is piped");
        Self(child, BufReader::new(stdout))
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.1.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

fn demo() -> (Daemon, String) {
    let daemon = Daemon::run(Command::new(HERMES).args(["demo", "--http", "127.0.0.1:0"])).expect("a server");
    let url = format!("http://{}{}", daemon.target().host, daemon.target().path);
    (daemon, url)
}

#[test]
fn a_resource_is_read_again_when_it_changes_in_both_eras() {
    let (_daemon, url) = demo();
    for (era, first, second) in [("legacy", "0", "1"), ("modern", "1", "2")] {
        let mut watching = Watching::start(&["read", &url, "demo://counter", "--watch", "--era", era]);
        assert_eq!(watching.line(), first, "{era}");
        hermes(["call", &url, "touch"]).exits(0);
        assert_eq!(watching.line(), second, "{era}");
    }
}

#[test]
fn lists_are_listed_again_when_they_change_one_object_a_line() {
    let (_daemon, url) = demo();
    let mut watching = Watching::start(&["list", &url, "--watch", "--json"]);
    let tools = |line: &str| {
        let listed: serde_json::Value = serde_json::from_str(line).expect("an object");
        listed["tools"].as_array().expect("a list").len()
    };
    let before = tools(&watching.line());
    hermes(["call", &url, "toggle"]).exits(0);
    assert_ne!(tools(&watching.line()), before);
}

#[test]
fn what_no_server_tells_of_cannot_be_watched() {
    with_fake("list --watch", "plain").exits(2).prints("").says(&["does not tell of changes"]);
    line("ping demo --watch").exits(1).says(&["--watch"]);
}
