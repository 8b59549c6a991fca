//! Lines that somebody types at the terminal, and what is said above them meanwhile.
//!
//! One thread reads the lines, as the editor blocks; another one says what comes meanwhile, as that may block as long as
//! the first one completes a word. There is one editor for commands and answers: what is typed ahead waits in it for
//! whoever asks next.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;

use rustyline::completion::{Candidate, Completer};
use rustyline::config::{BellStyle, ColorMode, CompletionType};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{Config, Context, Editor, ExternalPrinter, Helper};
use tokio::sync::oneshot;

use super::words::goes_on;
use crate::output::note;
use crate::render::{Screen, style};
use rustix::process::{Signal, getpid, kill_process};

/// How many lines the history keeps.
const REMEMBERED: usize = 1000;

/// The prompt of a line that goes on with the one before it.
const MORE: &str = "...> ";

/// What came of waiting for a line.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Typed {
    Line(String),
    /// Ctrl-C; whether something had been typed.
    Interrupted,
    /// It was called back before it was complete: this much was typed.
    Recalled(String),
    /// Ctrl-D on an empty line, or the terminal is gone.
    End,
}

/// What a line is for.
#[derive(Debug)]
pub(crate) enum Purpose {
    /// A command: it is completed and remembered. This much of it is there already.
    Command(String),
    /// An answer: it is not remembered.
    Answer(Offers),
}

/// What an answer may be, by what is typed of it.
pub(crate) struct Offers(Box<Offer>);

type Offer = dyn Fn(&str) -> Vec<String> + Send;

impl Offers {
    pub(crate) fn new(offers: impl Fn(&str) -> Vec<String> + Send + 'static) -> Self {
        Self(Box::new(offers))
    }
}

impl fmt::Debug for Offers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Offers")
    }
}

/// A word that fits, and what it is completed to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    pub(crate) shown: String,
    pub(crate) replacement: String,
}

/// Completes the line up to the cursor: where the replacement begins, and what it may be.
pub(crate) type Complete = Box<dyn Fn(&str) -> (usize, Vec<Choice>) + Send>;

/// The one keyboard. All clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Keyboard {
    wanted: mpsc::Sender<Wanted>,
    above: Arc<Above>,
}

/// A line that is waited for.
#[derive(Debug)]
struct Wanted {
    prompt: String,
    purpose: Purpose,
    typed: oneshot::Sender<io::Result<Typed>>,
}

/// What is being typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Typing {
    Command,
    Answer,
}

/// What is said while a line is being typed.
#[derive(Debug)]
pub(crate) struct Above {
    /// Whether a line is being typed, and what for.
    typing: Mutex<Option<Typing>>,
    said: mpsc::Sender<String>,
    /// Whether the command that is being typed was called back.
    is_recalled: AtomicBool,
    /// What is there of the line.
    typed: Mutex<String>,
}

impl Above {
    /// Puts a text above the line that is being typed; `false` when none is.
    pub(crate) fn say(&self, text: &str) -> bool {
        let typing = self.typing.lock().unwrap_or_else(PoisonError::into_inner);
        typing.is_some() && self.said.send(format!("{text}\n")).is_ok()
    }

    /// Whether a command is being typed.
    fn has_command(&self) -> bool {
        *self.typing.lock().unwrap_or_else(PoisonError::into_inner) == Some(Typing::Command)
    }

    fn set(&self, typing: Option<Typing>) {
        *self.typing.lock().unwrap_or_else(PoisonError::into_inner) = typing;
    }

