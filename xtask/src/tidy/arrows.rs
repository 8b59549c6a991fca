//! Which crate may depend on which.
//!
//! Arrows point down only, and no arrow goes sideways:
//!
//! ```text
//! cli ──▶ hermes ──▶ http, socket, store ──▶ server ──▶ proto ──▶ types
//!               ├──▶ client ──▶
//!               └──▶ macros
//! testkit ─────────▶ server, client, proto, types
//! ```

use cargo_metadata::DependencyKind;

use crate::finding::Finding;
use crate::workspace::{Workspace, root};

/// Each package with the packages of the workspace that it may name in `[dependencies]`.
const ALLOWED: [(&str, &[&str]); 16] = [
    ("mcp-hermes-types", &[]),
    ("mcp-hermes-macros", &[]),
    ("mcp-hermes-telemetry", &["mcp-hermes-types"]),
    ("mcp-hermes-proto", &["mcp-hermes-types"]),
    ("mcp-hermes-server", &["mcp-hermes-proto", "mcp-hermes-telemetry", "mcp-hermes-types"]),
    (
        "mcp-hermes-client",
        &["mcp-hermes-proto", "mcp-hermes-telemetry", "mcp-hermes-types", "mcp-hermes-websocket"],
    ),
    (
        "mcp-hermes-http",
        &[
            "mcp-hermes-proto",
            "mcp-hermes-server",
            "mcp-hermes-telemetry",
            "mcp-hermes-types",
            "mcp-hermes-websocket",
        ],
    ),
    ("mcp-hermes-websocket", &[]),
    ("mcp-hermes-socket", &["mcp-hermes-server", "mcp-hermes-telemetry"]),
    ("mcp-hermes-store", &["mcp-hermes-proto", "mcp-hermes-server"]),
    (
        "mcp-hermes",
        &[
            "mcp-hermes-client",
            "mcp-hermes-http",
            "mcp-hermes-macros",
            "mcp-hermes-proto",
            "mcp-hermes-server",
            "mcp-hermes-socket",
            "mcp-hermes-store",
            "mcp-hermes-telemetry",
            "mcp-hermes-types",
        ],
    ),
    ("mcp-hermes-cli", &["mcp-hermes"]),
    (
        "mcp-hermes-testkit",
        &["mcp-hermes-client", "mcp-hermes-proto", "mcp-hermes-server", "mcp-hermes-types"],
    ),
    ("mcp-hermes-conformance", &["mcp-hermes", "mcp-hermes-testkit"]),
    ("mcp-hermes-tests", &[]),
    ("xtask", &[]),
];

/// What an example may name, as any program of a user may.
const EXAMPLES: &[&str] = &["mcp-hermes"];

/// Packages whose tests may use everything; in all others only the testkit comes on top.
const TESTS_USE_ALL: [&str; 4] = ["mcp-hermes", "mcp-hermes-cli", "mcp-hermes-socket", "mcp-hermes-tests"];

pub(crate) fn check(workspace: &Workspace) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut complain = |package: &str, message: String| {
        findings.push(Finding::error("arrows", format!("package {package}"), 0, message));
    };
    for package in workspace.packages() {
        let name = package.name.as_str();
        let is_example = package.manifest_path.starts_with(root().join("examples"));
        let allowed = match ALLOWED.iter().find(|(known, _)| *known == name) {
            Some((_, allowed)) => Some(*allowed),
            None => is_example.then_some(EXAMPLES),
        };
        let Some(allowed) = allowed else {
            complain(
                name,
                "a package without arrows: add it to the table in xtask/src/tidy/arrows.rs".to_owned(),
            );
            continue;
        };
        for kind in [DependencyKind::Normal, DependencyKind::Build] {
            for below in workspace.own_dependencies(package, kind) {
                if !allowed.contains(&below.as_str()) {
                    complain(name, format!("must not depend on {below}: arrows point down only"));
                }
            }
        }
        if TESTS_USE_ALL.contains(&name) {
            continue;
        }
        for below in workspace.own_dependencies(package, DependencyKind::Development) {
            if !allowed.contains(&below.as_str()) && below != "mcp-hermes-testkit" {
                complain(name, format!("its tests must not depend on {below}: put them into testing/tests"));
            }
        }
    }
    findings
}
