//! The terminal as it was before.

use std::io::{Write as _, stdin, stdout};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};

/// What the editor turns on and has no chance to turn off when the program ends in the middle of a line.
const PASTE_OFF: &str = "\u{1b}[?2004l";

/// Puts the terminal back when it is dropped, also when somebody ends the program while a line is being typed.
#[derive(Debug)]
pub(crate) struct Restored(Option<Termios>);

impl Restored {
    /// Notes how the terminal is now.
    pub(crate) fn later() -> Self {
        Self(tcgetattr(stdin()).ok())
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        let Some(before) = &self.0 else { return };
        let is_changed = tcgetattr(stdin()).is_ok_and(|now| now.local_modes != before.local_modes);
        if is_changed {
            // A terminal that is gone needs nothing.
            let _ = tcsetattr(stdin(), OptionalActions::Now, before);
            let _ = writeln!(stdout(), "{PASTE_OFF}");
        }
    }
}
