//! What people know from the interactive tasks of Hermes MCP in Elixir is there.

use std::process::{Child, Command, Stdio};

use crate::common::{HERMES, folder, shell, shell_with};
use crate::talking::demo_over_http;
use crate::terminal::Terminal;

/// The table for those who come from there.
fn table() -> &'static str {
    let guide = include_str!("guide.md");
    guide.split("## For those who come from").nth(1).expect("a table")
}

#[test]
fn every_flag_and_variable_of_the_interactive_tasks_stands_in_the_table() {
    for name in [
        "--args",
        "--base-path",
        "--base-url",
        "--command",
        "--header",
        "--help",
        "--mcp-path",
        "--sse-path",
        "--transport",
        "--ws-path",
        "-c",
        "-h",
        "-t",
        "-v",
        "-vv",
        "-vvv",
        "HERMES_VERBOSE=1",
        "hermes.sse.interactive",
        "hermes.stdio.interactive",
        "hermes.streamable_http.interactive",
        "hermes.websocket.interactive",
    ] {
        let is_there = table().split(['`', ' ', ',']).any(|word| word == name);
        assert!(is_there, "{name} is not in the table of docs/shell.md");
    }
}

#[test]
fn every_command_of_the_other_shell_is_one_here_under_the_same_name() {
    let mut shell = shell("demo");
    for name in [
        "help",
        "ping",
        "list_tools",
        "list_prompts",
        "list_resources",
        "call_tool",
        "get_prompt",
        "read_resource",
        "initialize",
        "show_state",
        "clear",
        "exit",
    ] {
        shell.line(&format!("help {name}")).sees(&format!("\n{name}"));
    }
    shell.line("exit").exits(0);
}

/// Talks to a server at this target, which wants a header or not.
#[track_caller]
fn greets(target: &str) {
    let mut shell = shell(&format!("{target} --header X-Key:value"));
    shell.line("call echo text=there").sees("\nthere\r\n");
    shell.line("show_state").sees("X-Key: (masked)");
    shell.line("exit").exits(0);
}

#[test]
fn an_address_alone_is_enough_for_each_transport_and_headers_go_along() {
    let (server, url) = demo_over_http();
    let _server = Ended(server);
    let host = url.strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).expect("an address");
    greets(&url);
    greets(&format!("http://{host}/sse"));
    greets(&format!("ws://{host}/mcp"));
}

#[test]
fn a_command_has_its_arguments_as_words() {
    let mut shell = shell(&format!("-- {HERMES} demo --stdio"));
    shell.line("c echo text=there").sees("\nthere\r\n");
    shell.line("q").exits(0);
}

#[test]
fn how_much_is_said_is_chosen_by_flags_and_variables() {
    let mut verbose = shell("demo --verbose");
    verbose.sees("connected: ").sees("it took ");
    verbose.line("q").exits(0);
    let mut traced = shell("demo --trace");
    traced.line("call echo text=x").sees("--> {").sees("tools/call");
    traced.line("q").exits(0);
    let mut logged = shell_with("demo", &[("HERMES_LOG", "hermes=debug")]);
    logged.line("call echo text=x").sees("hermes.client.request");
    logged.line("q").exits(0);
    let mut state = shell_with("demo", &[("HERMES_VERBOSE", "1")]);
    state.line("show_state").sees("declared");
    state.line("q").exits(0);
}

#[test]
fn help_is_there_before_anything_is_connected() {
    for flag in ["--help", "-h"] {
        let ran = Command::new(HERMES).args(["shell", flag]).stdin(Stdio::null()).output().expect(HERMES);
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && text.contains("Usage: hermes shell"), "{text}");
    }
}

#[test]
fn a_slow_server_is_waited_for() {
    let gate = folder("slow").join("gate");
    let made = Command::new("mkfifo").arg(&gate).status().expect("mkfifo");
    assert!(made.success());
    // It begins to read when somebody opens the gate.
    let script = format!("read -r _ < {}; exec {HERMES} demo --stdio", gate.display());
    let mut shell = Terminal::start(HERMES, ["shell", "--", "sh", "-c", &script], &[("HERMES_HISTORY", "")]);
    shell.sees("note: help shows the commands");
    std::fs::write(&gate, "open\n").expect("the gate opens");
    shell.sees("connected: ").line("q").exits(0);
}

/// A server that is killed in the end.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = (self.0.kill(), self.0.wait());
    }
}
