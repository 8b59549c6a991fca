//! What a crate takes in when it is built lies within its package; otherwise it would not build from a registry.

use std::path::{Path, PathBuf};

use crate::finding::Finding;
use crate::page;
use crate::source::Source;

/// The macros that take in a file beside the source.
const MACROS: [&str; 3] = ["include!(\"", "include_bytes!(\"", "include_str!(\""];
/// What every package has beside its manifest.
const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
/// The pages of the guide within the facade, each a link to the page in `docs`: cargo packs what a link leads to.
pub(super) const GUIDE: &str = "crates/hermes/src/guide";
/// The one page that stands there itself.
pub(super) const NAMES: &str = "crates/hermes/src/guide/links.md";

/// What is taken in from outside, and what is a copy in place of a link.
pub(crate) fn check(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    // Links are no files to judge, so whatever is met here is a copy.
    if source.path.starts_with(GUIDE) && source.path.as_os_str() != NAMES {
        let message =
            "it is a copy, and would grow old: make it a symbolic link to the page in docs".to_owned();
        findings.push(Finding::error("packed", &source.path, 0, message));
    }
    if !source.path.starts_with("crates") || !source.has_extension("rs") {
        return findings;
    }
    // `crates/NAME`.
    let package: PathBuf = source.path.components().take(2).collect();
    // Tests are packed too.
    for (number, line) in (1..).zip(source.text.lines()) {
        for path in included(line) {
            let folder = source.path.parent().unwrap_or_else(|| Path::new(""));
            if !page::plain(&folder.join(path)).starts_with(&package) {
                let message = format!(
                    "`{path}` is outside of the package, so what is packed does not build: link to it from within"
                );
                findings.push(Finding::error("packed", &source.path, number, message));
            }
        }
    }
    findings
}

/// Crates whose packages lack the text of a licence.
pub(crate) fn licences(sources: &[Source], root: &Path) -> Vec<Finding> {
    let manifests = sources.iter().filter(|source| {
        source.is_named(&["Cargo.toml"])
            && source.path.starts_with("crates")
            && source.path.components().count() == 3
    });
    let mut findings = Vec::new();
    for manifest in manifests {
        for licence in LICENCES {
            if !root.join(&manifest.path).with_file_name(licence).is_file() {
                let message = format!("the package has no {licence}: link to the one at the root");
                findings.push(Finding::error("packed", &manifest.path, 0, message));
            }
        }
    }
    findings
}

/// The files that a line takes in, as it names them.
pub(super) fn included(line: &str) -> impl Iterator<Item = &str> {
    MACROS
        .iter()
        .flat_map(|name| line.split(name).skip(1))
        .filter_map(|rest| rest.split_once('"'))
        .map(|(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        check(&Source { path: path.into(), text: text.to_owned() }).len()
    }

    #[test]
    fn what_is_taken_in_lies_within_the_package() {
        let code = "const A: &str = include_str!(\"../b.md\");\nconst B: &[u8] = include_bytes!(\"c/d\");\n";
        assert_eq!(found("crates/a/src/x.rs", code), 0);
        assert_eq!(found("crates/a/src/x.rs", "#[doc = include_str!(\"../../b.md\")]\npub mod b {}\n"), 1);
        assert_eq!(found("crates/a/tests/x.rs", "const A: &str = include_str!(\"../../b.md\");\n"), 1);
        assert_eq!(found("crates/a/tests/x.rs", "const A: &str = include_str!(\"b.md\");\n"), 0);
    }

    #[test]
    fn a_crate_without_a_licence_is_found() {
        let manifest = |path: &str| Source { path: path.into(), text: String::new() };
        let sources = [manifest("crates/none/Cargo.toml"), manifest("crates/types/Cargo.toml")];
        let found = licences(&sources, crate::workspace::root());
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|finding| finding.path == sources[0].path), "{found:?}");
    }

    #[test]
    fn a_page_of_the_guide_is_a_link() {
        assert_eq!(found("crates/hermes/src/guide/a.md", "# A\n"), 1);
        assert_eq!(found(NAMES, "[a]: b\n"), 0);
    }
}
