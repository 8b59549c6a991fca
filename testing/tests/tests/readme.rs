//! Every command that README.md shows works.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

use clap::Parser;
use hermes_testkit::{Side, Tape};
use xtask::cli::{Task, Xtask};
use xtask::readme::{Shown, commands};
use xtask::workspace::{Workspace, root};

type Result = std::result::Result<(), Box<dyn Error>>;

/// The commands of README.md that start with `program`, and how many others there are.
fn shown(program: &str) -> std::result::Result<(Vec<Shown>, usize), Box<dyn Error>> {
    let all = commands(&fs::read_to_string(root().join("README.md"))?);
    let count = all.len();
    let ours: Vec<Shown> =
        all.into_iter().filter(|shown| shown.command.split_whitespace().next() == Some(program)).collect();
    let others = count - ours.len();
    Ok((ours, others))
}

/// How long the guide's own transport may be, in lines.
const OWN_TRANSPORT: usize = 80;

// The guide's code is compiled and run with the documentation of the facade.
#[test]
fn the_transport_of_the_guide_takes_less_than_80_lines() {
    let page = fs::read_to_string(root().join("docs/transports.md")).expect("the page");
    let (_, code) = page.split_once("```rust\n").expect("code");
    let (code, _) = code.split_once("\n```").expect("its end");
    assert!(code.contains("Target::streams(") && code.contains("server.serve("), "both sides: {code}");
    let lines = code.lines().count();
    assert!(lines < OWN_TRANSPORT, "{lines} lines");
}

#[test]
fn readme_shows_the_two_commands_and_otherwise_only_hermes() -> Result {
    let (cargo, others) = shown("cargo")?;
    let (hermes, _) = shown("hermes")?;
    let lines: Vec<&str> = cargo.iter().map(|shown| shown.command.as_str()).collect();
    assert_eq!(lines, ["cargo run --release -- demo", "cargo xtask test"]);
    assert_eq!(hermes.len(), others, "a command that no test runs");
    assert!(!hermes.is_empty());
    Ok(())
}

#[test]
fn the_first_command_starts_the_demo_of_hermes() -> Result {
    // What `cargo run` takes when nothing is named, as the manifest says; then the rest of the line on that program.
    let workspace = Workspace::read()?;
    let packages = workspace.default_packages();
    let [package] = packages.as_slice() else {
        return Err(format!("{} default packages", packages.len()).into());
    };
    let programs: Vec<&str> =
        package.targets.iter().filter(|it| it.is_bin()).map(|it| it.name.as_str()).collect();
    assert!(package.default_run.as_deref() == Some("hermes") || programs == ["hermes"], "{programs:?}");
    let mut demo = Command::new(xtask::test::hermes()?)
        .arg("demo")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut first = String::new();
    let read = BufReader::new(demo.stdout.take().ok_or("no output")?).read_line(&mut first);
    // It runs until it is stopped.
    demo.kill()?;
    demo.wait()?;
    read?;
    assert!(first.starts_with("The demo server listens on http://127.0.0.1:"), "{first}");
    Ok(())
}

#[test]
fn the_conversation_that_the_readme_names_is_shown() -> Result {
    let text = fs::read_to_string(root().join("README.md"))?;
    assert!(text.contains("`cargo run --release -- demo --show`"));
    let demo = Command::new(xtask::test::hermes()?).args(["demo", "--show"]).stdin(Stdio::null()).output()?;
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    assert!(String::from_utf8(demo.stdout)?.contains("tools/call"));
    Ok(())
}

#[test]
fn the_second_command_is_a_task() -> Result {
    let aliases = fs::read_to_string(root().join(".cargo/config.toml"))?;
    assert!(aliases.contains("\nxtask = \"run --quiet --package xtask --\"\n"), "{aliases}");
    let parsed = Xtask::try_parse_from(["cargo xtask", "test"])?;
    assert!(matches!(parsed.task, Task::Test { no_peers: false }), "{parsed:?}");
    Ok(())
}

#[test]
fn every_hermes_command_of_readme_prints_what_readme_says() -> Result {
    let program = xtask::test::hermes()?;
    let folder = program.parent().ok_or("a program in no folder")?;
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder.to_owned()].into_iter().chain(env::split_paths(&path)))?;
    let trace = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("readme.trace");
    drop(fs::remove_file(&trace));
    for shown in shown("hermes")?.0 {
        let output = Command::new("sh")
            .arg("-c")
            .arg(&shown.command)
            .env("PATH", &path)
            .env("HERMES_TRACE", &trace)
            .stdin(Stdio::null())
            .output()?;
        let stdout = String::from_utf8(output.stdout)?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "README.md:{}: {}\n{stderr}", shown.line, shown.command);
        assert_eq!(
            stdout.lines().collect::<Vec<_>>(),
            shown.output,
            "README.md:{}: {}",
            shown.line,
            shown.command
        );
    }
    let tape = Tape::new(&[Side::Client, Side::Server]);
    fs::read_to_string(&trace)?.split("=== ").for_each(|conversation| tape.ear().hears_lines(conversation));
    Ok(())
}