    fn typed(&self) -> MutexGuard<'_, String> {
        self.typed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keyboard {
    /// Takes the terminal. Lines are remembered in `history`, if it is named.
    ///
    /// # Errors
    /// The terminal cannot be used.
    pub(crate) fn take(screen: Screen, history: Option<PathBuf>, complete: Complete) -> io::Result<Self> {
        let (wanted, lines) = mpsc::channel();
        let (said, texts) = mpsc::channel();
        let above = Arc::new(Above {
            typing: Mutex::new(None),
            said,
            is_recalled: AtomicBool::new(false),
            typed: Mutex::default(),
        });
        let typing = Arc::clone(&above);
        let (ready, opened) = mpsc::sync_channel(1);
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            match Desk::new(screen, history, complete, &typing) {
                Ok((desk, printer)) => {
                    let _ = ready.send(Ok(printer));
                    desk.serve(&lines, &typing);
                }
                Err(error) => {
                    let _ = ready.send(Err(error));
                }
            }
        })?;
        let printer = opened.recv().map_err(io::Error::other)??;
        thread::Builder::new().name("voice".to_owned()).spawn(move || speak(&texts, printer))?;
        Ok(Self { wanted, above })
    }

    /// What is said above the line.
    pub(crate) fn above(&self) -> Arc<Above> {
        Arc::clone(&self.above)
    }

    /// Waits for a line.
    ///
    /// # Errors
    /// The terminal failed.
    ///
    /// # Cancel safety
    /// The line is read all the same, and lost.
    pub(crate) async fn line(&self, prompt: String, purpose: Purpose) -> io::Result<Typed> {
        self.want(prompt, purpose).await.unwrap_or(Ok(Typed::End))
    }

    /// The same for a thread that may block.
    ///
    /// # Errors
    /// The terminal failed.
    pub(crate) fn blocking_line(&self, prompt: String, purpose: Purpose) -> io::Result<Typed> {
        self.want(prompt, purpose).blocking_recv().unwrap_or(Ok(Typed::End))
    }

    /// Calls the command back that is being typed, if one is: whoever waits for it gets what is there of it.
    pub(crate) fn recall(&self) {
        if !self.above.has_command() {
            return;
        }
        self.above.is_recalled.store(true, Ordering::SeqCst);
        // The editor has no other door: while it reads a line, an interrupt of the process is its own. Should the line be
        // complete at this very moment, it is an interrupt of what the line asks.
        let _ = kill_process(getpid(), Signal::INT);
    }

    /// Whether whoever types has to finish a command before anything else is asked.
    pub(crate) fn is_busy(&self) -> bool {
        self.above.has_command()
    }

    fn want(&self, prompt: String, purpose: Purpose) -> oneshot::Receiver<io::Result<Typed>> {
        let (typed, line) = oneshot::channel();
        // A thread that is gone drops the sender, and that is an end.
        let _ = self.wanted.send(Wanted { prompt, purpose, typed });
        line
    }
}

/// Says what comes meanwhile; nothing where the terminal is too simple for that.
type Printer = Option<Box<dyn ExternalPrinter + Send>>;

fn speak(texts: &mpsc::Receiver<String>, mut printer: Printer) {
    for text in texts {
        // What cannot be said on the terminal any more has nobody who would hear it.
        let _ = match &mut printer {
            Some(printer) => printer.print(text).map_err(io::Error::other),
            None => io::Write::write_all(&mut io::stderr(), text.as_bytes()),
        };
    }
}

/// The thread that reads.
struct Desk {
    editor: Editor<Hand, FileHistory>,
    /// The history of the other purpose: that of commands while an answer is typed, else an empty one.
    aside: FileHistory,
    history: Option<PathBuf>,
}

impl Desk {
    fn new(
        screen: Screen,
        history: Option<PathBuf>,
        complete: Complete,
        above: &Arc<Above>,
    ) -> io::Result<(Self, Printer)> {
        let config = config(screen).map_err(io::Error::other)?;
        let [file, aside] = [FileHistory::with_config(&config), FileHistory::with_config(&config)];
        let mut editor = Editor::with_history(config, file).map_err(io::Error::other)?;
        editor.set_helper(Some(Hand {
            screen,
            complete,
            offers: None,
            before: String::new(),
            above: Arc::clone(above),
        }));
        if let Some(path) = &history {
            // There is none the first time; one that cannot be read does not keep anybody from working.
            let _ = editor.load_history(path);
        }
        let printer = editor.create_external_printer().ok();
        let printer = printer.map(|printer| Box::new(printer) as Box<dyn ExternalPrinter + Send>);
        Ok((Self { editor, aside, history }, printer))
    }

    fn serve(mut self, lines: &mpsc::Receiver<Wanted>, above: &Above) {
        for Wanted { prompt, purpose, typed } in lines {
            let line = match purpose {
                Purpose::Command(begun) => {
                    above.is_recalled.store(false, Ordering::SeqCst);
                    above.set(Some(Typing::Command));
                    let line = self.command(&prompt, &begun, above);
                    if let Ok(line) = &line {
                        self.remember(line);
                    }
                    line
                }
                Purpose::Answer(offers) => {
                    above.set(Some(Typing::Answer));
                    self.answer(&prompt, offers, above)
                }
            };
            above.set(None);
            // Whoever does not wait any more does not want the line.
            let _ = typed.send(match line {
                Ok(line) => Ok(Typed::Line(line)),
                Err(ReadlineError::Interrupted) if above.is_recalled.swap(false, Ordering::SeqCst) => {
                    Ok(Typed::Recalled(std::mem::take(&mut above.typed())))
                }
                Err(ReadlineError::Interrupted) => Ok(Typed::Interrupted),
                Err(ReadlineError::Eof) => Ok(Typed::End),
                // A terminal that was taken away.
                Err(ReadlineError::Errno(error)) if error as i32 == EIO => Ok(Typed::End),
                Err(error) => Err(io::Error::other(error)),
            });
        }
    }

    /// Reads a command: as many lines as it goes on over. The end of the input ends it, complete or not.
    fn command(&mut self, prompt: &str, begun: &str, above: &Above) -> rustyline::Result<String> {
        let mut command = self.line(prompt, begun, above)?;
        while goes_on(&command) {
            command.push('\n');
            self.follow(&command);
            let line = self.line(MORE, "", above);
            self.follow("");
            match line {
                Ok(line) => command.push_str(&line),
                Err(ReadlineError::Eof) => {
                    command.pop();
                    break;
                }
                Err(error) => {
                    // Should it be called back, it is all of this.
                    above.typed().insert_str(0, &command);
                    return Err(error);
                }
            }
        }
        Ok(command)
    }

