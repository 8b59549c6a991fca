//! Questions that are answered at the keyboard.

use std::io;
use std::sync::Arc;

use tokio::sync::Notify;

use super::keyboard::{Keyboard, Purpose, Typed};
use crate::console::Console;
use crate::questions::Terminal;

/// Where somebody sits who answers.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) keyboard: Keyboard,
    pub(crate) console: Console,
    /// Told when an answer is interrupted: what it is for is not wanted any more.
    pub(crate) interrupt: Arc<Notify>,
}

impl Terminal for Seat {
    fn say(&mut self, line: &str) -> io::Result<()> {
        self.console.say(line);
        Ok(())
    }

    fn ask(&mut self, prompt: &str, choices: &[String]) -> io::Result<Option<String>> {
        if self.keyboard.is_busy() {
            self.console.say("Press Enter to answer; what you have typed is carried out first.");
        }
        let purpose = Purpose::Answer(choices.to_vec());
        Ok(match self.keyboard.blocking_line(prompt.to_owned(), purpose)? {
            Typed::Line(line) => Some(line),
            Typed::Interrupted => {
                self.interrupt.notify_waiters();
                None
            }
            Typed::Recalled(_) | Typed::End => None,
        })
    }
}
