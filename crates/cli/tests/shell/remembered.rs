//! What the shell remembers, and what it does not.

use std::os::unix::fs::PermissionsExt as _;

use crate::common::{HERMES, folder};
use crate::terminal::{Terminal, UP};

#[test]
fn commands_are_remembered_privately_and_answers_are_not() {
    let state = folder("history");
    let path = state.to_str().expect("text");
    let begin = || Terminal::start(HERMES, ["shell", "demo"], &[("XDG_STATE_HOME", path)]);
    let mut first = begin();
    first.line("call ask message=Who?").sees("name [text]: ").types("s3cret\r").sees("Hello, s3cret");
    first.line(" call echo text=unkept").sees("\nunkept\r\n");
    first.line("call echo text=kept").sees("\nkept\r\n");
    first.line("q").exits(0);

    let file = state.join("hermes/history");
    let kept = std::fs::read_to_string(&file).expect("a history");
    assert!(kept.contains("call ask message=Who?\n") && kept.contains("call echo text=kept\n"), "{kept}");
    assert!(!kept.contains("s3cret") && !kept.contains("unkept"), "{kept}");
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(&state.join("hermes"))), (0o600, 0o700));

    let mut second = begin();
    second.sees("mcp> ").types(UP).types(UP).shows("mcp> call echo text=kept").types("\r").sees("\nkept\r\n");
    second.line("q").exits(0);
}
