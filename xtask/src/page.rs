//! Markdown pages, as far as it takes to follow their links and to put them together.

use std::path::{Component, Path, PathBuf};

/// A line of a page that is no code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prose<'a> {
    /// Its number, from 1.
    pub(crate) number: usize,
    /// The line.
    pub(crate) text: &'a str,
}

/// The lines of a page outside of its blocks of code.
pub(crate) fn prose(page: &str) -> impl Iterator<Item = Prose<'_>> {
    let mut is_code = false;
    (1..).zip(page.lines()).filter_map(move |(number, text)| {
        let is_fence = text.trim_start().starts_with("```");
        is_code ^= is_fence;
        (!is_code && !is_fence).then_some(Prose { number, text })
    })
}

/// What a line links to in itself: `[text](target)`. What stands in backticks is no link.
pub(crate) fn inline(line: &str) -> Vec<&str> {
    let spoken = line.split('`').step_by(2);
    spoken
        .flat_map(|part| part.split("](").skip(1))
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target)
        .collect()
}

/// The name and the target that a line defines for links elsewhere: `[name]: target`.
pub(crate) fn definition(line: &str) -> Option<(&str, &str)> {
    let (name, target) = line.strip_prefix('[')?.split_once("]: ")?;
    Some((name, target.trim()))
}

/// Whether a target is an address somewhere else.
pub(crate) fn is_elsewhere(target: &str) -> bool {
    target.contains(':')
}

/// A target without its place, and the place.
pub(crate) fn place(target: &str) -> (&str, Option<&str>) {
    target.split_once('#').map_or((target, None), |(file, place)| (file, Some(place)))
}

/// The places of a page: its headings, as they are written in links.
pub(crate) fn places(page: &str) -> impl Iterator<Item = String> {
    prose(page)
        .filter_map(|line| line.text.strip_prefix('#'))
        .map(|heading| slug(heading.trim_start_matches('#')))
}

fn slug(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
    kept.flat_map(char::to_lowercase).map(|letter| if letter == ' ' { '-' } else { letter }).collect()
}

/// A path without its `..`, as far as that can be told without a look at the disk.
pub(crate) fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_no_prose() {
        let page = "# A\n```sh\n[x](y)\n```\n[b](c.md) `[d](e)`\n";
        assert_eq!(prose(page).map(|line| line.number).collect::<Vec<_>>(), [1, 5]);
        assert_eq!(prose(page).flat_map(|line| inline(line.text)).collect::<Vec<_>>(), ["c.md"]);
    }

    #[test]
    fn a_heading_is_a_place() {
        assert_eq!(
            places("# What, if?\n## 0.1 Two words\n").collect::<Vec<_>>(),
            ["what-if", "01-two-words"]
        );
        assert_eq!(place("a.md#what-if"), ("a.md", Some("what-if")));
    }

    #[test]
    fn a_definition_has_a_name_and_a_target() {
        assert_eq!(definition("[a b]: c.md#d"), Some(("a b", "c.md#d")));
        assert_eq!(definition("[a](b)"), None);
        assert_eq!(plain(Path::new("docs/../examples/./x")), Path::new("examples/x"));
    }
}
