//! The command line as a whole, and its verbs.

use std::ffi::OsString;

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;

use super::asking::{Call, Conversation, List, Prompt, Reach, Read};
use super::config::Config;
use super::flags::Flags;
use super::pages::{CompleteWord, Manual, New};
use super::serving::Demo;
use crate::exit;

const EXAMPLES: &str = "\
Examples:
  hermes demo
  hermes call demo add a:=2 b:=3
  hermes list http://127.0.0.1:8000/mcp
  hermes list
  hermes call files read_file path=README.md
  hermes list -- npx -y @modelcontextprotocol/server-everything
  hermes call echo message=hi -- npx -y @modelcontextprotocol/server-everything";

const ENVIRONMENT: &str = "\
Environment:
  HERMES_CONFIG a file of servers, as --config takes it
  HERMES_LOG    what the library logs to standard error, such as debug (RUST_LOG is read too)
  OTEL_EXPORTER_OTLP_ENDPOINT
                where traces and metrics are sent, as --otlp takes it; TRACEPARENT: the trace they belong to
  HERMES_TRACE  a file to which every message is added, one a line, as --trace shows them
  HTTP_PROXY, HTTPS_PROXY, ALL_PROXY, NO_PROXY
                the proxy before a server, and servers before which there is none
  SSL_CERT_FILE, SSL_CERT_DIR
                whom to trust in place of the issuers that this machine knows (not on macOS)
  NO_COLOR      no colours";

/// Run, call and debug Model Context Protocol servers.
///
/// TARGET is `demo`, the server that is built in, or the address of a server, such as http://127.0.0.1:8000/mcp, or the
/// name of a server in .mcp.json or .vscode/mcp.json. To talk to a server that is a command, leave TARGET out and put
/// the command after `--`: hermes call echo message=hi -- npx -y some-server
///
/// The files are looked for in the working folder and, inside a repository, in the folders around it up to its root. The
/// nearest one that has the name counts. A server is started only when its name is written, and never from a file that
/// belongs to another user. --config names one file to take instead. `demo` and addresses are never looked up.
#[derive(Debug, Parser)]
#[command(name = "hermes", bin_name = "hermes", version, after_help = after_help(), max_term_width = 100)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
#[command(subcommand_value_name = "VERB", subcommand_help_heading = "Verbs")]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
    #[command(flatten)]
    pub(crate) flags: Flags,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Serve the demo server, or see an MCP conversation
    ///
    /// Without a choice, the demo server listens on port 8000 of this machine, or on another one when that is
    /// taken. With --stdio, it serves whoever started this command. With --show, a client talks to it in
    /// memory, once per era of the protocol, and the conversation is shown.
    #[command(
        override_usage = "hermes demo [--http ADDRESS:PORT | --socket ADDRESS | --stdio | --show] [OPTIONS]"
    )]
    Demo(Demo),

    /// List tools, resources, templates and prompts; without a target, the servers that have a name
    ///
    /// Without a target nothing is started: the servers are listed that .mcp.json and .vscode/mcp.json name, or the file
    /// of --config, with what is wrong with them.
    #[command(override_usage = format!("hermes list [OPTIONS]\n       {}", usage("list", "")))]
    List(List),

    /// Call a tool
    ///
    /// The arguments are checked against the tool's schema before anything is sent. NAME=VALUE takes the type
    /// that the schema gives it; NAME:=JSON is sent as it stands. NAME=@FILE and NAME:=@FILE take what is in a file, or
    /// on standard input as @-; @@ is an at sign. @FILE or - alone holds many arguments, as --args does.
    #[command(override_usage = usage("call", " TOOL [NAME=VALUE | NAME:=JSON | NAME=@FILE | @FILE]..."))]
    Call(Call),

    /// Read a resource
    #[command(override_usage = usage("read", " URI"))]
    Read(Read),

    /// Fill in a prompt
    #[command(override_usage = usage("prompt", " PROMPT [NAME=VALUE]..."))]
    Prompt(Prompt),

    /// Complete an argument of a prompt or of a resource template
    ///
    /// The last argument is the one to complete; those before it are sent as its context.
    #[command(override_usage = usage("complete", " PROMPT-OR-TEMPLATE [NAME=VALUE]... NAME=PREFIX"))]
    Complete(Reach),

    /// Ask for a sign of life
    #[command(override_usage = usage("ping", ""))]
    Ping(Reach),

    /// Show who the server is and what it can do
    #[command(override_usage = usage("info", ""))]
    Info(Reach),

    /// Show what changes, until interrupted
    ///
    /// Shows changes of the lists, and of the resources that are named.
    #[command(override_usage = usage("listen", " [URI]..."))]
    Listen(Reach),

    /// Talk to a server, command by command
    ///
    /// At a terminal, lines are completed by Tab and remembered, questions of the server are answered as they come, and
    /// Ctrl-C takes back the call that runs. With -c, or when the lines come from a file or another program, it is a script:
    /// the first command that fails ends it, with its exit code. The command help lists what there is.
    #[command(override_usage = usage("shell", " [-c COMMAND]..."))]
    Shell(Conversation),

    /// Make a project: a server that compiles, with a test
    #[command(override_usage = "hermes new NAME [--hermes FOLDER | --hermes URL]")]
    New(New),

    /// Name servers: list them, add, remove, copy from other programs, check
    ///
    /// Servers are kept in the user's own file, ~/.config/hermes/mcp.json, in .mcp.json of the working folder with
    /// --project, or in the file of --config. The files of other programs are only read.
    #[command(subcommand, arg_required_else_help = true)]
    Config(Config),

    /// Print a completion script for a shell
    ///
    /// For example: hermes completions bash > ~/.local/share/bash-completion/completions/hermes
    ///
    /// In bash, zsh and fish the names of servers, and the tools, resources, prompts and arguments that they offer, are
    /// completed too. A server is asked when its name is typed; HERMES_COMPLETE=off asks none.
    #[command(override_usage = "hermes completions SHELL")]
    Completions {
        /// The shell
        #[arg(value_name = "SHELL")]
        shell: Shell,
    },

    /// Answer a shell that completes a line
    #[command(name = "__complete", hide = true)]
    CompleteWord(CompleteWord),

    /// Print the manual page, or that of a verb
    ///
    /// For example: hermes man call > hermes-call.1 && man ./hermes-call.1
    #[command(override_usage = "hermes man [VERB | --folder FOLDER]")]
    Man(Manual),
}

