//! `hermes man`: the manual pages.

use std::fs;
use std::io;
use std::path::Path;

use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::{Cli, Manual};
use crate::atomic;
use crate::exit::{Exit, Failure, Result, TABLE};
use crate::hint;
use crate::output::print;

/// Prints the page of the program with all verbs on it, or that of one verb; or writes all of them to a folder.
///
/// # Errors
/// There is no such verb, or the page cannot be written.
pub(crate) fn run(manual: &Manual) -> Result<Exit> {
    let unwritable =
        |error: io::Error| Failure::new(Exit::Output, format!("cannot write the manual pages: {error}"));
    let mut command = Cli::command();
    command.build();
    if let Some(folder) = &manual.folder {
        if let Some(file) = atomic::obstacle(folder) {
            return Err(Failure::usage(format!(
                "--folder {}: {} is no folder",
                folder.display(),
                file.display()
            )));
        }
        all(&mut command, folder).map_err(unwritable)?;
        return Ok(Exit::Ok);
    }
    let page = match &manual.verb {
        None => whole(&mut command).map_err(unwritable)?,
        Some(name) => {
            let names: Vec<String> = shown(&command).map(|verb| verb.get_name().to_owned()).collect();
            let verb = command.find_subcommand_mut(name).ok_or_else(|| {
                Failure::usage(format!("there is no verb \"{name}\""))
                    .with_hint(hint::offer(name, names.iter().map(String::as_str)))
            })?;
            of_verb(verb).map_err(unwritable)?
        }
    };
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}

/// Writes `hermes.1`, and `hermes-VERB.1` for each verb.
fn all(command: &mut Command, folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("hermes.1"), whole(command)?)?;
    for verb in command.get_subcommands_mut().filter(|verb| !verb.is_hide_set()) {
        let page = of_verb(verb)?;
        fs::write(folder.join(format!("hermes-{}.1", verb.get_name())), page)?;
    }
    Ok(())
}

/// The verbs that people are told of.
fn shown(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| !verb.is_hide_set())
}

fn whole(command: &mut Command) -> io::Result<Vec<u8>> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(command).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    verbs(command).to_writer(&mut page)?;
    man.render_options_section(&mut page)?;
    exit_codes().to_writer(&mut page)?;
    Ok(page)
}

/// The page of one verb: its own flags; for those that stand anywhere it refers to the page of the program.
fn of_verb(verb: &mut Command) -> io::Result<Vec<u8>> {
    let name = format!("hermes-{}", verb.get_name());
    let about = verb.get_about().map(ToString::to_string).unwrap_or_default();
    let mut page = Vec::new();
    Man::new(verb.clone()).title(&name).render_title(&mut page)?;
    let mut roff = Roff::new();
    roff.control("SH", ["NAME"]).text([roman(format!("{name} - {about}"))]);
    roff.control("SH", ["SYNOPSIS"]);
    for usage in usage(verb) {
        roff.text([bold(usage)]).control("br", []);
    }
    roff.control("SH", ["DESCRIPTION"]);
    paragraphs(&mut roff, verb);
    roff.control("SH", ["OPTIONS"]);
    own_flags(&mut roff, verb);
    for inner in verb.get_subcommands_mut().filter(|inner| !inner.is_hide_set() && inner.get_name() != "help")
    {
        roff.control("SS", [inner.get_name()]);
        for usage in usage(inner) {
            roff.text([bold(usage)]).control("br", []);
        }
        paragraphs(&mut roff, inner);
        own_flags(&mut roff, inner);
    }
    roff.text([roman("Options that all verbs have, the environment and the exit codes are in hermes(1).")]);
    roff.control("SH", ["SEE ALSO"]).text([bold("hermes"), roman("(1)")]);
    roff.to_writer(&mut page)?;
    Ok(page)
}

fn paragraphs(roff: &mut Roff, verb: &Command) {
    let about = verb.get_long_about().or_else(|| verb.get_about()).map(ToString::to_string);
    for paragraph in about.unwrap_or_default().split("\n\n") {
        roff.text([roman(paragraph)]).control("PP", []);
    }
}

/// The flags that only this verb has.
fn own_flags(roff: &mut Roff, verb: &Command) {
    for flag in verb.get_arguments().filter(|flag| !flag.is_global_set() && !flag.is_hide_set()) {
        if let Some(name) = flag_name(flag) {
            let help = flag.get_long_help().or_else(|| flag.get_help()).map(ToString::to_string);
            roff.control("TP", []).text([bold(name)]).text([roman(help.unwrap_or_default())]);
        }
    }
    roff.control("PP", []);
}

fn synopsis(command: &mut Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for verb in command.get_subcommands_mut().filter(|verb| !verb.is_hide_set()) {
        for usage in usage(verb) {
            roff.text([bold(usage)]).control("br", []);
        }
    }
    roff
}

/// Every verb with its own flags; those that stand anywhere have a section of theirs.
fn verbs(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["VERBS"]);
    for verb in shown(command) {
        roff.control("SS", [verb.get_name()]);
        paragraphs(&mut roff, verb);
        own_flags(&mut roff, verb);
    }
    roff
}

fn exit_codes() -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for line in TABLE.lines().skip(1) {
        if let Some((code, meaning)) = line.trim().split_once(' ') {
            roff.control("TP", []).text([bold(code)]).text([roman(meaning.trim())]);
        }
    }
    roff
}

/// The usage lines of a verb.
fn usage(verb: &mut Command) -> Vec<String> {
    let usage = verb.render_usage().to_string();
    usage.lines().map(|line| line.trim_start_matches("Usage:").trim().to_owned()).collect()
}

/// A flag as it is typed, with what follows it: `--args JSON | @FILE | -`. `--help` needs no words.
fn flag_name(flag: &Arg) -> Option<String> {
    let long = flag.get_long().filter(|long| *long != "help")?;
    let takes = flag.get_action().takes_values();
    let value = flag.get_value_names().filter(|_| takes).and_then(|names| names.first());
    Some(value.map_or_else(|| format!("--{long}"), |value| format!("--{long} {value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built() -> Command {
        let mut command = Cli::command();
        command.build();
        command
    }

    fn sections(page: &str) -> Vec<&str> {
        page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect()
    }

    #[test]
    fn each_verb_has_a_page_with_its_own_flags() -> io::Result<()> {
        let mut command = built();
        let verb = command.find_subcommand_mut("read").expect("a verb");
        let page = String::from_utf8(of_verb(verb)?).expect("text");
        assert_eq!(sections(&page), ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "\"SEE ALSO\""]);
        for text in
            [".TH hermes-read 1", r"hermes\-read \- Read a resource", r"\-\-watch", r"hermes read TARGET URI"]
        {
            assert!(page.contains(text), "{text}: {page}");
        }
        assert!(!page.contains(r"\-\-timeout"), "{page}");
        Ok(())
    }

    #[test]
    fn the_page_has_its_sections_in_order() -> io::Result<()> {
        let page = String::from_utf8(whole(&mut built())?).expect("text");
        assert!(!page.contains("__complete"), "{page}");
        let sections = sections(&page);
        assert_eq!(
            sections,
            [
                "NAME",
                "SYNOPSIS",
                "DESCRIPTION",
                "VERBS",
                "OPTIONS",
                "\"OPTIONS FOR TALKING TO A SERVER\"",
                "\"EXIT STATUS\""
            ]
        );
        Ok(())
    }
}
