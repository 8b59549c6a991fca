//! `hermes man`: the manual page.

use std::io;

use clap::{Arg, Command, CommandFactory as _};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::Cli;
use crate::exit::{Exit, Failure, Result, TABLE};
use crate::output::print;

/// Prints one page with all verbs on it.
///
/// # Errors
/// The page cannot be printed.
pub(crate) fn run() -> Result<Exit> {
    let page = page().map_err(|error| Failure::usage(format!("cannot write the manual page: {error}")))?;
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}

fn page() -> io::Result<Vec<u8>> {
    let mut command = Cli::command();
    command.build();
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    synopsis(&mut command).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    verbs(&mut command).to_writer(&mut page)?;
    man.render_options_section(&mut page)?;
    exit_codes().to_writer(&mut page)?;
    Ok(page)
}

fn synopsis(command: &mut Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["SYNOPSIS"]);
    for verb in command.get_subcommands_mut() {
        for usage in usage(verb) {
            roff.text([bold(usage)]).control("br", []);
        }
    }
    roff
}

/// Every verb with its own flags; those that stand anywhere have a section of theirs.
fn verbs(command: &mut Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["VERBS"]);
    for verb in command.get_subcommands_mut() {
        roff.control("SS", [verb.get_name()]);
        let about = verb.get_long_about().or_else(|| verb.get_about()).map(ToString::to_string);
        for paragraph in about.unwrap_or_default().split("\n\n") {
            roff.text([roman(paragraph)]).control("PP", []);
        }
        for flag in verb.get_arguments().filter(|flag| !flag.is_global_set() && !flag.is_hide_set()) {
            if let Some(name) = flag_name(flag) {
                let help = flag.get_help().map(ToString::to_string).unwrap_or_default();
                roff.control("TP", []).text([bold(name)]).text([roman(help)]);
            }
        }
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

    #[test]
    fn the_page_has_its_sections_in_order() -> io::Result<()> {
        let page = String::from_utf8(page()?).expect("text");
        let sections: Vec<&str> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
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
