//! What the guides show is so: the files of their projects are those of an example, their commands print what they say, and
//! the options that they name are there.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use xtask::readme::commands;
use xtask::workspace::root;

type Result = std::result::Result<(), Box<dyn Error>>;

fn page(name: &str) -> std::io::Result<String> {
    fs::read_to_string(root().join("docs").join(name))
}

/// The files that a page shows: a line with the path and a colon, and then a block.
fn files(page: &str) -> Vec<(&str, &str)> {
    page.match_indices("`:\n\n```")
        .filter_map(|(at, _)| {
            let (before, after) = page.split_at(at);
            let path = before.rsplit_once("\n`")?.1;
            let (_, block) = after.trim_start_matches(['`', ':', '\n']).split_once('\n')?;
            Some((path, block.split_once("```\n")?.0))
        })
        .filter(|(path, _)| !path.contains(char::is_whitespace))
        .collect()
}

#[test]
fn the_project_of_the_first_server_is_an_example_that_is_tested() -> Result {
    let page = page("first-server.md")?;
    let shown: Vec<_> = files(&page).into_iter().filter(|(path, _)| path.ends_with(".rs")).collect();
    let paths: Vec<&str> = shown.iter().map(|(path, _)| *path).collect();
    assert_eq!(paths, ["src/lib.rs", "src/main.rs", "tests/reading.rs"]);
    for (path, text) in shown {
        assert_eq!(text, fs::read_to_string(root().join("examples/reading").join(path))?, "{path}");
    }
    Ok(())
}

#[test]
fn every_command_of_the_first_server_prints_what_the_page_says() -> Result {
    let hermes = xtask::test::hermes()?;
    let programs = hermes.parent().ok_or("a program in no folder")?;
    let reading = programs.join("reading");
    assert!(reading.exists(), "{} is not built: run `cargo build -p reading`", reading.display());
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("first-server");
    // It is there only when the test has run before.
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(folder.join("target/debug"))?;
    symlink(reading, folder.join("target/debug/reading"))?;

    let shown = commands(&page("first-server.md")?);
    assert!(shown.len() > 2, "the page shows commands");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([programs.to_owned()].into_iter().chain(std::env::split_paths(&path)))?;
    for shown in shown {
        let mut shell = Command::new("sh");
        shell.args(["-c", &shown.command]).env("PATH", &path).current_dir(&folder).stdin(Stdio::null());
        let output = shell.output()?;
        let printed = String::from_utf8(output.stdout)?;
        let said = String::from_utf8_lossy(&output.stderr);
        let expected: Vec<&str> =
            shown.output.iter().map(String::as_str).filter(|line| !line.is_empty()).collect();
        assert_eq!(
            printed.lines().collect::<Vec<_>>(),
            expected,
            "{}: {}\n{said}",
            shown.line,
            shown.command
        );
    }
    Ok(())
}

#[test]
fn every_option_that_a_guide_names_is_one_of_the_program() -> Result {
    let hermes = xtask::test::hermes()?;
    let mut known = BTreeSet::new();
    for verb in [&[][..], &["demo"], &["call"], &["list"], &["ping"], &["info"], &["shell"]] {
        let help = Command::new(&hermes).args(verb).arg("--help").stdin(Stdio::null()).output()?;
        known.extend(options(&String::from_utf8(help.stdout)?));
    }
    for name in [
        "first-server.md",
        "first-client.md",
        "revisions.md",
        "sessions.md",
        "resumability.md",
        "deploying.md",
        "security.md",
        "troubleshooting.md",
    ] {
        for option in options(&page(name)?) {
            assert!(known.contains(&option) || option == "--path", "{name} names {option}");
        }
    }
    Ok(())
}

/// The long options that a text names.
fn options(text: &str) -> BTreeSet<String> {
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    words.filter(|word| word.len() > 3 && word.starts_with("--")).map(str::to_owned).collect()
}
