//! The two lowest crates decide and never act: nothing below them may reach a clock, a runtime, chance or a socket.

use crate::error::Result;
use crate::process::{cargo, output};
use crate::workspace::root;

/// The packages that stay pure.
pub const PURE: [&str; 2] = ["mcp-hermes-types", "mcp-hermes-proto"];

/// Crates that bring a runtime, randomness, HTTP or sockets; a name stands for its whole family (`tokio-util` too).
const IMPURE: [&str; 19] = [
    "async-io",
    "async-std",
    "axum",
    "fastrand",
    "getrandom",
    "h2",
    "http",
    "hyper",
    "mio",
    "native-tls",
    "quinn",
    "rand",
    "reqwest",
    "rustls",
    "smol",
    "socket2",
    "tokio",
    "tower",
    "uuid",
];

/// The names of all crates below `package` on any platform, without those that only tests and build scripts use.
///
/// # Errors
///
/// When `cargo tree` fails.
pub fn below(package: &str) -> Result<Vec<String>> {
    let tree = output(cargo().current_dir(root()).args([
        "tree",
        "--offline",
        "--edges=normal",
        "--all-features",
        "--target=all",
        "--prefix=none",
        "--format={p}",
        "--package",
        package,
    ]))?;
    let mut names: Vec<String> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    Ok(names)
}

/// Whether a crate of that name brings a runtime, randomness, HTTP or sockets.
#[must_use]
pub fn is_impure(name: &str) -> bool {
    IMPURE.iter().any(|family| {
        name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_recognised_by_its_first_words_only() {
        assert!(is_impure("tokio"));
        assert!(is_impure("tokio-util"));
        assert!(is_impure("rand_core"));
        assert!(!is_impure("randomize"));
        assert!(!is_impure("httparse"));
        assert!(!is_impure("serde_json"));
    }
}
