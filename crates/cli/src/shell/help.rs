//! What there is to know about the commands.

use super::command::OPTIONS;
use super::names::{ENTRIES, Entry};
use crate::render::{Row, Screen, style, table};

/// About one command, or about all.
pub(crate) fn text(entry: Option<&Entry>) -> String {
    let screen = Screen::stdout();
    match entry {
        Some(entry) => one(screen, entry),
        None => all(screen),
    }
}

fn one(screen: Screen, entry: &Entry) -> String {
    let short = match entry.aliases {
        [] => String::new(),
        aliases => screen.paint(style::FAINT, &format!("  short: {}\n", aliases.join(", "))),
    };
    format!("{}\n  {}\n{short}", screen.paint(style::NAME, &entry.synopsis()), entry.about)
}

fn all(screen: Screen) -> String {
    let rows: Vec<Row> = ENTRIES
        .iter()
        .map(|entry| {
            let names: Vec<&str> = std::iter::once(entry.name).chain(entry.aliases.iter().copied()).collect();
            Row::new(names.join(", ")).with(style::PLAIN, entry.about)
        })
        .collect();
    let heading = screen.paint(style::HEADING, "Commands");
    format!(
        "{heading}\n{}\nOptions, anywhere in a line: {} TIME, such as 700ms, 8s or 1m.\n\
         Tab completes, Ctrl-C takes a call back, Ctrl-D leaves. help COMMAND says more.\n",
        table(screen, &rows),
        OPTIONS.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_command_and_option() {
        let text = all(Screen::file(80));
        for name in ENTRIES.iter().map(|entry| entry.name).chain(OPTIONS) {
            assert!(text.contains(name), "{name}: {text}");
        }
    }

    #[test]
    fn help_about_a_command_says_how_it_is_written() {
        let entry = Entry::find("sub").expect("a command");
        assert_eq!(
            one(Screen::file(80), entry),
            "subscribe [URI]\n  hear of changes of a resource; alone: which are heard of\n  short: sub\n"
        );
    }
}
