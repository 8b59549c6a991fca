//! What docs/operating.md says to an operator is so: its commands, one after the other in one shell, print what it shows.

use std::fs;
use std::process::{Command, Stdio};

use hermes_testkit::daemon::Daemon;
use xtask::readme::{Shown, commands};
use xtask::workspace::root;

use crate::demo_with;

/// The address that the page names.
const NAMED: &str = "127.0.0.1:8000";

fn page() -> String {
    fs::read_to_string(root().join("docs/operating.md")).expect("the page")
}

/// The server as the page starts it, on a free port.
fn started(page: &str) -> Daemon {
    let start = format!("\nhermes demo --http {NAMED} ");
    let (_, rest) = page.split_once(&start).expect("the page starts a server");
    let options: Vec<&str> = rest.lines().next().unwrap_or_default().split_whitespace().collect();
    demo_with(&options)
}

/// What a shell prints that is given the page's commands.
fn printed(commands: &[Shown], address: &str) -> Vec<Vec<String>> {
    let script: String =
        commands.iter().map(|shown| format!("{}\necho\necho '=== end'\n", shown.command)).collect();
    let script = script.replace(NAMED, address);
    let output =
        Command::new("sh").args(["-c", &script]).stdin(Stdio::null()).output().expect("there is a shell");
    let stdout = String::from_utf8(output.stdout).expect("a text");
    let blocks = stdout.split("=== end\n");
    blocks.map(|block| block.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()).collect()
}

#[tokio::test]
async fn every_command_of_the_operating_page_prints_what_the_page_says() {
    let page = page();
    let demo = started(&page);
    let commands = commands(&page);
    assert!(commands.len() > 5, "the page shows commands");
    let printed = printed(&commands, &demo.target().address.to_string());
    for (shown, printed) in commands.iter().zip(printed) {
        assert_eq!(printed, shown.output, "docs/operating.md:{}: {}", shown.line, shown.command);
    }
}

#[tokio::test]
async fn every_option_of_the_operating_page_is_one_of_the_demo() {
    let help = Command::new(crate::hermes()).args(["demo", "--help"]).output().expect("it runs");
    let help = String::from_utf8(help.stdout).expect("a text");
    let page = page();
    let words = page.split(|it: char| !it.is_ascii_alphanumeric() && it != '-');
    let options: Vec<_> = words.filter(|word| word.starts_with("--") && word.len() > 3).collect();
    assert!(options.len() > 5, "{options:?}");
    for option in options.into_iter().filter(|it| *it != "--max-time") {
        assert!(help.contains(option), "{option}");
    }
}
