//! `--watch`: once now, and again whenever it changes.

use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::Duration;

use hermes_testkit::daemon::Daemon;

use crate::common::{HERMES, hermes, line, with_fake};

/// A running `hermes` whose lines are read one by one; ended with the test.
struct Watching(Child, BufReader<ChildStdout>, BufReader<ChildStderr>);

impl Watching {
    fn start(args: &[&str]) -> Self {
        let mut command = Command::new(HERMES);
        let command = command.args(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let stdout = child.stdout.take().expect("it is piped");
        let stderr = child.stderr.take().expect("it is piped");
        Self(child, BufReader::new(stdout), BufReader::new(stderr))
    }

    /// What it says until it has said this.
    fn says(&mut self, text: &str) -> String {
        let mut said = String::new();
        while !said.contains(text) {
            assert_ne!(self.2.read_line(&mut said).expect("a line"), 0, "{text:?} in {said}");
        }
        said
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

fn serve(place: &str) -> Daemon {
    Daemon::run(Command::new(HERMES).args(["demo", "--http", place])).expect("a server")
}

fn demo() -> (Daemon, String) {
    let daemon = serve("127.0.0.1:0");
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
fn over_a_restart_there_is_one_warning_and_no_value_that_is_as_it_was() {
    for era in ["legacy", "modern"] {
        let (mut daemon, url) = demo();
        let place = daemon.target().host.clone();
        let mut watching = Watching::start(&["read", &url, "demo://counter", "--watch", "--era", era]);
        assert_eq!(watching.line(), "0", "{era}");
        daemon.kill().expect("it runs");
        daemon.wait(Duration::from_secs(10)).expect("it ends");
        // It is asked for again and again, and hangs up.
        let nobody = TcpListener::bind(&place).expect("the place of the server");
        for _ in 0..3 {
            drop(nobody.accept().expect("a connection"));
        }
        drop(nobody);
        let _again = serve(&place);
        let said = watching.says("listening: again; nothing has changed meanwhile");
        let lost = if era == "legacy" { "do not arrive any more" } else { "; listening again" };
        assert_eq!(said.matches(lost).count(), 1, "{era}: {said}");
        hermes(["call", &url, "touch"]).exits(0);
        assert_eq!(watching.line(), "1", "{era}");
    }
}

#[test]
fn what_has_changed_while_nothing_was_heard_is_shown() {
    for era in ["legacy", "modern"] {
        let (mut daemon, url) = demo();
        let place = daemon.target().host.clone();
        let mut watching = Watching::start(&["read", &url, "demo://counter", "--watch", "--era", era]);
        assert_eq!(watching.line(), "0", "{era}");
        hermes(["call", &url, "touch"]).exits(0);
        assert_eq!(watching.line(), "1", "{era}");
        daemon.kill().expect("it runs");
        daemon.wait(Duration::from_secs(10)).expect("it ends");
        let _again = serve(&place);
        assert_eq!(watching.line(), "0", "{era}");
        watching.says("changed: while nothing was heard");
    }
}

#[test]
fn what_no_server_tells_of_cannot_be_watched() {
    with_fake("list --watch", "plain").exits(2).prints("").says(&["does not tell of changes"]);
    line("ping demo --watch").exits(1).says(&["--watch"]);
}
