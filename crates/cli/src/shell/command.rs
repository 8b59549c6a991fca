//! What a line asks for.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use hermes::types::LoggingLevel;

use super::names::{ENTRIES, Entry, Verb};
use super::words::{Words, is_comment};
use crate::args::{Reach, parse_timeout};
use crate::arguments::{Object, Sources, Word};
use crate::exit::{Failure, Result};
use crate::hint;
use crate::places;
use crate::verbs::Complete;

/// A line that makes sense.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) command: Command,
    pub(crate) options: Options,
}

/// What may stand anywhere in a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// `--json`: the result as it came.
    pub(crate) json: bool,
    /// `--no-check`: the arguments as they are.
    pub(crate) no_check: bool,
    /// `--timeout`: how long an answer may take.
    pub(crate) timeout: Option<Duration>,
}

/// The options by their names.
pub(crate) const OPTIONS: [&str; 3] = ["--json", "--no-check", "--timeout"];

/// A command with what it needs.
#[derive(Debug)]
pub(crate) enum Command {
    Help(Option<&'static Entry>),
    List(Listed),
    Call { tool: String, given: Given },
    Prompt { name: String, given: Given },
    Read { uri: String },
    Subscribe { uri: Option<String> },
    Unsubscribe { uri: String },
    Complete(Complete),
    Ping,
    Level(LoggingLevel),
    State { verbose: bool },
    Initialize,
    Connect(Reach),
    Reconnect,
    Roots(Option<Change>),
    Trace(Option<bool>),
    Clear,
    Exit,
}

/// What is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Listed {
    All,
    Tools,
    Resources,
    Templates,
    Prompts,
}

/// What becomes of a root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Add(PathBuf),
    Remove(PathBuf),
}

/// Arguments as far as they are typed: whole objects, and single ones on top.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    pub(crate) base: Object,
    pub(crate) words: Vec<Word>,
}

/// Makes sense of a line; `None` if there is nothing on it.
///
/// # Errors
/// It makes none; nothing was done.
pub(crate) fn parse(line: &str) -> Result<Option<Line>> {
    if is_comment(line) {
        return Ok(None);
    }
    let words = Words::complete(line).map_err(Failure::usage)?;
    let mut words = words.into_iter();
    let Some(name) = words.next() else { return Ok(None) };
    let entry = find(&name)?;
    // What follows two dashes belongs to a command of the system.
    let mut words: Vec<String> = words.collect();
    let behind = words.iter().position(|word| word == "--").map(|at| words.split_off(at));
    let options = options(&mut words)?;
    let command = Rest { entry, words: words.into_iter(), behind }.command()?;
    Ok(Some(Line { command, options }))
}

fn find(name: &str) -> Result<&'static Entry> {
    Entry::find(name).ok_or_else(|| {
        let names = ENTRIES.iter().map(|entry| entry.name);
        let near = hint::nearest(name, names).map(|near| format!("did you mean \"{near}\"? "));
        let hint = format!("{}help shows what there is", near.unwrap_or_default());
        Failure::usage(format!("there is no command \"{name}\"")).with_hint(hint)
    })
}

