//! A server that goes away under the shell.

use std::process::Command;

use crate::common::{HERMES, folder};
use crate::terminal::Terminal;

/// A server that writes its process id to a file when it starts, and lives as often as the file `lives` says.
fn mortal(name: &str) -> (std::path::PathBuf, Vec<String>) {
    let folder = folder(name);
    let script = format!(
        "echo $$ > {0}/pid; if [ -e {0}/dead ]; then echo 'no more' >&2; exit 7; fi; exec {HERMES} demo --stdio",
        folder.display()
    );
    let words = ["shell", "--era", "legacy", "--", "sh", "-c", &script].map(str::to_owned);
    (folder, words.to_vec())
}

fn kill(folder: &std::path::Path) {
    let pid = std::fs::read_to_string(folder.join("pid")).expect("the server says its id");
    let killed = Command::new("kill").args(["-s", "KILL", pid.trim()]).status().expect("kill");
    assert!(killed.success());
}

#[test]
fn a_server_that_crashes_is_started_again_and_hears_what_it_was_told() {
    let (folder, words) = mortal("crashes");
    let mut shell = Terminal::start(HERMES, words, &[("HERMES_HISTORY", "")]);
    shell.line("subscribe demo://counter").sees("subscribed: demo://counter");
    shell.sees("mcp> ").types("call touch");
    kill(&folder);
    shell.sees("server: the server is gone").sees("it is started again in 1 s, attempt 1 of 3");
    shell.sees("the server is there again");
    // The line that was being typed is still there, and so is the subscription.
    shell.types("\r").sees("demo://counter has changed");
    shell.line("q").exits(0);
}

#[test]
fn a_server_that_does_not_come_back_is_asked_about() {
    let (folder, words) = mortal("stays-away");
    let mut shell = Terminal::start(HERMES, words, &[("HERMES_HISTORY", "")]);
    shell.sees("mcp> ");
    std::fs::write(folder.join("dead"), "").expect("a mark");
    kill(&folder);
    shell.sees("attempt 1 of 3").sees("attempt 2 of 3").sees("attempt 3 of 3");
    shell.sees("error: the server does not come back").sees("r tries again, q leaves");
    shell
        .types("ping\r")
        .sees("error: ")
        .sees("mcp (no server: r or q)> ")
        .types("r\r")
        .sees("error: ")
        .sees("no more");
    std::fs::remove_file(folder.join("dead")).expect("the mark is there");
    shell.sees("mcp (no server: r or q)> ").types("r\r").sees("connected: ");
    shell.line("call echo text=back").sees("\nback\r\n");
    shell.line("q").exits(0);
}

#[test]
fn a_server_that_cannot_be_reached_at_first_is_tried_again() {
    let (folder, words) = mortal("comes-late");
    std::fs::write(folder.join("dead"), "").expect("a mark");
    let mut shell = Terminal::start(HERMES, words, &[("HERMES_HISTORY", "")]);
    shell.sees("error: ").sees("no more").sees("mcp (no server: r or q)> ");
    std::fs::remove_file(folder.join("dead")).expect("the mark is there");
    shell.types("r\r").sees("connected: ");
    shell.line("call echo text=there").sees("\nthere\r\n");
    shell.line("q").exits(0);
}
