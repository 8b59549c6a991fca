//! Ctrl-C, Ctrl-D, and a terminal that goes away.

use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::{ERAS, HERMES, shell};
use crate::talking::demo_over_http;
use crate::terminal::{CTRL_C, CTRL_D};

// spec: R109
#[test]
fn ctrl_c_takes_back_the_call_and_not_the_shell() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era} --trace"));
        shell.line("call sleep ms=60000").sees("\"tools/call\"").interrupts();
        // What goes over the wire is shown when it goes, and that is not awaited.
        shell.sees_each(&["notifications/cancelled", "error: interrupted"]);
        shell.line("trace off");
        shell.line("call ask message=Who?").sees("name [text]: ").types(CTRL_C).sees("error: interrupted");
        shell.line("call echo text=here").sees("\nhere\r\n");
        shell.line("q").exits(0);
    }
}

/// Asks the server, past the shell, until this counter of the calls of `sleep` stands at `count`.
fn count_until(url: &str, counter: &str, count: u64) {
    let limit = Instant::now() + Duration::from_secs(60);
    loop {
        let asked =
            Command::new(HERMES).args(["call", url, "counters", "--json"]).output().expect("an answer");
        let answer: Value = serde_json::from_slice(&asked.stdout).expect("JSON");
        let counters = &answer["structuredContent"];
        if counters[counter] == count {
            return;
        }
        assert!(Instant::now() < limit, "{counter} does not come to {count}: {counters}");
    }
}

// spec: R109
#[test]
fn ctrl_c_stops_the_handler_that_runs_at_the_server() {
    let (mut server, url) = demo_over_http();
    for (era, count) in ERAS.iter().zip(1..) {
        let mut shell = shell(&format!("{url} --era {era}"));
        shell.line("call sleep ms=60000");
        // A call that is taken back before its handler ran would not be counted at all.
        count_until(&url, "started", count);
        shell.interrupts().sees("error: interrupted");
        count_until(&url, "cancelled", count);
        shell.line("call echo text=here").sees("\nhere\r\n");
        shell.line("q").exits(0);
    }
    server.kill().expect("the server runs");
    server.wait().expect("it ends");
}

#[test]
fn ctrl_c_twice_says_how_to_leave_and_ctrl_d_leaves() {
    let mut shell = shell("demo");
    shell
        .sees("mcp> ")
        .types("call ec")
        .types(CTRL_C)
        .sees("mcp> ")
        .types(CTRL_C)
        .sees("exit or Ctrl-D leaves");
    shell.sees("mcp> ").types(CTRL_D).exits(0);
}

#[test]
fn a_shell_that_is_told_to_end_leaves_the_terminal_as_it_was() {
    let mut shell = shell("demo");
    shell.sees("mcp> ");
    let told = Command::new("kill").args(["-s", "TERM", &shell.id().to_string()]).status().expect("kill");
    assert!(told.success());
    shell.exits(143);
    assert!(shell.has_written("\u{1b}[?2004l"));
}
