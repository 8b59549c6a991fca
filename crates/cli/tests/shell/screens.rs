//! The screens of the guide are what the shell shows.

use std::path::Path;

use crate::common::{HERMES, shell};
use crate::terminal::Terminal;

/// Set, the screens of the guide are written anew.
const BLESS: &str = "HERMES_BLESS";

/// Holds a screen against the one of this name in the guide.
#[track_caller]
fn stands_in_the_guide(name: &str, shell: &Terminal) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/shell.md");
    let guide = std::fs::read_to_string(&path).expect("the guide");
    let begin = format!("<!-- screen: {name} -->\n```text\n");
    let (before, rest) = guide.split_once(&begin).unwrap_or_else(|| panic!("the guide has no screen {name}"));
    let (screen, after) = rest.split_once("\n```\n").expect("the screen has an end");
    let shown = shell.contents();
    if std::env::var_os(BLESS).is_some() {
        std::fs::write(&path, format!("{before}{begin}{shown}\n```\n{after}"))
            .expect("the guide can be written");
    } else {
        assert_eq!(screen, shown, "docs/shell.md shows another screen; {BLESS}=1 writes it anew");
    }
}

/// One test, as all of them write to one file when they are asked to.
#[test]
fn the_screens_of_the_guide_are_those_of_the_shell() {
    let mut first = shell("demo --era legacy");
    first.line("list_prompts").line("call_tool add a=2 b=3").line("read_resource demo://users/ada");
    first.sees("ada is a user").sees("mcp> ");
    first.stands_at("mcp>");
    stands_in_the_guide("first", &first);

    let mut form = shell("demo");
    form.line("call_tool log").sees("level [one of these]: ").types("warning\r");
    form.sees("message [text]: ")
        .types("careful\r")
        .sees("Enter sends it")
        .types("\r")
        .sees("logged")
        .sees("mcp> ");
    form.stands_at("mcp>");
    stands_in_the_guide("form", &form);

    let mut question = shell("demo");
    question.line("call_tool ask message='Who are you?'").sees("name [text]: ").types("Ada\r");
    question.sees("Hello, Ada").sees("mcp> ");
    question.stands_at("mcp>");
    stands_in_the_guide("question", &question);

    let mut completion = shell("demo");
    completion.sees("mcp> ").types("call_tool a\t").shows("audio\nmcp> call_tool a");
    stands_in_the_guide("completion", &completion);

    let mut interrupt = shell("demo --era legacy");
    interrupt.line("subscribe demo://counter").sees("subscribed: ");
    interrupt.line("call_tool touch").sees("has changed");
    interrupt.line("call_tool sleep ms=60000").sees("ms=60000\r\n").interrupts().sees("interrupted");
    interrupt.line("call_tool sleep ms=60000 --timeout 300ms").sees("within 300 ms").sees("mcp> ");
    interrupt.stands_at("mcp>");
    stands_in_the_guide("interrupt", &interrupt);
}

#[test]
fn every_command_of_the_guide_is_one_of_the_shell() {
    let guide = include_str!("guide.md");
    let ran =
        std::process::Command::new(HERMES).args(["shell", "demo", "-c", "help"]).output().expect(HERMES);
    let help = String::from_utf8(ran.stdout).expect("text");
    let table = guide.split("## ").find(|part| part.starts_with("Commands")).expect("a table of commands");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let commands: Vec<&str> = rows.filter_map(|row| row.split_whitespace().next()).collect();
    assert!(commands.len() > 20, "{commands:?}");
    for command in commands {
        assert!(help.contains(command), "{command} is in the guide and not in the help");
    }
    for name in help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split([' ', ',']).next())
        .filter(|it| !it.is_empty())
    {
        assert!(guide.contains(&format!("| `{name}")), "{name} is in the help and not in the guide");
    }
}
