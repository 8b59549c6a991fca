//! Verbs and flags, as the command line is declared.

use clap::{Arg, Command, ValueHint};

use super::candidates::Candidate;
use super::files::files;

/// The command that the words name so far: the program itself, a verb, or a verb within a verb.
pub(super) fn command<'c>(root: &'c Command, words: &[String]) -> &'c Command {
    let mut command = root;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.starts_with('-') {
            if takes_value(command, word) {
                words.next();
            }
            continue;
        }
        match command.find_subcommand(word) {
            Some(found) => command = found,
            None => break,
        }
    }
    command
}

/// Whether the value of this flag is the next word.
pub(super) fn takes_value(command: &Command, word: &str) -> bool {
    !word.contains('=') && find(command, word).is_some_and(|flag| flag.get_action().takes_values())
}

fn find<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let word = word.split('=').next().unwrap_or_default();
    command.get_arguments().find(|flag| {
        let long = word.strip_prefix("--").is_some_and(|name| flag.get_long() == Some(name));
        let short = word.strip_prefix('-').is_some_and(|name| {
            let mut chars = name.chars();
            chars.next() == flag.get_short() && chars.next().is_none()
        });
        long || (short && flag.get_short().is_some())
    })
}

/// The verbs of a command.
pub(super) fn verbs(command: &Command) -> Vec<Candidate> {
    let shown = command.get_subcommands().filter(|verb| !verb.is_hide_set());
    shown
        .map(|verb| Candidate::new(verb.get_name()).about(verb.get_about().map(ToString::to_string)))
        .collect()
}

/// The flags of a command, those that stand anywhere among them.
pub(super) fn flags(command: &Command) -> Vec<Candidate> {
    let shown = command.get_arguments().filter(|flag| !flag.is_hide_set());
    shown
        .filter_map(|flag| {
            let about = flag.get_help().map(ToString::to_string);
            Some(Candidate::new(format!("--{}", flag.get_long()?)).about(about))
        })
        .collect()
}

/// The values of a flag, each after `before`, which is not replaced.
pub(super) fn values(command: &Command, flag: &str, before: &str, typed: &str) -> Vec<Candidate> {
    find(command, flag).map(|flag| of(flag, before, typed)).unwrap_or_default()
}

/// The values of the one argument of a command that is no flag, if it has a choice of them.
pub(super) fn choices(command: &Command) -> Vec<Candidate> {
    command.get_positionals().find(|it| !it.is_hide_set()).map(|it| of(it, "", "")).unwrap_or_default()
}

fn of(argument: &Arg, before: &str, typed: &str) -> Vec<Candidate> {
    match argument.get_value_hint() {
        ValueHint::FilePath => return files(before, typed, false),
        ValueHint::DirPath => return files(before, typed, true),
        _ => {}
    }
    let choices = argument.get_possible_values();
    let shown = choices.iter().filter(|choice| !choice.is_hide_set());
    shown
        .map(|choice| {
            let about = choice.get_help().map(ToString::to_string);
            Candidate::new(format!("{before}{}", choice.get_name())).about(about)
        })
        .collect()
}