/// Takes the options out of the words.
fn options(words: &mut Vec<String>) -> Result<Options> {
    let mut options = Options::default();
    let mut kept = Vec::with_capacity(words.len());
    let mut all = std::mem::take(words).into_iter();
    while let Some(word) = all.next() {
        let (name, value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        match (name, value) {
            ("--json", None) => options.json = true,
            ("--no-check", None) => options.no_check = true,
            ("--timeout", value) => {
                let time = value.or_else(|| all.next()).unwrap_or_default();
                let time = parse_timeout(&time)
                    .map_err(|why| Failure::usage(format!("--timeout \"{time}\": {why}")))?;
                options.timeout = Some(time);
            }
            (name, _) if name.starts_with("--") => {
                return Err(Failure::usage(format!("there is no option \"{name}\""))
                    .with_hint(hint::offer(name, OPTIONS)));
            }
            _ => kept.push(word),
        }
    }
    *words = kept;
    Ok(options)
}

/// What follows a command's name.
struct Rest {
    entry: &'static Entry,
    words: std::vec::IntoIter<String>,
    /// Two dashes, and what follows them.
    behind: Option<Vec<String>>,
}

impl Rest {
    fn command(mut self) -> Result<Command> {
        let command = match self.entry.verb {
            Verb::Connect => return self.connect(),
            Verb::Call => {
                let tool = self.next("the name of a tool")?;
                return Ok(Command::Call { tool, given: self.given()? });
            }
            Verb::Prompt => {
                let name = self.next("the name of a prompt")?;
                return Ok(Command::Prompt { name, given: self.given()? });
            }
            Verb::Complete => return self.complete(),
            Verb::Help => Command::Help(self.words.next().map(|name| find(&name)).transpose()?),
            Verb::List => Command::List(Listed::All),
            Verb::ListTools => Command::List(Listed::Tools),
            Verb::ListResources => Command::List(Listed::Resources),
            Verb::ListTemplates => Command::List(Listed::Templates),
            Verb::ListPrompts => Command::List(Listed::Prompts),
            Verb::Read => Command::Read { uri: self.next("the URI of a resource")? },
            Verb::Subscribe => Command::Subscribe { uri: self.words.next() },
            Verb::Unsubscribe => Command::Unsubscribe { uri: self.next("the URI of a resource")? },
            Verb::Ping => Command::Ping,
            Verb::Level => Command::Level(self.level()?),
            Verb::State => Command::State { verbose: self.choice(&["verbose"])?.is_some() },
            Verb::Initialize => Command::Initialize,
            Verb::Reconnect => Command::Reconnect,
            Verb::Roots => Command::Roots(match self.choice(&["add", "remove"])? {
                None => None,
                Some("add") => Some(Change::Add(places::expanded(&self.next("a folder")?))),
                Some(_) => Some(Change::Remove(places::expanded(&self.next("a folder")?))),
            }),
            Verb::Trace => Command::Trace(self.choice(&["on", "off"])?.map(|word| word == "on")),
            Verb::Clear => Command::Clear,
            Verb::Exit => Command::Exit,
        };
        self.end()?;
        Ok(command)
    }

    fn next(&mut self, what: &str) -> Result<String> {
        let next = self.words.next().filter(|word| !word.is_empty());
        next.ok_or_else(|| self.wants(what))
    }

    fn wants(&self, what: &str) -> Failure {
        Failure::usage(format!("{} wants {what}", self.entry.name)).with_hint(self.usage())
    }

    fn complete(mut self) -> Result<Command> {
        let of = self.next("the name of a prompt, or a resource template")?;
        let missing = self.wants("the argument to complete: NAME=PREFIX");
        let Given { base, words } = self.given()?;
        Complete::of(of, &base, words)?.map(Command::Complete).ok_or(missing)
    }

    /// One of these words, or none.
    fn choice(&mut self, words: &'static [&'static str]) -> Result<Option<&'static str>> {
        let Some(typed) = self.words.next() else { return Ok(None) };
        let found = words.iter().find(|word| **word == typed).copied();
        found.map(Some).ok_or_else(|| {
            Failure::usage(format!("{} takes {}, not \"{typed}\"", self.entry.name, words.join(" or ")))
        })
    }

    fn level(&mut self) -> Result<LoggingLevel> {
        let typed = self.next("a level")?;
        let found = LEVELS.iter().find(|level| LoggingLevel::as_str(level) == typed.to_lowercase());
        found.cloned().ok_or_else(|| {
            let names = LEVELS.iter().map(LoggingLevel::as_str);
            Failure::usage(format!("\"{typed}\" is no level")).with_hint(hint::offer(&typed, names))
        })
    }

    /// All words that are left, as arguments.
    fn given(mut self) -> Result<Given> {
        let (mut sources, mut given) = (Sources::of_a_script(), Given::default());
        for word in self.words.by_ref() {
            if word == "-" || word.starts_with('{') || (word.starts_with('@') && !word.contains('=')) {
                given.base.extend(sources.object(&word)?);
            } else {
                let hint = "write NAME=VALUE, NAME:=JSON, {JSON} or @FILE";
                given.words.push(Word::read(&word, &mut sources).map_err(|failure| failure.or_hint(hint))?);
            }
        }
        self.end()?;
        Ok(given)
    }

    fn connect(mut self) -> Result<Command> {
        let command: Vec<OsString> =
            self.behind.take().into_iter().flatten().skip(1).map(OsString::from).collect();
        let words: Vec<String> = self.words.next().into_iter().collect();
        if words.is_empty() && command.is_empty() {
            return Err(Failure::usage("connect wants a target").with_hint(self.usage()));
        }
        self.end()?;
        Ok(Command::Connect(Reach { words, command }))
    }

    /// There is nothing left.
    fn end(mut self) -> Result<()> {
        match self.words.next().or_else(|| self.behind.is_some().then(|| "--".to_owned())) {
            Some(word) => {
                let message = format!("{} does not know what to do with \"{word}\"", self.entry.name);
                Err(Failure::usage(message).with_hint(self.usage()))
            }
            None => Ok(()),
        }
    }

    fn usage(&self) -> String {
        format!("it is written {}", self.entry.synopsis())
    }
}

