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
    shell.sees("mcp (no server: r or q)> ").types("ping\r").sees("error: ");
    shell.sees("mcp (no server: r or q)> ").types("r\r").sees("error: ").sees("no more");
    std::fs::remove_file(folder.join("dead")).expect("the mark is there");
    shell.sees("mcp (no server: r or q)> ").types("r\r").sees("connected: ");
    shell.line("call echo text=back").sees("\nback\r\n");
    shell.line("q").exits(0);
}

#[test]
fn the_prompt_says_that_the_server_is_gone_and_what_was_typed_stays() {
    let (folder, words) = mortal("prompt");
    let mut shell = Terminal::start(HERMES, words, &[("HERMES_HISTORY", "")]);
    shell.sees("mcp> ").types("call echo text=ha").shows("mcp> call echo text=ha");
    std::fs::write(folder.join("dead"), "").expect("a mark");
    kill(&folder);
    shell
        .shows("error: the server does not come back")
        .stands_at("mcp (no server: r or q)> call echo text=ha");
    assert!(shell.contents().contains("r tries again, q leaves"), "{}", shell.contents());
    shell.types("lf\r").shows("error: the server is not there any more");
    shell.stands_at("mcp (no server: r or q)>").types("q\r").exits(0);
}

#[test]
fn a_server_that_came_back_and_stayed_has_three_attempts_again() {
    let (folder, words) = mortal("stays");
    let mut shell = Terminal::start(HERMES, words, &[("HERMES_HISTORY", "")]);
    shell.sees("mcp> ");
    kill(&folder);
    shell.sees("attempt 1 of 3").sees("the server is there again");
    // Longer than it takes to count as brought back.
    shell.types("call sleep ms=3500\r").sees("sleep ms=3500\r\n").sees("mcp> ");
    kill(&folder);
    shell.sees("attempt 1 of 3").sees("the server is there again");
    // This one did not stay.
    kill(&folder);
    shell.sees("attempt 2 of 3").sees("the server is there again");
    shell.types("q\r").exits(0);
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
