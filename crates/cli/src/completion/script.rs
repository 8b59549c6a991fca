//! The scripts that make shells ask.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::args::Cli;

/// The script for a shell. Those that cannot ask complete verbs and flags alone.
pub(crate) fn script(shell: Shell) -> String {
    let script = match shell {
        Shell::Bash => include_str!("hermes.bash"),
        Shell::Zsh => include_str!("hermes.zsh"),
        Shell::Fish => include_str!("hermes.fish"),
        other => {
            let mut script = Vec::new();
            clap_complete::generate(other, &mut Cli::command(), "hermes", &mut script);
            return String::from_utf8_lossy(&script).into_owned();
        }
    };
    let command = Cli::command();
    let verbs =
        command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(|verb| verb.get_name().to_owned());
    let flags = command.get_arguments().filter_map(|flag| flag.get_long().map(|name| format!("--{name}")));
    script.replace("@WORDS@", &verbs.chain(flags).collect::<Vec<_>>().join(" "))
}
