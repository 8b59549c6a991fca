//! The guides as texts for language models: `llms.txt`, and all of a server's and a client's in one file each.
//!
//! `cargo xtask llms` writes them, and the rule `llms` of `cargo xtask tidy` says when they are not of these guides.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::error::{Result, at};
use crate::finding::Finding;
use crate::page;
use crate::source::{self, Source};
use crate::workspace::root;

/// A part of the index, with its pages and the file that has all of them.
struct Part {
    title: &'static str,
    file: Option<&'static str>,
    pages: &'static [&'static str],
}

const PARTS: [Part; 3] = [
    Part {
        title: "Servers",
        file: Some("llms-server.txt"),
        pages: &[
            "docs/first-server.md",
            "docs/authoring.md",
            "docs/ask.md",
            "docs/sessions.md",
            "docs/delivery.md",
            "docs/resumability.md",
            "docs/transports.md",
            "docs/testing.md",
            "docs/operating.md",
            "docs/settings.md",
            "docs/deploying.md",
            "docs/restarts.md",
            "docs/telemetry.md",
        ],
    },
    Part {
        title: "Clients",
        file: Some("llms-client.txt"),
        pages: &["docs/first-client.md", "docs/revisions.md", "docs/servers.md", "docs/connections.md"],
    },
    Part {
        title: "Optional",
        file: None,
        pages: &[
            "docs/installing.md",
            "docs/command-line.md",
            "docs/shell.md",
            "docs/security.md",
            "docs/troubleshooting.md",
            "docs/from-hermes.md",
            "docs/from-rmcp.md",
            "docs/ten-tasks.md",
            "examples/README.md",
        ],
    },
];

const INDEX: &str = "llms.txt";

const HEAD: &str = "\
# Hermes

> A Model Context Protocol toolkit in Rust: servers and clients of all published revisions (2024-11-05 to 2026-07-28), written once, and
> the program `hermes`, which calls and shows servers.

The package is `mcp-hermes`, its library `hermes`; most programs begin with `use hermes::prelude::*;`. A server is `Server::new(name, version)`
with components (`#[tool]` above a function; its parameters are the arguments, its documentation the description), served by `serve_stdio()` or
over HTTP by `StreamableHttp::new(server).serve(address)`. A client is `Client::connect(target).await?` and `client.call(tool, arguments).await?`.
";

/// Writes the files.
///
/// # Errors
/// A page is missing, or a file cannot be written.
pub fn write() -> Result<()> {
    for (name, text) in files(&source::read(root())?) {
        let path = root().join(name);
        fs::write(&path, text).map_err(at(path))?;
    }
    Ok(())
}

/// What is not as it would be written.
pub(crate) fn check(sources: &[Source]) -> Vec<Finding> {
    files(sources)
        .into_iter()
        .filter(|(name, text)| text_of(sources, name) != Some(text))
        .map(|(name, _)| {
            Finding::error(
                "llms",
                name,
                0,
                "it is not of these guides: `cargo xtask llms` writes it".to_owned(),
            )
        })
        .collect()
}

fn text_of<'a>(sources: &'a [Source], path: &str) -> Option<&'a str> {
    sources.iter().find(|source| source.path.as_os_str() == path).map(|source| source.text.as_str())
}

/// The files, each with its name. A page that is not there is left out, and its rule says so.
fn files(sources: &[Source]) -> Vec<(&'static str, String)> {
    let mut index = HEAD.to_owned();
    let mut files = Vec::new();
    for part in &PARTS {
        let pages = || part.pages.iter().filter_map(|path| Some((*path, text_of(sources, path)?)));
        let _ = writeln!(index, "\n## {}\n", part.title);
        if let Some(file) = part.file {
            let _ = writeln!(index, "- [{file}]({file}): all of these in one file");
            let whole: Vec<String> = pages().map(|(path, text)| flat(path, text)).collect();
            files.push((file, whole.join("\n")));
        }
        for (path, text) in pages() {
            let _ = writeln!(index, "- [{}]({path}): {}", title(text), summary(text));
        }
    }
    files.push((INDEX, index));
    files
}

fn title(page: &str) -> &str {
    page.lines().next().unwrap_or_default().trim_start_matches('#').trim()
}

/// The first sentence of a page's text, without emphasis.
fn summary(page: &str) -> String {
    let text = page.lines().skip(1).skip_while(|line| line.is_empty()).take_while(|line| !line.is_empty());
    let text = text.collect::<Vec<_>>().join(" ").replace("**", "");
    let end = text.find(". ").unwrap_or(text.len());
    without_links(text.get(..end).unwrap_or(&text)).trim_end_matches(['.', ':']).to_owned()
}

/// The text of `[text]` and `[text](target)` alone.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    for part in text.split_inclusive(['[', ']']) {
        match part.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((_, rest)) => plain.push_str(rest.trim_end_matches(['[', ']'])),
            None => plain.push_str(part.trim_end_matches(['[', ']'])),
        }
    }
    plain
}

/// A page without what only its tests and its links need: lines of examples that are not shown, and names of links, which
/// are written out.
fn flat(path: &str, text: &str) -> String {
    let folder = Path::new(path).parent().unwrap_or_else(|| Path::new(""));
    let names: Vec<(&str, String)> = page::prose(text)
        .filter_map(|line| page::definition(line.text))
        .map(|(name, target)| (name, page::plain(&folder.join(target)).display().to_string()))
        .collect();
    let mut flat = String::new();
    let mut block: Option<&str> = None;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            // What follows the name of a language is for the tests.
            block = if block.is_some() { None } else { language.split(',').next() };
            let _ = writeln!(flat, "```{}", block.unwrap_or_default());
        } else if block == Some("rust") {
            if line != "#" && !line.starts_with("# ") {
                let _ = writeln!(flat, "{line}");
            }
        } else if block.is_some() {
            let _ = writeln!(flat, "{line}");
        } else if page::definition(line).is_none() {
            let mut line = line.to_owned();
            for (name, target) in &names {
                line = line.replace(&format!("[{name}]"), &format!("[{name}]({target})"));
            }
            let _ = writeln!(flat, "{line}");
        }
    }
    flat.truncate(flat.trim_end().len());
    flat.push('\n');
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\nIt **says** something. And [more] of it.\n\n```rust,no_run\n# hidden();\nshown();\n```\n\n[more]: ../examples/x\n";

    #[test]
    fn a_page_loses_what_only_its_tests_need() {
        assert_eq!(
            flat("docs/a.md", PAGE),
            "# A page\n\nIt **says** something. And [more](examples/x) of it.\n\n```rust\nshown();\n```\n"
        );
        assert_eq!((title(PAGE), summary(PAGE).as_str()), ("A page", "It says something"));
        assert_eq!(summary("# A\n\nWith [x](y.md) and [z] in it: so\n"), "With x and z in it: so");
    }

    #[test]
    fn a_file_that_is_not_of_these_guides_is_found() {
        let page = Source { path: "docs/ask.md".into(), text: PAGE.to_owned() };
        let sources: Vec<Source> = files(std::slice::from_ref(&page))
            .into_iter()
            .map(|(name, text)| Source { path: name.into(), text })
            .chain([page])
            .collect();
        assert!(check(&sources).is_empty());
        assert_eq!(check(&sources[1..]).len(), 1);
    }
}
