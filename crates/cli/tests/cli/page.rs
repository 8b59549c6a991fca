//! Every command that the pages about the command line and about installing show prints what the page says.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{HERMES, run};

/// The page from the repository; where only this package is, there is none to check.
fn page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Runs the commands of a page one after the other in a home of their own, and looks at what they print. Gives their number.
#[track_caller]
fn prints_what_it_says(name: &str) -> usize {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&home));
    fs::create_dir_all(&home).expect("a new folder");
    let folder = Path::new(HERMES).parent().expect("a folder around it").to_owned();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&path))).expect("a path");
    let shown = xtask::readme::commands(&page(name));
    for command in &shown {
        let mut shell = Command::new("bash");
        shell.args(["-c", &command.command]).env("PATH", &path).env("HOME", &home).current_dir(&home);
        shell.env_remove("XDG_CONFIG_HOME").env_remove("XDG_CACHE_HOME").env_remove("HERMES_CONFIG");
        let ran = run(shell, "").exits(0);
        assert_eq!(
            ran.stdout.lines().collect::<Vec<_>>(),
            command.output,
            "docs/{name}:{}: {}\n{}",
            command.line,
            command.command,
            ran.stderr
        );
    }
    fs::remove_dir_all(&home).expect("the folder can be removed");
    shown.len()
}

#[test]
fn every_command_of_the_page_prints_what_the_page_says() {
    assert!(prints_what_it_says("command-line.md") > 15);
}

#[test]
fn every_short_command_of_the_page_about_installing_prints_what_the_page_says() {
    assert_eq!(prints_what_it_says("installing.md"), 7);
}

/// What `--help` of the program lists as verbs, all of which the page names.
#[test]
fn the_page_names_every_verb_that_prints_json() {
    let page = page("command-line.md");
    for verb in ["call", "read", "prompt", "complete", "ping", "info", "list TARGET", "listen", "config list"]
    {
        assert!(page.contains(&format!("| `{verb}` |")), "{verb}");
    }
}
