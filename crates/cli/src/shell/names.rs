//! The commands by their names.

/// What a command does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Help,
    List,
    ListTools,
    ListResources,
    ListTemplates,
    ListPrompts,
    Call,
    Prompt,
    Read,
    Subscribe,
    Unsubscribe,
    Complete,
    Ping,
    Level,
    State,
    Initialize,
    Connect,
    Reconnect,
    Roots,
    Trace,
    Clear,
    Exit,
}

/// A command as people know it.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) verb: Verb,
    pub(crate) name: &'static str,
    pub(crate) aliases: &'static [&'static str],
    /// What follows the name.
    pub(crate) usage: &'static str,
    pub(crate) about: &'static str,
}

const fn entry(
    verb: Verb,
    name: &'static str,
    aliases: &'static [&'static str],
    usage: &'static str,
    about: &'static str,
) -> Entry {
    Entry { verb, name, aliases, usage, about }
}

/// All commands, in the order in which help shows them.
pub(crate) const ENTRIES: &[Entry] = &[
    entry(Verb::List, "list", &["ls"], "", "everything that the server offers"),
    entry(Verb::ListTools, "list_tools", &["tools", "lt"], "", "its tools, with their arguments"),
    entry(Verb::ListResources, "list_resources", &["resources", "lr"], "", "its resources"),
    entry(
        Verb::ListTemplates,
        "list_templates",
        &["templates", "list_resource_templates", "lrt"],
        "",
        "its resource templates",
    ),
    entry(Verb::ListPrompts, "list_prompts", &["prompts", "lp"], "", "its prompts"),
    entry(
        Verb::Call,
        "call_tool",
        &["call", "c"],
        "TOOL [NAME=VALUE | NAME:=JSON | {JSON} | @FILE]...",
        "call a tool; what is missing is asked for",
    ),
    entry(
        Verb::Prompt,
        "get_prompt",
        &["prompt", "p"],
        "PROMPT [NAME=VALUE | {JSON} | @FILE]...",
        "fill in a prompt; what is missing is asked for",
    ),
    entry(Verb::Read, "read_resource", &["read", "rd"], "URI", "the contents of a resource"),
    entry(
        Verb::Subscribe,
        "subscribe",
        &["sub"],
        "[URI]",
        "hear of changes of a resource; alone: which are heard of",
    ),
    entry(Verb::Unsubscribe, "unsubscribe", &["unsub"], "URI", "take that back"),
    entry(
        Verb::Complete,
        "complete",
        &["comp"],
        "PROMPT-OR-TEMPLATE [NAME=VALUE]... NAME=PREFIX",
        "ask the server what an argument may be",
    ),
    entry(Verb::Ping, "ping", &["pg"], "", "ask for a sign of life"),
    entry(
        Verb::Level,
        "set_log_level",
        &["level", "log_level"],
        "LEVEL",
        "which log messages the server sends",
    ),
    entry(Verb::State, "show_state", &["state", "st"], "[verbose]", "how things stand; secrets are masked"),
    entry(
        Verb::Initialize,
        "initialize",
        &["init", "info"],
        "",
        "introduce ourselves anew, and show what the server says",
    ),
    entry(
        Verb::Connect,
        "connect",
        &["open"],
        "TARGET | -- COMMAND [ARG]...",
        "leave this server for another one",
    ),
    entry(Verb::Reconnect, "reconnect", &["r"], "", "begin anew with this server"),
    entry(
        Verb::Roots,
        "roots",
        &["rt"],
        "[add PATH | remove PATH]",
        "the folders that the server may know of",
    ),
    entry(Verb::Trace, "trace", &["tr"], "[on | off]", "show every message"),
    entry(Verb::Clear, "clear", &["cls"], "", "clear the screen"),
    entry(Verb::Help, "help", &["h", "?"], "[COMMAND]", "this list, or about one command"),
    entry(Verb::Exit, "exit", &["quit", "q"], "", "leave; so does Ctrl-D"),
];

impl Entry {
    /// The command with this name or alias.
    pub(crate) fn find(name: &str) -> Option<&'static Self> {
        ENTRIES.iter().find(|entry| entry.name == name || entry.aliases.contains(&name))
    }

    /// The name and what follows it.
    pub(crate) fn synopsis(&self) -> String {
        let gap = if self.usage.is_empty() { "" } else { " " };
        format!("{}{gap}{}", self.name, self.usage)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_commands_share_a_name() {
        let mut names = BTreeSet::new();
        for name in ENTRIES.iter().flat_map(|entry| entry.aliases.iter().chain([&entry.name])) {
            assert!(names.insert(name), "{name}");
        }
        assert_eq!(Entry::find("q").map(|entry| entry.verb), Some(Verb::Exit));
        assert!(Entry::find("nothing").is_none());
    }
}
