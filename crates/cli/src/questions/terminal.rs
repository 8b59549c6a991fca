//! Where somebody is asked.

use std::io::{self, BufRead, Write};

use crate::arguments::Object;
use crate::render::{Screen, style};

/// What is known of an answer before it is typed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer<'a> {
    /// Nothing.
    Free,
    /// It is one of these.
    OneOf(&'a [String]),
    /// It is for this field of a form, which has these answers already.
    Field(&'a str, &'a Object),
}

/// Lines out, and lines in.
pub(crate) trait Terminal: Send {
    /// Shows a line.
    ///
    /// # Errors
    /// The terminal failed.
    fn say(&mut self, line: &str) -> io::Result<()>;

    /// Reads a line without its end; `None` when there is none any more, or nobody wants to write one.
    ///
    /// # Errors
    /// The terminal failed.
    fn ask(&mut self, prompt: &str, answer: Answer<'_>) -> io::Result<Option<String>>;
}

/// Two byte streams, such as standard input and standard error.
#[derive(Debug)]
pub(crate) struct Plain<R, W> {
    input: R,
    output: W,
    screen: Screen,
}

impl<R, W> Plain<R, W> {
    pub(crate) const fn new(input: R, output: W, screen: Screen) -> Self {
        Self { input, output, screen }
    }

    /// What was shown.
    #[cfg(test)]
    pub(crate) fn into_output(self) -> W {
        self.output
    }
}

impl<R: BufRead + Send, W: Write + Send> Terminal for Plain<R, W> {
    fn say(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    fn ask(&mut self, prompt: &str, _: Answer<'_>) -> io::Result<Option<String>> {
        write!(self.output, "{}", self.screen.paint(style::NAME, prompt))?;
        self.output.flush()?;
        let mut line = String::new();
        if self.input.read_line(&mut line)? == 0 {
            writeln!(self.output)?;
            return Ok(None);
        }
        Ok(Some(line.trim_end_matches(['\r', '\n']).to_owned()))
    }
}
