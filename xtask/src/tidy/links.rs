//! Rules for links in Markdown pages.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::packed::{self, NAMES};
use crate::finding::Finding;
use crate::page;
use crate::source::Source;

/// Where the pages of the guide are named.
const GUIDE: &str = "crates/hermes/src/lib.rs";

/// What is wrong with the links of all pages.
pub(crate) fn check(sources: &[Source], root: &Path) -> Vec<Finding> {
    let pages: BTreeMap<&Path, &str> = sources
        .iter()
        .filter(|source| source.has_extension("md"))
        .map(|source| (source.path.as_path(), source.text.as_str()))
        .collect();
    let guide = guide(sources);
    let names: Vec<&str> = pages.get(Path::new(NAMES)).map_or_else(Vec::new, |names| {
        names.lines().filter_map(|line| page::definition(line).map(|(name, _)| name)).collect()
    });
    let mut findings = Vec::new();
    for (path, text) in &pages {
        let is_guide = guide.iter().any(|page| page == path);
        for line in page::prose(text) {
            let mut complain = |message| findings.push(Finding::error("links", *path, line.number, message));
            for target in page::inline(line.text).into_iter().filter(|target| !page::is_elsewhere(target)) {
                if !leads_somewhere(target, path, &pages, root) {
                    complain(format!("the link to `{target}` leads nowhere"));
                } else if is_guide {
                    complain(format!(
                        "the link to `{target}` leads nowhere in the documentation of the library: write [name], and what it stands for at the end of the page and in {NAMES}"
                    ));
                }
            }
            let Some((name, target)) = page::definition(line.text) else { continue };
            if !page::is_elsewhere(target) && !leads_somewhere(target, path, &pages, root) {
                complain(format!("[{name}] leads nowhere: `{target}`"));
            }
            if is_guide && !names.contains(&name) {
                complain(format!(
                    "[{name}] is not in {NAMES}: say where it leads in the documentation of the library"
                ));
            }
        }
    }
    findings
}

/// The pages in `docs` that the documentation of the library has.
fn guide(sources: &[Source]) -> Vec<PathBuf> {
    let Some(source) = sources.iter().find(|source| source.path.as_os_str() == GUIDE) else {
        return Vec::new();
    };
    let included = source.text.lines().flat_map(packed::included);
    included.filter_map(|path| path.strip_prefix("guide/")).map(|page| Path::new("docs").join(page)).collect()
}

/// Whether a target is there, and the place in it as well.
fn leads_somewhere(target: &str, from: &Path, pages: &BTreeMap<&Path, &str>, root: &Path) -> bool {
    let (file, place) = page::place(target);
    let path = match file {
        "" => from.to_owned(),
        file => page::plain(&from.parent().unwrap_or_else(|| Path::new("")).join(file)),
    };
    let Some(place) = place else { return root.join(path).exists() };
    pages.get(path.as_path()).is_some_and(|page| page::places(page).any(|there| there == place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let source = |(path, text): &(&str, &str)| Source { path: path.into(), text: (*text).to_owned() };
        let sources: Vec<Source> = files.iter().map(source).collect();
        let findings = check(&sources, Path::new(env!("CARGO_MANIFEST_DIR")));
        findings.iter().map(|finding| format!("{}:{}", finding.path.display(), finding.line)).collect()
    }

    #[test]
    fn a_link_leads_to_a_file_beside_the_page_and_to_a_place_in_it() {
        let text = "# Top\n[a](Cargo.toml), [b](src/lib.rs)\n[c](gone.md)\n[d](https://example.org/x), [e](#top)\n[f](#bottom)\n";
        assert_eq!(found(&[("README.md", text)]), ["README.md:3", "README.md:5"]);
        assert_eq!(found(&[("a.md", "[x](b.md#one)\n[y](b.md#two)\n"), ("b.md", "## One\n")]), ["a.md:2"]);
    }

    #[test]
    fn a_name_leads_to_a_file_too() {
        assert_eq!(found(&[("a.md", "See [x] and [y].\n\n[x]: Cargo.toml\n[y]: gone.md\n")]), ["a.md:4"]);
    }

    #[test]
    fn links_of_the_guide_have_names_that_the_library_knows() {
        let guide = (GUIDE, "#[doc = include_str!(\"guide/a.md\")]\npub mod a {}\n");
        let names = (NAMES, "[b]: crate::guide::b\n");
        let page =
            ("docs/a.md", "[b](../Cargo.toml)\n[b] and [c]\n\n[b]: ../Cargo.toml\n[c]: ../Cargo.toml\n");
        assert_eq!(found(&[guide, names, page]), ["docs/a.md:1", "docs/a.md:5"]);
    }
}
