//! Words that Tab completes.

use crate::common::{ERAS, shell};
use crate::terminal::{CTRL_C, Terminal};

/// Types the beginning of a line and Tab, and waits for how the line goes on.
#[track_caller]
fn completes(shell: &mut Terminal, typed: &str, line: &str) {
    shell.stands_at("mcp>").types(typed).types("\t").stands_at(&format!("mcp> {line}"));
    shell.types(CTRL_C).stands_at("mcp>");
}

/// Types the beginning of a line and Tab, and waits for what is offered.
#[track_caller]
fn offers(shell: &mut Terminal, typed: &str, offered: &[&str]) {
    shell.stands_at("mcp>").types(typed).types("\t");
    for word in offered {
        shell.sees(word);
    }
    shell.stands_at(&format!("mcp> {typed}")).types(CTRL_C).stands_at("mcp>");
}

#[test]
fn commands_tools_arguments_and_their_values_are_completed() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        completes(&mut shell, "call", "call_tool");
        completes(&mut shell, "call_tool prog", "call_tool progress");
        completes(&mut shell, "call_tool progress n=3 int", "call_tool progress n=3 interval_ms=");
        completes(&mut shell, "call_tool log level=warn", "call_tool log level=warning");
        completes(&mut shell, "set_log_level crit", "set_log_level critical");
        completes(&mut shell, "ping --time", "ping --timeout");
        offers(&mut shell, "call_tool a", &["add", "ask", "audio"]);
        offers(&mut shell, "list_", &["list_tools", "list_resources", "list_templates", "list_prompts"]);
        shell.line("q").exits(0);
    }
}

#[test]
fn the_server_is_asked_for_resources_and_for_arguments_of_prompts() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        completes(&mut shell, "read demo://gr", "read demo://greeting");
        completes(&mut shell, "read demo://users/gr", "read demo://users/grace");
        offers(&mut shell, "read demo://users/a", &["demo://users/ada", "demo://users/alan"]);
        completes(&mut shell, "get_prompt rev", "get_prompt review");
        completes(&mut shell, "get_prompt review code=x lang", "get_prompt review code=x language=");
        completes(&mut shell, "get_prompt review language=typ", "get_prompt review language=typescript");
        completes(&mut shell, "complete demo://us", "complete 'demo://users/{name}'");
        shell.line("q").exits(0);
    }
}

#[test]
fn a_tool_that_comes_is_completed_from_then_on() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        offers(&mut shell, "call e", &["echo", "embedded"]);
        shell.line("call toggle").sees("the list of tools has changed");
        completes(&mut shell, "call ext", "call extra");
        shell.line("q").exits(0);
    }
}
