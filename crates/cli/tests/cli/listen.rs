//! `hermes listen`: changes as they come, and how it ends.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::time::Duration;

use hermes_testkit::daemon::Daemon;
use serde_json::Value;

use crate::common::{HERMES, line, with_fake};

#[test]
fn changes_of_a_legacy_server_are_shown_until_it_goes() {
    let ran = with_fake("listen fake://a fake://b", "changes").exits(4).says(&["exit status: 9"]);
    let ran = ran.says(&["listening: the list of tools, fake://a", "does not tell of changes of fake://b"]);
    assert_eq!(ran.stdout, "fake://a has changed\nthe list of tools has changed\n");
}

#[test]
fn for_machines_each_change_is_one_line_of_json() {
    let ran = with_fake("listen fake://a fake://b --json", "changes").exits(4);
    let lines: Vec<Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["method"], "notifications/resources/updated");
    assert_eq!(lines[0]["params"]["uri"], "fake://a");
    assert_eq!(lines[1]["method"], "notifications/tools/list_changed");
}

#[test]
fn a_modern_stream_that_ends_in_good_order_is_a_success_and_shows_nothing_before_its_acknowledgement() {
    let ran = with_fake("listen", "modern-stream").exits(0);
    assert_eq!(ran.stdout, "the list of tools has changed\n");
}

#[test]
fn a_refusal_is_a_protocol_error_with_its_code() {
    with_fake("listen", "modern-refusal").exits(2).prints("").says(&["-32050", "nothing to hear"]);
}

#[test]
fn a_server_without_changes_is_not_waited_for() {
    with_fake("listen", "plain").exits(2).prints("").says(&["the server tells of no changes"]);
}

#[test]
fn an_acknowledgement_that_does_not_come_is_a_timeout() {
    with_fake("listen --timeout 2s --era modern", "modern-silence").exits(124).prints("");
    with_fake("listen --timeout 300ms", "silent").exits(124).prints("");
    line("listen nowhere").exits(1);
}

#[test]
fn a_legacy_stream_that_is_there_again_with_the_session_is_told_of() {
    let store = std::env::temp_dir().join(format!("hermes-listen-{}", std::process::id()));
    let serve = |place: &str| {
        let mut command = Command::new(HERMES);
        command.args(["demo", "--http", place, "--store"]).arg(&store);
        Daemon::run(&mut command).expect("it serves")
    };
    let mut demo = serve("127.0.0.1:0");
    let place = demo.target().host.clone();
    let url = format!("http://{place}/mcp");
    let mut command = Command::new(HERMES);
    command.args(["listen", &url, "--era", "legacy"]).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut listening = command.spawn().expect(HERMES);
    let mut stderr = BufReader::new(listening.stderr.take().expect("it is piped"));
    let mut until = |text: &str| {
        let mut said = String::new();
        while !said.contains(text) {
            assert_ne!(stderr.read_line(&mut said).expect("it can be read"), 0, "{text:?} in {said}");
        }
    };
    until("listening: the list of tools");
    demo.kill().expect("it runs");
    demo.wait(Duration::from_secs(10)).expect("it ends");
    until("warning: the server's own messages do not arrive any more");
    let _again = serve(&place);
    until("listening: the server's own messages arrive again");
    listening.kill().expect("it runs");
    listening.wait().expect("it ends");
    std::fs::remove_file(&store).expect("the store can be removed");
}
