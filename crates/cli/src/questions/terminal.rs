//! Where somebody is asked.

use std::io::{self, BufRead, Write};

use crate::render::{Screen, style};

/// Lines out, and lines in.
pub(crate) trait Terminal: Send {
    /// Shows a line.
    ///
    /// # Errors
    /// The terminal failed.
    fn say(&mut self, line: &str) -> io::Result<()>;

    /// Reads a line without its end; `None` when there is none any more, or nobody wants to write one. `choices` is what
    /// it may be, if that is known.
    ///
    /// # Errors
    /// The terminal failed.
    fn ask(&mut self, prompt: &str, choices: &[String]) -> io::Result<Option<String>>;
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

    fn ask(&mut self, prompt: &str, _: &[String]) -> io::Result<Option<String>> {
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
