//! Two columns: a label, and wrapped lines about it.

use anstyle::Style;
use unicode_width::UnicodeWidthStr as _;

use super::screen::{Screen, style};

/// A longer label stands on a line of its own.
const MAX_LABEL: usize = 30;
/// Before the label, and between the columns.
const MARGIN: usize = 2;

/// One row of a table.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    label: String,
    lines: Vec<(Style, String)>,
}

impl Row {
    pub(crate) fn new(label: impl Into<String>) -> Self {
        Self { label: label.into(), lines: Vec::new() }
    }

    /// Adds a line, if there is anything in it; every line is wrapped on its own.
    #[must_use]
    pub(crate) fn with(mut self, style: Style, line: impl Into<String>) -> Self {
        let line = line.into();
        if !line.trim().is_empty() {
            self.lines.push((style, line));
        }
        self
    }
}

/// Lays out the rows, one or more lines each. Labels are never shortened.
pub(crate) fn table(screen: Screen, rows: &[Row]) -> String {
    let widths = rows.iter().map(|row| screen.clean(&row.label).width());
    let column = widths.filter(|width| *width <= MAX_LABEL).max().unwrap_or(MAX_LABEL);
    let indent = MARGIN + column + MARGIN;
    let room = screen.width().saturating_sub(indent).max(24);
    let mut out = String::new();
    for row in rows {
        let label = screen.clean(&row.label);
        let mut lines = row.lines.iter().flat_map(|(style, line)| wrapped(screen, *style, line, room));
        out.push_str(&" ".repeat(MARGIN));
        out.push_str(&screen.paint(style::NAME, &label));
        let beside = if label.width() <= column { lines.next() } else { None };
        if let Some(line) = beside {
            out.push_str(&" ".repeat(column - label.width() + MARGIN));
            out.push_str(&line);
        }
        out.push('\n');
        for line in lines {
            out.push_str(&" ".repeat(indent));
            out.push_str(&line);
            out.push('\n');
        }
    }
    out
}

fn wrapped(screen: Screen, style: Style, text: &str, room: usize) -> Vec<String> {
    let text = screen.clean(text.trim());
    // Words longer than a line stay whole, so that names and addresses can be copied.
    let options = textwrap::Options::new(room).break_words(false);
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .flat_map(|line| textwrap::wrap(line, &options))
        .map(|line| screen.paint(style, &line))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_what_is_seen_and_text_is_wrapped() {
        let rows = [
            Row::new("add")
                .with(style::PLAIN, "Adds two integers, exactly, whatever their size")
                .with(style::FAINT, "a, b"),
            Row::new("天気").with(style::PLAIN, "Weather\n\nfor a city"),
            Row::new("bare").with(style::PLAIN, " "),
        ];
        assert_eq!(
            table(Screen::file(40), &rows),
            "  add   Adds two integers, exactly,\n\
            \x20       whatever their size\n\
            \x20       a, b\n\
            \x20 天気  Weather\n\
            \x20       for a city\n\
            \x20 bare\n"
        );
    }

    #[test]
    fn a_long_label_stands_alone_and_whole() {
        let long = "a-name-that-is-longer-than-thirty-columns";
        let rows = [Row::new(long).with(style::PLAIN, "Text"), Row::new("x").with(style::PLAIN, "Y")];
        assert_eq!(table(Screen::file(20), &rows), format!("  {long}\n     Text\n  x  Y\n"));
    }

    #[test]
    fn a_terminal_gets_colours_that_do_not_count_as_width() {
        let rows = [Row::new("a").with(style::FAINT, "b")];
        assert_eq!(
            table(Screen::terminal(80), &rows),
            "  \u{1b}[1m\u{1b}[36ma\u{1b}[0m  \u{1b}[2mb\u{1b}[0m\n"
        );
    }
}
