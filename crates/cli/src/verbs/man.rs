//! `hermes man`: the manual page.

use clap::CommandFactory as _;
use clap_mangen::Man;

use crate::args::Cli;
use crate::exit::{Exit, Failure, Result};
use crate::output::print;

/// Prints one page with all verbs in it.
pub(crate) fn run() -> Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    let broken = |error: std::io::Error| Failure::usage(format!("cannot write the manual page: {error}"));
    Man::new(command.clone()).render(&mut page).map_err(broken)?;
    // The page of a program with verbs only names them; their own text and options follow here.
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        let heading = format!(".SH HERMES {}\n", verb.get_name().to_uppercase());
        page.extend_from_slice(heading.as_bytes());
        let man = Man::new(verb.clone());
        man.render_synopsis_section(&mut page).map_err(broken)?;
        man.render_description_section(&mut page).map_err(broken)?;
    }
    print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Ok)
}
