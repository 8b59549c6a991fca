//! Standard error while a server is at work: notes, its log, and how far it is.

use std::fmt::{self, Display};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use anstyle::Style;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::exit::Failure;
use crate::output;
use crate::render::{Screen, style};
use hermes::types::{LoggingLevel, LoggingMessageNotificationParams};

/// A bar counts in thousandths, because progress may be fractional.
const SCALE: f64 = 1000.0;

/// Standard error, shared by everyone who has something to say. A bar on it makes room for lines.
#[derive(Clone, Debug)]
pub(crate) struct Console(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    screen: Screen,
    verbose: bool,
    bar: ProgressBar,
    /// Whether somebody is asked something: then no bar is drawn over the question.
    asking: AtomicBool,
    /// Whether the bar is on the screen.
    drawn: AtomicBool,
    /// Whether every message is shown.
    traced: AtomicBool,
    above: Above,
}

/// Takes a line that has to stand above the one that somebody is typing; `false` when nobody is.
struct Above(Box<dyn Fn(&str) -> bool + Send + Sync>);

impl fmt::Debug for Above {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Above").finish_non_exhaustive()
    }
}

/// No bar is drawn while this is there.
#[derive(Debug)]
pub(crate) struct Hush(Console);

impl Drop for Hush {
    fn drop(&mut self) {
        self.0.0.asking.store(false, Relaxed);
    }
}

impl Console {
    pub(crate) fn new(verbose: bool) -> Self {
        Self::above(verbose, |_| false)
    }

    /// Standard error of somebody who types lines on the same terminal: `above` takes what is said meanwhile, and says
    /// whether it did.
    pub(crate) fn above(verbose: bool, above: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        let screen = Screen::stderr();
        let target =
            if screen.is_terminal() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(None, target);
        let (asking, drawn, traced) = Default::default();
        Self(Arc::new(Inner { screen, verbose, bar, asking, drawn, traced, above: Above(Box::new(above)) }))
    }

    pub(crate) fn screen(&self) -> Screen {
        self.0.screen
    }

    pub(crate) fn is_verbose(&self) -> bool {
        self.0.verbose
    }

    /// Whether every message is shown.
    pub(crate) fn is_traced(&self) -> bool {
        self.0.traced.load(Relaxed)
    }

    /// Says whether every message is shown from now on.
    pub(crate) fn trace(&self, on: bool) {
        self.0.traced.store(on, Relaxed);
    }

    /// Takes the bar away for as long as somebody is asked something. Nobody has to wait for the answer meanwhile.
    pub(crate) fn hush(&self) -> Hush {
        self.0.asking.store(true, Relaxed);
        self.settle();
        Hush(self.clone())
    }

    /// Says a line, while the bar is out of the way.
    pub(crate) fn say(&self, line: &str) {
        if (self.0.above.0)(line) {
            return;
        }
        // A bar that is not there would be drawn for the first time by being put back.
        if self.0.drawn.load(Relaxed) {
            self.0.bar.suspend(|| output::say(line));
        } else {
            output::say(line);
        }
    }

    /// Says a line if somebody is typing one, and nothing otherwise.
    pub(crate) fn whisper(&self, line: &str) {
        // Nobody types: nobody has to know.
        let _ = (self.0.above.0)(line);
    }

    /// Says why something failed, and what to do about it.
    pub(crate) fn report(&self, failure: &Failure) {
        if !failure.to_string().is_empty() {
            self.note("error", style::BAD, failure);
        }
        if let Some(hint) = failure.hint() {
            self.note("hint", style::GOOD, &hint);
        }
    }

    /// Says something under a label.
    pub(crate) fn note(&self, label: &str, look: Style, text: &dyn Display) {
        let text = text.to_string();
        if output::is_for_machines() {
            return output::note(label, look, &text);
        }
        self.say(&output::noted(label, look, &text));
    }

    /// Says that something is not as it should be.
    pub(crate) fn warn(&self, text: &dyn Display) {
        self.note("warning", style::WARNING, text);
    }

    /// Shows a log message of the server.
    pub(crate) fn log(&self, message: &LoggingMessageNotificationParams) {
        let look = match message.level.severity() {
            Some(0..=2) => style::FAINT,
            Some(3) => style::WARNING,
            _ => style::BAD,
        };
        let text = message.data.decode::<String>().unwrap_or_else(|_| message.data.get().to_owned());
        let text = match &message.logger {
            Some(logger) => format!("{logger}: {text}"),
            None => text,
        };
        self.note(LoggingLevel::as_str(&message.level), look, &text);
    }

    /// Shows how far a call is: as a bar on a terminal, otherwise as a line if more was asked for.
    pub(crate) fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let text = progress_text(done, total, message);
        if self.0.bar.is_hidden() {
            if self.0.verbose {
                self.note("progress", style::FAINT, &text);
            }
            return;
        }
        if self.0.asking.load(Relaxed) {
            return;
        }
        let bar = &self.0.bar;
        self.0.drawn.store(true, Relaxed);
        let total = total.filter(|total| *total > 0.0);
        bar.set_style(look(if total.is_some() { "{bar:30} {msg}" } else { "{spinner} {msg}" }));
        bar.set_message(self.0.screen.clean(&text).into_owned());
        if bar.is_finished() {
            bar.reset();
        }
        match total {
            Some(total) => {
                bar.set_length(scaled(total));
                bar.set_position(scaled(done).min(scaled(total)));
            }
            None => bar.tick(),
        }
    }

    /// Takes the bar away: the call is over.
    pub(crate) fn settle(&self) {
        self.0.drawn.store(false, Relaxed);
        self.0.bar.finish_and_clear();
    }
}

fn look(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and a bar that is full or empty is the right picture of such a number"
)]
fn scaled(number: f64) -> u64 {
    (number * SCALE) as u64
}

fn progress_text(done: f64, total: Option<f64>, message: Option<&str>) -> String {
    let count = total.map_or_else(|| done.to_string(), |total| format!("{done}/{total}"));
    match message {
        Some(message) => format!("{count} {message}"),
        None => count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_count_and_what_is_being_done() {
        assert_eq!(progress_text(2.0, Some(5.0), None), "2/5");
        assert_eq!(progress_text(0.5, None, Some("warming up")), "0.5 warming up");
    }

    #[test]
    fn odd_numbers_do_not_break_the_bar() {
        assert_eq!(scaled(1.5), 1500);
        assert_eq!(scaled(-1.0), 0);
        assert_eq!(scaled(f64::NAN), 0);
        assert_eq!(scaled(f64::INFINITY), u64::MAX);
    }
}