    /// Notes the lines of the command before the one that is read.
    fn follow(&mut self, before: &str) {
        if let Some(hand) = self.editor.helper_mut() {
            before.clone_into(&mut hand.before);
        }
    }

    /// Reads an answer: it has no history, and is completed to what it may be.
    fn answer(&mut self, prompt: &str, offers: Offers, above: &Above) -> rustyline::Result<String> {
        self.turn_to(Some(offers));
        let line = self.line(prompt, "", above);
        self.turn_to(None);
        line
    }

    /// Reads a line of which this much is there already. A byte that is no text is left out, and that is said: what was
    /// typed before it stands under the message again. The editor drops what it has read ahead then, so an Enter that was
    /// typed behind the byte does not count, and nothing is carried out that nobody has seen.
    fn line(&mut self, prompt: &str, begun: &str, above: &Above) -> rustyline::Result<String> {
        begun.clone_into(&mut above.typed());
        loop {
            let begun = above.typed().clone();
            match self.editor.readline_with_initial(prompt, (&begun, "")) {
                Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                    // The line that was begun stays where it is.
                    let _ = io::Write::write_all(&mut io::stderr(), b"\n");
                    note(
                        "warning",
                        style::WARNING,
                        "a byte that is no text (UTF-8) was left out, with what came right behind it; look at the line before Enter",
                    );
                }
                line => return line,
            }
        }
    }

    /// Readies the editor for an answer, or for a command again.
    fn turn_to(&mut self, offers: Option<Offers>) {
        std::mem::swap(self.editor.history_mut(), &mut self.aside);
        if let Some(hand) = self.editor.helper_mut() {
            hand.offers = offers;
        }
    }

    /// Keeps a command for another day. Lines that begin with a space are not kept.
    fn remember(&mut self, line: &str) {
        let is_new = self.editor.add_history_entry(line).unwrap_or(false);
        if let (true, Some(path)) = (is_new, &self.history) {
            // A history that cannot be written is no reason to stop.
            let _ = self.editor.append_history(path);
        }
    }
}

/// What reading from a terminal that is gone says.
const EIO: i32 = 5;

fn config(screen: Screen) -> rustyline::Result<Config> {
    let colour = if screen.has_colour() { ColorMode::Enabled } else { ColorMode::Disabled };
    let config = Config::builder()
        .max_history_size(REMEMBERED)?
        .history_ignore_dups(true)?
        .history_ignore_space(true)
        .completion_type(CompletionType::List)
        .completion_show_all_if_ambiguous(true)
        .bell_style(BellStyle::None)
        .color_mode(colour)
        .auto_add_history(false);
    Ok(config.build())
}

/// Those of these that begin like what is typed.
fn fitting(choices: &[String], typed: &str) -> Vec<Choice> {
    let fits = |choice: &&String| choice.to_lowercase().starts_with(&typed.to_lowercase());
    let choice = |word: &String| Choice { shown: word.clone(), replacement: word.clone() };
    choices.iter().filter(fits).map(choice).collect()
}

/// What the editor asks about its line.
struct Hand {
    screen: Screen,
    /// Completes commands.
    complete: Complete,
    /// What an answer may be, while one is typed.
    offers: Option<Offers>,
    /// The lines of the command before this one.
    before: String,
    /// Where what is there of the line is noted.
    above: Arc<Above>,
}

impl Completer for Hand {
    type Candidate = Choice;

    fn complete(&self, line: &str, at: usize, _: &Context<'_>) -> rustyline::Result<(usize, Vec<Choice>)> {
        let typed = line.get(..at).unwrap_or(line);
        Ok(match &self.offers {
            Some(Offers(offers)) => (0, fitting(&offers(typed), typed)),
            None => {
                let (begins, choices) = (self.complete)(&format!("{}{typed}", self.before));
                // What began in a line before this one is not replaced.
                begins.checked_sub(self.before.len()).map_or((at, Vec::new()), |begins| (begins, choices))
            }
        })
    }
}

impl Candidate for Choice {
    fn display(&self) -> &str {
        &self.shown
    }

    fn replacement(&self) -> &str {
        &self.replacement
    }
}

impl Highlighter for Hand {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> std::borrow::Cow<'b, str> {
        self.screen.paint(style::NAME, prompt).into()
    }
}

impl Hinter for Hand {
    type Hint = String;

    /// Hints at nothing. It is asked after every change of the line, so it knows what is there.
    fn hint(&self, line: &str, _: usize, _: &Context<'_>) -> Option<String> {
        line.clone_into(&mut self.above.typed());
        None
    }
}

impl Validator for Hand {}

impl Helper for Hand {}
