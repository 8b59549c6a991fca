//! The workspace keeps its own rules: crate arrows, pure lower crates, the lints that hold them, and tidiness.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use serde_json::Value;
use xtask::purity;
use xtask::tidy::{self, Severity};
use xtask::workspace::{Workspace, root};

type Result = std::result::Result<(), Box<dyn Error>>;

#[test]
fn the_workspace_is_tidy_and_its_arrows_point_down() -> Result {
    let findings = tidy::check(&Workspace::read()?)?;
    let errors: Vec<String> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(ToString::to_string)
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    Ok(())
}

#[test]
fn nothing_below_the_pure_crates_has_a_runtime_randomness_http_or_sockets() -> Result {
    for package in purity::PURE {
        let below = purity::below(package)?;
        // The tree was read at all: the package itself and its one certain dependency are in it.
        assert!(below.iter().any(|name| name == package), "{package}: {below:?}");
        assert!(below.iter().any(|name| name == "serde_json"), "{package}: {below:?}");
        let impure: Vec<&String> = below.iter().filter(|name| purity::is_impure(name)).collect();
        assert!(impure.is_empty(), "{package} reaches {impure:?}");
    }
    Ok(())
}

#[test]
fn the_tree_of_a_crate_with_a_runtime_is_seen_as_impure() -> Result {
    let below = purity::below("mcp-hermes-server")?;
    assert!(below.iter().any(|name| purity::is_impure(name)), "the check sees no runtime: {below:?}");
    Ok(())
}

/// Clippy reads the clippy.toml nearest to a package. A small workspace with the same files at the same places shows
/// that those of the pure crates are in force there, and that they do not reach their neighbours.
#[test]
fn clippy_refuses_clocks_and_hash_maps_in_the_pure_crates() -> Result {
    let trial = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lint-trial");
    let members = ["types", "proto", "server"];
    for name in members {
        let member = trial.join("crates").join(name);
        fs::create_dir_all(member.join("src"))?;
        fs::write(
            member.join("Cargo.toml"),
            format!("[package]\nname = \"trial-{name}\"\nedition = \"2024\"\n[lints]\nworkspace = true\n"),
        )?;
        fs::write(member.join("src").join("lib.rs"), TRIAL)?;
        let configuration = Path::new("crates").join(name).join("clippy.toml");
        if root().join(&configuration).exists() {
            fs::copy(root().join(&configuration), trial.join(&configuration))?;
        }
    }
    fs::copy(root().join("clippy.toml"), trial.join("clippy.toml"))?;
    let lints = "disallowed_methods = \"warn\"\ndisallowed_types = \"warn\"\n";
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    assert!(manifest.contains(lints), "the workspace does not ask for the two lints");
    fs::write(
        trial.join("Cargo.toml"),
        format!("[workspace]\nresolver = \"3\"\nmembers = [\"crates/*\"]\n[workspace.lints.clippy]\n{lints}"),
    )?;

    let output = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["clippy", "--offline", "--workspace", "--message-format=json", "--target-dir"])
        .arg(trial.join("target"))
        .env_remove("CLIPPY_CONF_DIR")
        .current_dir(&trial)
        .output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let refused = refusals(&output.stdout)?;

    let pure: BTreeSet<String> = [
        "disallowed_methods: std::env::var",
        "disallowed_methods: std::thread::sleep",
        "disallowed_methods: std::time::Instant::elapsed",
        "disallowed_methods: std::time::Instant::now",
        "disallowed_methods: std::time::SystemTime::now",
        "disallowed_types: std::collections::HashMap",
        "disallowed_types: std::collections::HashSet",
    ]
    .map(str::to_owned)
    .into();
    let usual: BTreeSet<String> = ["disallowed_methods: std::thread::sleep"].map(str::to_owned).into();
    assert_eq!(refused("types"), pure);
    assert_eq!(refused("proto"), pure);
    assert_eq!(refused("server"), usual);
    Ok(())
}

/// What the pure crates must not do, one item a line.
const TRIAL: &str = r#"
pub fn environment() -> bool { std::env::var("HOME").is_ok() }
pub fn sleep() { std::thread::sleep(std::time::Duration::ZERO) }
pub fn elapsed(since: std::time::Instant) -> std::time::Duration { since.elapsed() }
pub fn now() -> std::time::Instant { std::time::Instant::now() }
pub fn date() -> std::time::SystemTime { std::time::SystemTime::now() }
pub fn map() -> std::collections::HashMap<u8, u8> { [(1, 2)].into() }
pub fn set() -> std::collections::HashSet<u8> { [1].into() }
"#;

/// Reads clippy's messages; the answer gives a member's refusals as `lint: path`.
fn refusals(messages: &[u8]) -> std::result::Result<impl Fn(&str) -> BTreeSet<String>, Box<dyn Error>> {
    let mut refused: BTreeSet<(String, String)> = BTreeSet::new();
    for line in std::str::from_utf8(messages)?.lines() {
        let message: Value = serde_json::from_str(line)?;
        let Some(code) = message["message"]["code"]["code"].as_str() else { continue };
        let text = message["message"]["message"].as_str().unwrap_or_default();
        let path = text.split('`').nth(1).unwrap_or(text);
        let lint = code.strip_prefix("clippy::").unwrap_or(code);
        let package = message["target"]["name"].as_str().unwrap_or_default();
        refused.insert((package.to_owned(), format!("{lint}: {path}")));
    }
    Ok(move |member: &str| {
        let package = format!("trial_{member}");
        refused.iter().filter(|(name, _)| *name == package).map(|(_, what)| what.clone()).collect()
    })
}
