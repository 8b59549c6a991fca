//! The shell, at a terminal, with the server that shows everything.

use crate::everything::everything;
use crate::process::{Result, folder};
use crate::terminal::{CTRL_C, Terminal};

#[test]
fn the_shell_talks_to_server_everything() -> Result {
    let pictures = folder("shell-pictures")?;
    let server = everything().into_iter().map(|word| word.display().to_string());
    let words = ["shell", "--"].map(str::to_owned).into_iter().chain(server);
    let program = xtask::test::hermes()?.display().to_string();
    let variables =
        [("HERMES_HISTORY", ""), ("HERMES_IMAGES", "off"), ("TMPDIR", pictures.to_str().ok_or("a path")?)];
    let mut shell = Terminal::start(&program, words, &variables);
    shell.sees("connected: the server `").sees("revision 2025-11-25, a session");

    shell.line("list_tools").sees("get-sum").sees("a number, b number");
    shell.line("call_tool echo message='hi there'").sees("\nEcho: hi there\r\n");
    shell.line("call_tool get-sum {\"a\": 2, \"b\": 3.5}").sees("The sum of 2 and 3.5 is 5.5.");
    shell.line("call_tool get-sum a=40").sees("takes: b").sees("[number]: ").types("2\r").sees("is 42.");
    shell
        .line("call trigger-long-running-operation duration=0.4 steps=2")
        .sees("2/2")
        .sees("operation completed");
    shell.line("call get-tiny-image").sees("[image, image/png, ").sees("saved: ").sees("(image/png, ");

    // What the server asks is answered by whoever types.
    shell.line("call trigger-sampling-request prompt=Hello").sees("asks a model").sees("reply: ");
    shell.types("Good day\r").sees("Good day");
    shell.line("call trigger-elicitation-request").sees(" asks: ").sees("]: ").types("-\r").sees("declined");

    // The server completes the arguments of its prompts.
    shell.stands_at("mcp>").types("get_prompt completable-prompt department=Eng\t");
    shell
        .stands_at("mcp> get_prompt completable-prompt department=Engineering")
        .types(CTRL_C)
        .stands_at("mcp>");
    shell.types("read demo://resource/static/document/arch\t");
    shell
        .stands_at("mcp> read demo://resource/static/document/architecture.md")
        .types("\r")
        .sees("Architecture");

    shell.line("subscribe demo://resource/static/document/features.md").sees("subscribed: demo://");
    shell.line("set_log_level debug").sees("the server sends them from now on");
    shell.line("ping").sees("answered in ");

    // A call is taken back, and the shell goes on.
    shell.line("call trigger-long-running-operation duration=60 steps=60").sees("1/60").types(CTRL_C);
    shell.sees("error: interrupted");
    shell.line("call_tool echo message=still").sees("\nEcho: still\r\n");
    shell.line("exit").exits(0);
    Ok(())
}
