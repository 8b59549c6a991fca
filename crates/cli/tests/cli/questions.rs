//! What a server asks: answered from the command line, on a terminal, or declined.

use std::path::Path;
use std::process::Command;

use crate::common::{HERMES, Ran, line, run, script};

const ERAS: [&str; 2] = ["legacy", "modern"];

#[test]
fn a_form_is_answered_from_the_command_line_in_both_eras() {
    for era in ERAS {
        line(&format!("call demo ask message=Who? --answer name=Ada --era {era}"))
            .exits(0)
            .prints("Hello, Ada\n");
    }
}

#[test]
fn a_form_without_an_answer_is_declined_and_that_is_said() {
    for era in ERAS {
        let ran = line(&format!("call demo ask message=Who? --era {era}")).exits(0).prints("declined\n");
        assert!(ran.stderr.contains("declined: the demo server asks \"Who?\""), "{era}: {ran:?}");
    }
}

#[test]
fn answers_that_nobody_asked_for_are_mentioned_at_the_end() {
    let said = "warning: --answer nmae: the server has not asked for it";
    let ran = line("call demo ask message=Who? --answer name=Ada --answer nmae=Eve").exits(0).says(&[said]);
    assert!(!ran.stderr.contains("--answer name:"), "{ran:?}");
    line("call demo echo text=x --answer nmae=Eve").exits(0).prints("x\n").says(&[said]);
}

#[test]
fn a_model_is_played_from_the_command_line_in_both_eras() {
    for era in ERAS {
        for name in ["text", "response"] {
            let words = format!("call demo sample prompt=Hello --answer {name}=Hi --era {era}");
            line(&words).exits(0).prints("Hi\n");
        }
    }
}

#[test]
fn a_model_that_nobody_plays_is_refused() {
    // Without any answer the capability is not declared, and the tool cannot ask.
    line("call demo sample prompt=Hello --era legacy").exits(5).prints("").says(&["sampling"]);
    line("call demo sample prompt=Hello --era modern")
        .exits(2)
        .prints("")
        .says(&["-32021", "hint: --answer text=REPLY"]);
    // With one that is meant for something else, the demo server asks and is refused.
    for era in ERAS {
        let ran = line(&format!("call demo sample prompt=Hello --answer name=Ada --era {era}")).prints("");
        assert!(ran.stderr.contains("refused: the demo server asks \"user: Hello\""), "{era}: {ran:?}");
        assert_ne!(ran.code, Some(0), "{era}: {ran:?}");
    }
}

#[test]
fn folders_are_offered_as_absolute_uris_in_both_eras() {
    let here = env!("CARGO_MANIFEST_DIR");
    for era in ERAS {
        let ran = line(&format!("call demo roots --root {here} --root {here}/src --era {era}")).exits(0);
        assert_eq!(ran.stdout, format!("file://{here}\nfile://{here}/src\n"));
    }
    assert!(Path::new(here).is_absolute());
}

#[test]
fn a_server_that_wants_roots_and_gets_none_hears_it_at_once() {
    line("call demo roots --era legacy").exits(5).prints("").says(&["roots"]);
    line("call demo roots --era modern").exits(2).prints("").says(&["-32021", "hint: --root PATH"]);
}

/// Runs `hermes` on a terminal that is used as the script says.
fn on_a_terminal(words: &str, typed: &str) -> Ran {
    let mut command = Command::new("python3");
    command.arg(script("terminal.py")).arg(HERMES).args(words.split_whitespace()).env("NO_COLOR", "1");
    command.env("TERM", "xterm");
    run(command, typed)
}

#[test]
fn a_person_fills_in_a_form() {
    for era in ERAS {
        let ran = on_a_terminal(
            &format!("call demo ask message=Who? --era {era}"),
            "wait Who?\nwait name [text]:\ntype Ada\nwait Hello, Ada\n",
        );
        ran.exits(0);
    }
}

// spec: R368
#[test]
fn a_person_declines_or_cancels() {
    on_a_terminal("call demo ask message=Who?", "wait [text]:\ntype -\nwait declined\n").exits(0);
    on_a_terminal("call demo ask message=Who?", "wait [text]:\ntype \nwait declined\n").exits(0);
    on_a_terminal("call demo ask message=Who?", "wait [text]:\nend\nwait cancelled\n").exits(0);
}

#[test]
fn a_person_plays_the_model() {
    on_a_terminal("call demo sample prompt=Hello", "wait user: Hello\nwait reply:\ntype Hi\nwait Hi\n")
        .exits(0);
}

#[test]
fn the_time_a_person_takes_does_not_count() {
    // The question stands longer than the limit; the terminal's script cannot type before it is asked.
    let ran = on_a_terminal(
        "call demo ask message=Who? --timeout 700ms",
        "wait [text]:\npause 1500\ntype Ada\nwait Hello, Ada\n",
    );
    ran.exits(0);
}

#[test]
fn a_terminal_gets_colours_and_a_bar() {
    let mut command = Command::new("python3");
    command.arg(script("terminal.py")).arg(HERMES).args(["list", "demo"]).env_remove("NO_COLOR");
    command.env("TERM", "xterm-256color");
    let ran = run(command, "").exits(0);
    assert!(ran.stdout.contains("\u{1b}[1m"), "{ran:?}");
    let bar = on_a_terminal("call demo progress n=3 interval_ms=150", "wait 2/3\nwait done\n").exits(0);
    assert!(bar.stdout.contains("█"), "{bar:?}");
}
