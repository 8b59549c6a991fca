//! Ctrl-C, Ctrl-D, and a terminal that goes away.

use std::process::Command;

use crate::common::{ERAS, shell};
use crate::terminal::{CTRL_C, CTRL_D};

// spec: R109
#[test]
fn ctrl_c_takes_back_the_call_and_not_the_shell() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era} --trace"));
        shell.line("call sleep ms=60000").sees("\"tools/call\"").types(CTRL_C);
        // What goes over the wire is shown when it goes, and that is not awaited.
        shell.sees_each(&["notifications/cancelled", "error: interrupted"]);
        shell.line("trace off").line("call counters").sees("\"cancelled\": 1");
        shell.line("call ask message=Who?").sees("name [text]: ").types(CTRL_C).sees("error: interrupted");
        shell.line("call echo text=here").sees("\nhere\r\n");
        shell.line("q").exits(0);
    }
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
