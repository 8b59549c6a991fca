//! Where text goes, and what it may look like there.

use std::borrow::Cow;
use std::io::{IsTerminal as _, stderr, stdout};

use anstream::{AutoStream, ColorChoice};
use anstyle::Style;

use crate::output::is_for_machines;

/// The few styles in use.
pub(crate) mod style {
    use anstyle::{AnsiColor, Style};

    pub(crate) const PLAIN: Style = Style::new();
    pub(crate) const HEADING: Style = Style::new().bold().underline();
    pub(crate) const NAME: Style = AnsiColor::Cyan.on_default().bold();
    pub(crate) const FAINT: Style = Style::new().dimmed();
    pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
    pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
    pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
}

/// The width of text that goes to no terminal.
const FILE_WIDTH: usize = 100;

/// An output as renderers see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    colour: bool,
    terminal: bool,
    /// Whether text of a peer is made harmless.
    guarded: bool,
    width: usize,
}

impl Screen {
    /// Standard output. Colours go to terminals only, and not where `NO_COLOR` is set. What goes to a file or to
    /// another program is a result, and stays as it is.
    pub(crate) fn stdout() -> Self {
        let terminal = stdout().is_terminal();
        Self::new(AutoStream::choice(&stdout()), terminal, terminal)
    }

    /// Standard error, likewise; but it is for people wherever it goes: a log is read on a terminal in the end.
    pub(crate) fn stderr() -> Self {
        if is_for_machines() {
            return Self { colour: false, terminal: false, guarded: true, width: FILE_WIDTH };
        }
        Self::new(AutoStream::choice(&stderr()), stderr().is_terminal(), true)
    }

    fn new(choice: ColorChoice, terminal: bool, guarded: bool) -> Self {
        let width = if terminal { textwrap::termwidth().min(120) } else { FILE_WIDTH };
        Self { colour: choice != ColorChoice::Never, terminal, guarded, width }
    }

    /// A file that was asked for: what goes there stays as it is.
    pub(crate) const fn saved() -> Self {
        Self { colour: false, terminal: false, guarded: false, width: FILE_WIDTH }
    }

    /// No terminal, no colour.
    #[cfg(test)]
    pub(crate) const fn file(width: usize) -> Self {
        Self { colour: false, terminal: false, guarded: false, width }
    }

    /// A terminal with colours.
    #[cfg(test)]
    pub(crate) const fn terminal(width: usize) -> Self {
        Self { colour: true, terminal: true, guarded: true, width }
    }

    pub(crate) const fn is_terminal(self) -> bool {
        self.terminal
    }

    pub(crate) const fn has_colour(self) -> bool {
        self.colour
    }

    pub(crate) const fn width(self) -> usize {
        self.width
    }

    /// The text in a style, where there are colours.
    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        if self.colour && style != style::PLAIN && !text.is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Text of a peer: on a terminal and on standard error nothing in it may move the cursor, change colours or ring.
    pub(crate) fn clean(self, text: &str) -> Cow<'_, str> {
        let harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
        if self.guarded && text.contains(harmful) {
            Cow::Owned(
                text.chars()
                    .filter(|c| *c != '\r')
                    .map(|c| if harmful(c) { '\u{fffd}' } else { c })
                    .collect(),
            )
        } else {
            Cow::Borrowed(text)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_show_on_a_terminal_only() {
        assert_eq!(Screen::terminal(80).paint(style::HEADING, "x"), "\u{1b}[1m\u{1b}[4mx\u{1b}[0m");
        assert_eq!(Screen::terminal(80).paint(style::HEADING, ""), "");
        assert_eq!(Screen::file(80).paint(style::HEADING, "x"), "x");
    }

    #[test]
    fn a_peer_cannot_steer_the_terminal() {
        let text = "a\u{1b}[2Jb\r\n\tc\u{7}\u{9b}";
        assert_eq!(Screen::terminal(80).clean(text), "a\u{fffd}[2Jb\n\tc\u{fffd}\u{fffd}");
        assert_eq!(Screen::file(80).clean(text), text);
        assert_eq!(Screen::stderr().clean(text), Screen::terminal(80).clean(text));
    }
}
