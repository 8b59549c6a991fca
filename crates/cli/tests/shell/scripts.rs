//! The shell without a terminal: commands of the command line and of standard input.

use crate::common::{ERAS, script};

#[test]
fn commands_of_the_command_line_are_carried_out_in_order() {
    for era in ERAS {
        let ran = script(
            &["demo", "--era", era, "-c", "call add a=2 b=3", "-c", "# nothing\nread demo://greeting"],
            "",
        );
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.stdout, "5\nHello from the demo server of hermes.\n");
    }
}

#[test]
fn lines_of_standard_input_are_a_script() {
    let ran = script(&["demo"], "call echo text='a b'\n\n# a comment\ncall add {\"a\": 1, \"b\": 1}\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "a b\n2\n"), "{ran:?}");
    let ran = script(&["demo"], "exit\ncall echo text=never\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn a_command_of_a_script_goes_on_over_lines() {
    let ran =
        script(&["demo"], "c add {\n\"a\":1,\n\"b\":5}\ncall echo text='a\nb'\ncall add a=2 \\\n b=3\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "6\na\nb\n5\n"), "{ran:?}");
    let ran = script(&["demo"], "call add {\n\"a\":1,\n");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{ran:?}");
    assert!(ran.stderr.contains("the JSON is not complete"), "{ran:?}");
    let ran = script(&["demo"], "call echo text='a\nping\n");
    assert!(ran.stderr.contains("the quote ' is not closed"), "{ran:?}");
}

#[test]
fn the_first_command_that_fails_ends_a_script_with_its_exit_code() {
    for (line, code) in [
        ("nothing", 1),
        ("call add a=1", 1),
        ("read demo://nothing", 2),
        ("call fail message=x", 5),
        ("call sleep ms=60000 --timeout 100ms", 124),
    ] {
        let ran = script(&["demo"], &format!("call echo text=before\n{line}\ncall echo text=after\n"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), "before\n"), "{line}: {ran:?}");
        assert!(ran.stderr.contains("error: "), "{line}: {ran:?}");
    }
    let ran = script(&["--", "no-such-command-anywhere"], "ping\n");
    assert_eq!(ran.code, Some(4), "{ran:?}");
}

#[test]
fn a_script_prints_results_alone_and_json_when_asked() {
    let ran = script(&["demo", "-c", "call echo text=x --json", "-c", "lp --json"], "");
    let lines: Vec<serde_json::Value> =
        ran.stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2, "{ran:?}");
    assert_eq!(lines[0]["content"][0]["text"], "x");
    assert_eq!(lines[1]["prompts"][0]["name"], "greet");
}

#[test]
fn clear_writes_nothing_where_there_is_no_screen() {
    let ran = script(&["demo", "-c", "clear", "-c", "call echo text=x"], "");
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "x\n"), "{ran:?}");
}

#[test]
fn nothing_of_the_shell_itself_counts_as_pending() {
    for era in ERAS {
        let ran = script(&["demo", "--era", era, "-c", "subscribe demo://counter", "-c", "show_state"], "");
        let row = |label: &str| {
            let line = ran.stdout.lines().find(|line| line.trim_start().starts_with(label));
            line.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(row("pending").as_deref(), Some("pending 0"), "{ran:?}");
        // One for the lists, and one for the resource.
        let streams = (era == "modern").then_some("streams 2");
        assert_eq!(row("streams").as_deref(), streams, "{ran:?}");
    }
}

#[test]
fn a_word_too_many_on_the_command_line_is_refused() {
    let ran = script(&["demo", "ping"], "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("hermes shell does not know what to do with \"ping\""), "{ran:?}");
}