/// The levels of log messages, from the least to the most severe.
pub(crate) const LEVELS: [LoggingLevel; 8] = [
    LoggingLevel::Debug,
    LoggingLevel::Info,
    LoggingLevel::Notice,
    LoggingLevel::Warning,
    LoggingLevel::Error,
    LoggingLevel::Critical,
    LoggingLevel::Alert,
    LoggingLevel::Emergency,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Line {
        parse(line).expect(line).expect(line)
    }

    fn refused(line: &str) -> String {
        let failure = parse(line).expect_err(line);
        format!("{failure}; {}", failure.hint().unwrap_or_default())
    }

    #[test]
    fn nothing_is_asked_by_an_empty_line_or_a_comment() {
        for line in ["", "   ", "# call_tool panic", "  #"] {
            assert!(parse(line).expect(line).is_none(), "{line:?}");
        }
    }

    #[test]
    fn a_call_takes_words_json_and_files_in_one_line() {
        let line = parsed(r#"c add {"a": 1, "b": 9007199254740993} a:=2 --timeout 700ms --json"#);
        let Command::Call { tool, given } = line.command else { panic!("{line:?}") };
        assert_eq!(tool, "add");
        assert_eq!(
            serde_json::to_string(&given.base).ok().as_deref(),
            Some(r#"{"a":1,"b":9007199254740993}"#)
        );
        assert_eq!(given.words.len(), 1);
        let timeout = Some(Duration::from_millis(700));
        assert_eq!(line.options, Options { json: true, no_check: false, timeout });
        assert!(
            refused("call add @no/such/file").starts_with("cannot read the arguments from no/such/file: ")
        );
        for word in ["-", "@-", "a=@-", "a:=@-"] {
            let told = refused(&format!("call add {word}"));
            assert!(told.starts_with("standard input is where the commands come from"), "{word}: {told}");
        }
        assert_eq!(refused("call add @"), "no file is named after the at sign; @FILE is a file");
        assert!(refused("call add x").ends_with("write NAME=VALUE, NAME:=JSON, {JSON} or @FILE"));
    }

    #[test]
    fn short_names_mean_the_same() {
        for entry in ENTRIES {
            assert!(!entry.aliases.is_empty(), "{} has no short name", entry.name);
            // What a command wants to do anything at all.
            let wanted = match entry.usage.split_whitespace().next() {
                Some("LEVEL") => "error",
                Some("TARGET") => "demo",
                Some("PROMPT-OR-TEMPLATE") => "word name=prefix",
                Some(word) if !word.starts_with('[') => "word",
                _ => "",
            };
            let command = |name: &str| format!("{:?}", parsed(&format!("{name} {wanted}")).command);
            for short in entry.aliases {
                assert_eq!(command(short), command(entry.name), "{short}");
            }
        }
    }

    #[test]
    fn what_is_missing_too_much_or_misspelt_is_said() {
        assert_eq!(
            refused("cal_tool add"),
            "there is no command \"cal_tool\"; did you mean \"call_tool\"? help shows what there is"
        );
        assert_eq!(refused("weather"), "there is no command \"weather\"; help shows what there is");
        assert_eq!(
            refused("read"),
            "read_resource wants the URI of a resource; it is written read_resource URI"
        );
        let usage = "it is written complete PROMPT-OR-TEMPLATE [NAME=VALUE]... NAME=PREFIX";
        assert_eq!(
            refused("comp"),
            format!("complete wants the name of a prompt, or a resource template; {usage}")
        );
        for line in ["complete review", "complete review {\"language\": \"ru\"}"] {
            assert_eq!(
                refused(line),
                format!("complete wants the argument to complete: NAME=PREFIX; {usage}")
            );
        }
        assert!(refused("complete review x").ends_with("write NAME=VALUE, NAME:=JSON, {JSON} or @FILE"));
        assert!(refused("read \"\"").starts_with("read_resource wants the URI of a resource"));
        assert_eq!(refused("ping x"), "ping does not know what to do with \"x\"; it is written ping");
        assert_eq!(refused("ping -- x"), "ping does not know what to do with \"--\"; it is written ping");
        assert_eq!(refused("trace maybe"), "trace takes on or off, not \"maybe\"; ");
        assert_eq!(
            refused("ping --timeot 5s"),
            "there is no option \"--timeot\"; did you mean \"--timeout\"?"
        );
        assert_eq!(
            refused("ping --timeout 5"),
            "--timeout \"5\": a unit is missing: write 700ms, 8s or 1m; "
        );
        assert_eq!(
            refused("level loud"),
            "\"loud\" is no level; there is: debug, info, notice, warning, error, critical, alert, emergency"
        );
        assert_eq!(refused("call add 'x"), "the quote ' is not closed; ");
    }

    #[test]
    fn a_server_to_connect_to_is_a_target_or_a_command_with_its_own_flags() {
        let Command::Connect(reach) = parsed("connect demo").command else { panic!("another command") };
        assert_eq!((reach.words, reach.command.len()), (vec!["demo".to_owned()], 0));
        let Command::Connect(reach) = parsed("open -- npx -y 'some server' --json").command else {
            panic!("another command")
        };
        assert_eq!(reach.command, ["npx", "-y", "some server", "--json"]);
        assert!(refused("connect").starts_with("connect wants a target"));
    }

    #[test]
    fn roots_and_levels_are_read() {
        let Command::Roots(Some(change)) = parsed("roots add '/a b'").command else {
            panic!("another command")
        };
        assert_eq!(change, Change::Add("/a b".into()));
        let Command::Roots(Some(Change::Add(at_home))) = parsed("roots add ~/a").command else {
            panic!("another command")
        };
        assert!(at_home.is_absolute() && at_home.ends_with("a") && !at_home.ends_with("~/a"), "{at_home:?}");
        let Command::Level(level) = parsed("set_log_level WARNING").command else {
            panic!("another command")
        };
        assert_eq!(level, LoggingLevel::Warning);
    }
}
