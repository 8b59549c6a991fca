//! What may stand at the cursor.

use std::collections::BTreeMap;

use clap::CommandFactory as _;
use clap_complete::Shell;

use super::answer::{Offered, Question};
use super::ask::offered;
use super::files::files;
use super::{flags, line};
use crate::args::{Cli, Flags, Reach, Verb};
use crate::config::reach as shown;
use crate::configured::Configured;
use crate::target::DEMO;

/// Something that may stand at the cursor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Candidate {
    pub(super) value: String,
    about: String,
}

impl Candidate {
    pub(super) fn new(value: impl Into<String>) -> Self {
        Self { value: value.into(), about: String::new() }
    }

    /// Adds what it is, of which the first line is shown.
    pub(super) fn about(mut self, about: impl Into<Option<String>>) -> Self {
        let about = about.into().unwrap_or_default();
        about.lines().next().unwrap_or_default().clone_into(&mut self.about);
        self
    }
}

/// What a target has to be asked.
#[derive(Debug)]
pub(super) struct Wish {
    pub(super) question: Question,
    pub(super) reach: Reach,
    pub(super) flags: Flags,
}

/// Answers a shell: one candidate a line, for zsh and fish with what it is behind a tab. `given` are the words behind
/// the program's name, the last of which is the one at the cursor; from bash it is the line up to the cursor and the
/// characters that break words.
pub(crate) fn complete(shell: Shell, given: &[String]) -> String {
    let (words, breaks) = match (shell, given) {
        (Shell::Bash, [line, breaks]) => (line::words(line).split_off(1), breaks.as_str()),
        _ => (given.to_vec(), ""),
    };
    let typed = words.last().map_or("", String::as_str);
    let mut shown = String::new();
    for Candidate { value, about } in candidates(&words) {
        // A name of a peer's is put on the command line and shown: nothing in it may steer the terminal.
        if !value.starts_with(typed) || value.chars().any(char::is_control) {
            continue;
        }
        if shell == Shell::Bash {
            shown.push_str(&line::replacement(&value, typed, breaks));
            if !value.ends_with(['=', '/']) {
                shown.push(' ');
            }
        } else {
            shown.push_str(&value);
            if !about.is_empty() {
                shown.push('\t');
                shown.extend(about.chars().filter(|c| !c.is_control()));
            }
        }
        shown.push('\n');
    }
    shown
}

fn candidates(words: &[String]) -> Vec<Candidate> {
    let Some((typed, before)) = words.split_last() else { return Vec::new() };
    if before.iter().any(|word| word == "--") {
        return files("", typed, false);
    }
    let mut root = Cli::command();
    root.build();
    let command = flags::command(&root, before);
    if let Some(flag) = before.last().filter(|flag| flags::takes_value(command, flag)) {
        return flags::values(command, flag, "", typed);
    }
    if let Some((flag, value)) = typed.split_once('=').filter(|_| typed.starts_with("--")) {
        return flags::values(command, flag, &format!("{flag}="), value);
    }
    if typed.starts_with('-') {
        return flags::flags(command);
    }
    if command.has_subcommands() {
        return flags::verbs(command);
    }
    if let Some((name, path)) = typed.split_once("=@") {
        return files(&format!("{name}=@"), path, false);
    }
    if let Some(path) = typed.strip_prefix('@') {
        return files("@", path, false);
    }
    let choices = flags::choices(command);
    if !choices.is_empty() {
        return choices;
    }
    match reach(before) {
        Some((_, reach, flags)) if reach.words.is_empty() => targets(&flags),
        _ => Wish::at(words).map(|wish| wish.candidates(words)).unwrap_or_default(),
    }
}

/// The verb, the words and the flags that are typed already, if they can be understood.
fn reach(before: &[String]) -> Option<(Verb, Reach, Flags)> {
    let program = ["hermes".to_owned()];
    let mut cli = Cli::read(program.iter().chain(before)).ok()?;
    let reach = std::mem::take(cli.verb.reach()?);
    Some((cli.verb, reach, cli.flags))
}

/// The servers that have a name.
fn targets(flags: &Flags) -> Vec<Candidate> {
    let mut targets = vec![Candidate::new(DEMO).about("the server that is built in".to_owned())];
    let entries = Configured::look(flags).map(|configured| configured.all().0).unwrap_or_default();
    let usable = entries.iter().filter(|entry| !entry.is_disabled() && entry.error().is_none());
    targets.extend(usable.map(|entry| Candidate::new(entry.name()).about(shown(entry))));
    targets
}

impl Wish {
    /// What has to be asked to complete the last of these words.
    pub(super) fn at(words: &[String]) -> Option<Self> {
        let (typed, before) = words.split_last()?;
        let (verb, reach, flags) = reach(before)?;
        let (_, asked) = reach.words.split_first()?;
        let question = match (verb, asked) {
            (Verb::Call(_), _) => Question::Tools,
            (Verb::Read(_), []) | (Verb::Listen(_), _) => Question::Resources,
            (Verb::Prompt(_), []) => Question::Prompts,
            (Verb::Complete(_), []) => Question::Completable,
            (verb @ (Verb::Prompt(_) | Verb::Complete(_)), [of, given @ ..]) => match typed.split_once('=') {
                Some((name, typed)) => {
                    let pairs = given.iter().filter_map(|word| word.split_once('='));
                    let context: BTreeMap<String, String> =
                        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
                    Question::Values {
                        of: of.clone(),
                        name: name.to_owned(),
                        typed: typed.to_owned(),
                        context,
                    }
                }
                None if matches!(verb, Verb::Prompt(_)) => Question::Prompts,
                None => Question::Completable,
            },
            _ => return None,
        };
        Some(Self { question, reach, flags })
    }

    fn candidates(&self, words: &[String]) -> Vec<Candidate> {
        let typed = words.last().map_or("", String::as_str);
        let offered = offered(self, words);
        match (&self.question, self.reach.words.get(1)) {
            (Question::Values { name, .. }, _) => {
                offered.iter().map(|value| Candidate::new(format!("{name}={}", value.name))).collect()
            }
            (Question::Resources, _) => offered.iter().map(of_uri).collect(),
            (_, None) => offered
                .iter()
                .map(|offered| Candidate::new(&offered.name).about(offered.about.clone()))
                .collect(),
            (_, Some(of)) => {
                let of = offered.iter().find(|offered| offered.name == *of);
                of.map(|of| arguments(of, self.reach.words.get(2..).unwrap_or_default(), typed))
                    .unwrap_or_default()
            }
        }
    }
}

/// A resource, or a template up to what has to be filled in.
fn of_uri(offered: &Offered) -> Candidate {
    let fixed = offered.name.split('{').next().unwrap_or_default();
    Candidate::new(fixed).about(offered.about.clone())
}

/// The arguments that are not given yet, or the values of the one that is being typed.
fn arguments(of: &Offered, given: &[String], typed: &str) -> Vec<Candidate> {
    if let Some((name, _)) = typed.split_once('=') {
        let argument = of.arguments.iter().find(|argument| argument.name == name);
        let choices = argument.map(|argument| argument.choices.as_slice()).unwrap_or_default();
        return choices.iter().map(|choice| Candidate::new(format!("{name}={choice}"))).collect();
    }
    let names: Vec<&str> = given
        .iter()
        .filter_map(|word| word.split_once('='))
        .map(|(name, _)| name.strip_suffix(':').unwrap_or(name))
        .collect();
    let open = of.arguments.iter().filter(|argument| !names.contains(&argument.name.as_str()));
    open.map(|argument| Candidate::new(format!("{}=", argument.name)).about(argument.about.clone())).collect()
}