impl Cli {
    /// Reads a command line.
    ///
    /// # Errors
    /// It is wrong, or asks for help or the version, which the error has.
    pub(crate) fn read<T: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let matches = Self::command().try_get_matches_from(words)?;
        let cli = Self::from_arg_matches(&matches)?;
        if let (Verb::Demo(demo), Some(matches)) = (&cli.verb, matches.subcommand_matches("demo")) {
            demo.settle(matches)?;
        }
        Ok(cli)
    }
}

/// Below the flags: what to try, and how it exits.
fn after_help() -> String {
    format!("{EXAMPLES}\n\n{ENVIRONMENT}\n\n{}", exit::TABLE)
}

fn usage(verb: &str, what: &str) -> String {
    format!("hermes {verb} TARGET{what} [OPTIONS]\n       hermes {verb}{what} [OPTIONS] -- COMMAND [ARG]...")
}

impl Verb {
    /// The words for a server, if the verb talks to one.
    pub(crate) fn reach(&mut self) -> Option<&mut Reach> {
        match self {
            Self::List(list) => Some(&mut list.reach),
            Self::Call(call) => Some(&mut call.reach),
            Self::Read(read) => Some(&mut read.reach),
            Self::Prompt(prompt) => Some(&mut prompt.reach),
            Self::Shell(conversation) => Some(&mut conversation.reach),
            Self::Complete(reach) | Self::Ping(reach) | Self::Info(reach) | Self::Listen(reach) => {
                Some(reach)
            }
            Self::Config(_)
            | Self::Demo(_)
            | Self::New(_)
            | Self::Completions { .. }
            | Self::CompleteWord(_)
            | Self::Man(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn parse(line: &str) -> Result<Cli, clap::Error> {
        Cli::read(line.split(' '))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_stand_before_or_after_the_arguments() -> Result<(), clap::Error> {
        for line in [
            "hermes call demo add a:=2 b=3 --json --timeout 8s --answer x=1 --args {}",
            "hermes call --json --timeout 8s --answer x=1 --args {} demo add a:=2 b=3",
            "hermes --json --timeout 8s --answer x=1 call demo --args {} add a:=2 b=3",
        ] {
            let cli = parse(line)?;
            assert!(cli.flags.json, "{line}");
            assert_eq!(cli.flags.timeout, Some(Duration::from_secs(8)), "{line}");
            assert_eq!(cli.flags.answers.len(), 1, "{line}");
            let Verb::Call(call) = cli.verb else { panic!("{line}: {:?}", cli.verb) };
            assert_eq!(call.reach.words, ["demo", "add", "a:=2", "b=3"], "{line}");
            assert_eq!(call.base.args.as_deref(), Some("{}"), "{line}");
        }
        Ok(())
    }

    #[test]
    fn what_follows_two_dashes_is_the_command_with_its_own_flags() -> Result<(), clap::Error> {
        let Verb::List(list) = parse("hermes list --json -- npx -y server --json")?.verb else {
            panic!("another verb");
        };
        assert_eq!(list.reach.words, [""; 0]);
        assert_eq!(list.reach.command, ["npx", "-y", "server", "--json"]);
        Ok(())
    }

    #[test]
    fn what_serves_over_http_alone_is_refused_elsewhere() {
        for line in [
            "hermes demo --stdio --store s",
            "hermes demo --stdio --max-sessions 5",
            "hermes demo --socket unix:/x --metrics",
            "hermes demo --show --allow-host a.example",
        ] {
            let error = parse(line).expect_err(line);
            assert!(
                error.to_string().contains("is about serving over HTTP, and has no use with --"),
                "{error}"
            );
        }
        let error = parse("hermes demo --stateless --store s").expect_err("a contradiction");
        assert!(error.to_string().contains("nothing that --store could keep"), "{error}");
    }

    #[test]
    fn a_misspelt_verb_gets_a_hint() {
        let error = parse("hermes cal demo add").expect_err("no such verb");
        assert!(error.to_string().contains("'call'"), "{error}");
    }

    #[test]
    fn answers_follow_the_grammar_of_arguments() -> Result<(), clap::Error> {
        let cli = parse("hermes call demo ask --answer name=Ada --answer age:=3")?;
        let names: Vec<&str> = cli.flags.answers.iter().map(|word| word.name.as_str()).collect();
        assert_eq!(names, ["name", "age"]);
        assert!(parse("hermes call demo ask --answer Ada").is_err());
        Ok(())
    }
}
