//! Lines that are typed: over several lines, and with what is no text.

use crate::common::shell;
use crate::terminal::{CTRL_C, CTRL_D};

#[test]
fn what_is_open_at_enter_goes_on_in_the_next_line() {
    let mut shell = shell("demo");
    shell
        .line("call add {")
        .sees("...> ")
        .types("\"a\": 1,\r")
        .sees("...> ")
        .types("\"b\": 5}\r")
        .sees("\n6");
    shell.line("call echo text='one").sees("...> ").types("two'\r").sees("one\r\ntwo");
    shell.sees("mcp> ").types(CTRL_D).exits(0);
}

#[test]
fn ctrl_c_takes_away_all_lines_of_a_command() {
    let mut shell = shell("demo");
    shell.line("call add {").sees("...> ").types("\"a\": 1,").types(CTRL_C);
    shell.line("call echo text=after").sees("\nafter").sees("mcp> ").types(CTRL_D).exits(0);
    assert!(!shell.text().contains("error: "), "{}", shell.text());
}

#[test]
fn the_end_of_the_input_tells_what_is_open() {
    let mut shell = shell("demo");
    shell.line("call add {").sees("...> ").types(CTRL_D).sees("the JSON is not complete");
    shell.sees("mcp> ").types(CTRL_D).exits(0);
}

#[test]
fn a_byte_that_is_no_text_is_left_out_and_the_line_goes_on() {
    let mut shell = shell("demo");
    shell
        .sees("mcp> ")
        .types_bytes(b"call echo text=caf\xe9 ")
        .sees("warning: a byte that is no text (UTF-8) was left out, with what came right behind it");
    shell.sees("mcp> ").sees("text=caf").types("e\r").sees("\ncafe").sees("mcp> ").types(CTRL_D).exits(0);
}
