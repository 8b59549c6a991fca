//! `hermes new`: a server to begin with.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Ran, command, run};

fn folder(name: &str) -> PathBuf {
    let folder =
        PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("new-{name}-{}", std::process::id()));
    drop(fs::remove_dir_all(&folder));
    fs::create_dir_all(&folder).expect("a new folder");
    folder
}

fn within(folder: &Path, line: &str) -> Ran {
    let mut command = command(line.split_whitespace());
    command.current_dir(folder);
    run(command, "")
}

fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The example is compiled and passes its tests with the workspace, and so does what is made.
#[test]
fn what_is_made_is_the_example_that_is_compiled_with_the_workspace() {
    let folder = folder("notebook");
    let ran = within(&folder, "new notebook").exits(0);
    assert!(ran.stdout.starts_with("made notebook\n"), "{ran:?}");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/notebook");
    for file in ["src/lib.rs", "src/main.rs", "tests/server.rs"] {
        assert_eq!(text(&folder.join("notebook").join(file)), text(&example.join(file)), "{file}");
    }
    let dependencies = |path: &Path| {
        let manifest = text(&path.join("Cargo.toml"));
        let table = manifest.split_once("[dependencies]\n").expect("dependencies").1.to_owned();
        let table = table.split("\n\n").next().expect("a table").to_owned();
        table.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(dependencies(&folder.join("notebook")), dependencies(&example));
}

#[test]
fn the_library_comes_from_the_copy_or_the_address_that_is_named() {
    let folder = folder("depends");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("it is there");
    within(&folder, &format!("new by-path --hermes {}", repository.display())).exits(0);
    let library = repository.join("crates/hermes");
    let line = format!("mcp-hermes = {{ path = \"{}\", features = [\"settings\"] }}", library.display());
    assert!(text(&folder.join("by-path/Cargo.toml")).contains(&line));
    within(&folder, "new by-git --hermes https://example.org/hermes").exits(0);
    let line = "mcp-hermes = { git = \"https://example.org/hermes\", features = [\"settings\"] }";
    assert!(text(&folder.join("by-git/Cargo.toml")).contains(line));
    within(&folder, "new nowhere --hermes .").exits(1).prints("").says(&["no copy of Hermes"]);
    assert!(!folder.join("nowhere").exists());
}

#[test]
fn nothing_is_overwritten_and_names_are_those_of_packages() {
    let folder = folder("refused");
    fs::create_dir(folder.join("full")).expect("a folder");
    fs::write(folder.join("full/x"), "mine").expect("written");
    within(&folder, "new full").exits(1).prints("").says(&["something in full already"]);
    within(&folder, "new My.Server").exits(1).says(&["no name of a package", "my-server"]);
    within(&folder, "new tokio").exits(1).says(&["has a meaning already"]);
    fs::create_dir(folder.join("empty")).expect("a folder");
    within(&folder, "new empty").exits(0);
    assert_eq!(text(&folder.join("empty/.gitignore")), "/target\n");
    let servers = text(&folder.join("empty/.mcp.json"));
    assert!(servers.contains("\"empty\": {"), "{servers}");
}
