//! Rules for links in Markdown pages.

use std::path::Path;

use crate::finding::Finding;
use crate::source::Source;

pub(crate) fn check(source: &Source, root: &Path) -> Vec<Finding> {
    if !source.has_extension("md") {
        return Vec::new();
    }
    let folder = root.join(&source.path).parent().map(Path::to_owned).unwrap_or_default();
    (1..)
        .zip(source.text.lines())
        .flat_map(|(number, line)| targets(line).map(move |target| (number, target)))
        .filter(|(_, target)| !target.is_empty() && !folder.join(target).exists())
        .map(|(number, target)| {
            let message = format!("the link to `{target}` leads nowhere");
            Finding::error("links", &source.path, number, message)
        })
        .collect()
}

/// The files that a line links to: `[text](file#place)`; addresses elsewhere are left out.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split_once('#').map_or(target, |(file, _)| file))
        .filter(|target| !target.contains(':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_to_a_file_beside_the_page() {
        let text =
            "[a](Cargo.toml) and [b](src/lib.rs#top)\n[c](gone.md), [d](https://example.org/x), [e](#here)\n";
        let source = Source { path: "README.md".into(), text: text.to_owned() };
        let lines: Vec<usize> = check(&source, Path::new(env!("CARGO_MANIFEST_DIR")))
            .iter()
            .map(|finding| finding.line)
            .collect();
        assert_eq!(lines, [2]);
    }
}
