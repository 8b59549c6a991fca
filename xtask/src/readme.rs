//! The commands that a page shows, so that a test can run them.

/// One command from a fenced block, with the output that the page promises.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shown {
    /// Its line in the page, from 1.
    pub line: usize,
    /// The command, as typed.
    pub command: String,
    /// What the page says is printed on standard output: only `console` blocks show some.
    pub output: Vec<String>,
}

/// The commands in all `sh` and `console` blocks of a Markdown page.
///
/// In a `sh` block each line is a command, apart from empty lines and comments. In a `console` block a command follows
/// `$ `, and the lines up to the next one are its output.
///
/// ```
/// let page = "```console\n$ hermes call demo add a:=2 b:=3\n5\n```\n";
/// let shown = xtask::readme::commands(page);
/// assert_eq!(shown[0].command, "hermes call demo add a:=2 b:=3");
/// assert_eq!(shown[0].output, ["5"]);
/// ```
#[must_use]
pub fn commands(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = Vec::new();
    let mut block: Option<&str> = None;
    for (index, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_some() { None } else { Some(language.trim()) };
            continue;
        }
        let command = match block {
            Some("sh") => Some(line.trim()).filter(|line| !line.is_empty() && !line.starts_with('#')),
            Some("console") => line.strip_prefix("$ "),
            _ => continue,
        };
        match (command, shown.last_mut()) {
            (Some(command), _) => {
                shown.push(Shown { line: index + 1, command: command.to_owned(), output: Vec::new() });
            }
            (None, Some(last)) if block == Some("console") => last.output.push(line.to_owned()),
            (None, _) => {}
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shell_blocks_show_commands() {
        let page = "```rust\nfn main() {}\n```\ntext\n```sh\n# a comment\n\ncargo xtask test\n```\n";
        let expected = Shown { line: 8, command: "cargo xtask test".to_owned(), output: Vec::new() };
        assert_eq!(commands(page), [expected]);
    }
}
