//! The files of a new project.

use std::fs;
use std::io;
use std::path::Path;

use super::depend;
use crate::args::New;
use crate::atomic;
use crate::exit::{Exit, Failure, Result};
use crate::output::print;

/// The files, each with its text. `NAME`, `CRATE` and `HERMES` stand for what differs.
const FILES: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("README.md", include_str!("template/README.md")),
    (".gitignore", "/target\n"),
    (".mcp.json", include_str!("template/mcp.json")),
    ("src/lib.rs", include_str!("template/src/notebook.rs")),
    ("src/main.rs", include_str!("template/src/main.rs")),
    ("tests/server.rs", include_str!("template/tests/server.rs")),
];

/// How long the name of a package may be, as registries have it.
const LONGEST: usize = 64;

/// Names that a package cannot have, or that would hide something it needs.
const TAKEN: [&str; 14] = [
    "alloc",
    "anyhow",
    "core",
    "demo",
    "hermes",
    "mcp-hermes",
    "proc-macro",
    "schemars",
    "serde",
    "serde_json",
    "std",
    "test",
    "tokio",
    "serde-json",
];

/// Words of Rust, which no crate can be called.
const WORDS: [&str; 38] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod",
    "move", "mut", "pub", "ref", "return", "self", "static", "struct", "trait", "true", "type", "use",
];

/// Makes a project in a new folder.
///
/// # Errors
/// It cannot have the name, the folder has something in it, or cannot be written to.
pub(crate) fn make(new: &New) -> Result<Exit> {
    let folder = new.path.as_path();
    let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    check(name)?;
    let hermes = depend::hermes(new.hermes.as_deref())?;
    let shown = folder.display();
    if let Some(file) = atomic::obstacle(folder) {
        return Err(Failure::usage(format!("{shown} cannot be made: {} is no folder", file.display())));
    }
    // One that cannot be looked into cannot be written to either, which is told below.
    if fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some()) {
        return Err(Failure::usage(format!("there is something in {shown} already")));
    }
    let filled = |text: &str| {
        // A path may have one of the words in it, so it comes last.
        text.replace("NAME", name).replace("CRATE", &name.replace('-', "_")).replace("HERMES", &hermes)
    };
    FILES
        .iter()
        .try_for_each(|(path, text)| write(&folder.join(path), &filled(text)))
        .map_err(|error| Failure::new(Exit::Output, format!("cannot write to {shown}: {error}")))?;
    print(&format!(
        "made {shown}\n\n  cd {shown}\n  cargo test\n  hermes call {name} keep text='buy bread'\n"
    ))?;
    Ok(Exit::Ok)
}

fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}

/// Refuses what cargo or Rust would.
fn check(name: &str) -> Result<()> {
    let hint = |hint: &str| Some(hint.to_owned());
    let refused = |why: &str| Failure::usage(format!("a server cannot be called \"{name}\": {why}"));
    let starts_well = name.starts_with(|c: char| c.is_ascii_lowercase());
    let fits =
        name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte));
    if !starts_well || !fits {
        return Err(refused("that is no name of a package")
            .with_hint(hint("write small letters, digits and dashes, a letter first: my-server")));
    }
    if name.len() > LONGEST {
        let shown: String = name.chars().take(20).collect();
        return Err(Failure::usage(format!(
            "a server cannot be called \"{shown}...\": the name has {} letters, and {LONGEST} is the most",
            name.len()
        )));
    }
    if TAKEN.contains(&name) || WORDS.contains(&name) {
        return Err(refused("that name has a meaning already").with_hint(hint("my-server would do")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_cargo_takes() {
        for good in ["a", "my-server", "my_server2"] {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["", "My", "2x", "-x", "a b", "a.b", "fn", "tokio", "ä", &"a".repeat(300)] {
            assert!(check(bad).is_err(), "{bad}");
        }
        assert!(check(&"a".repeat(64)).is_ok());
    }
}
