//! Questions of the server, and forms for what is missing, answered by whoever types.

use crate::common::{ERAS, fake, shell};
use crate::terminal::{CTRL_C, CTRL_D};

// spec: R368, R369
#[test]
fn a_form_of_the_server_is_filled_in_declined_or_left() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        shell
            .line("call ask message=Who?")
            .sees("the demo server asks: Who?")
            .sees("name [text]: ")
            .types("Ada\r");
        shell.sees("Hello, Ada");
        shell.line("call ask message=Who?").sees("name [text]: ").types("-\r").sees("declined\r\n");
        shell.line("call ask message=Who?").sees("name [text]: ").types(CTRL_D).sees("cancelled\r\n");
        shell.line("q").exits(0);
    }
}

#[test]
fn a_model_is_played_by_whoever_types() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        shell.line("call sample prompt=Hello").sees("user: Hello").sees("reply: ").types("Good day\r");
        shell.sees("\nGood day\r\n");
        shell.line("call sample prompt=Hello").sees("reply: ").types("\r").sees("error: ");
        shell.line("q").exits(0);
    }
}

#[test]
fn arguments_that_are_missing_are_asked_for_and_checked_as_they_are_typed() {
    let mut shell = shell("demo");
    shell.line("call_tool add a=2").sees("the tool \"add\" takes: b").sees("b [integer]: ").types("x\r");
    shell.sees("it takes an integer, not \"x\"").sees("b [integer]: ").types("40\r").sees("\n42\r\n");
    shell.line("call_tool log").sees("1. debug").sees("level [one of these]: ").types("warn\t\r");
    shell.sees("message [text]: ").types("careful\r").sees("This will be sent:").sees("level: \"warning\"");
    shell.sees("Enter sends it").types("\r").sees("warning: demo: careful").sees("logged\r\n");
    shell
        .line("get_prompt greet")
        .sees("the prompt \"greet\" takes: name")
        .sees("name [text]: ")
        .types("Ada\r");
    shell.sees("Please greet Ada");
    shell.line("call_tool add").sees("a [integer]: ").types("-\r").sees("error: given up; nothing was sent");
    shell.line("call_tool add").sees("a [integer]: ").types(CTRL_C).sees("error: ");
    shell.line("call_tool add a=1 b=1").sees("\n2\r\n");
    shell.line("q").exits(0);
}

#[test]
fn what_a_prompt_lacks_is_completed_by_the_server_from_what_is_answered_already() {
    let mut shell = shell(&format!("-- python3 {} completes", fake()));
    shell.line("get_prompt travel").sees("takes: country, city");
    shell.stands_at("country [text]:").types("fr\t").stands_at("country [text]: france").types("\r");
    shell.stands_at("city [text]:").types("p\t").sees("paris").sees("pau");
    shell.stands_at("city [text]: pa").types("r\t").stands_at("city [text]: paris").types("\r");
    shell.sees("This will be sent:").sees("Enter sends it").types("\r").sees("to paris in france");
    // What the line says counts as well.
    shell.line("get_prompt travel country=spain").sees("takes: city");
    shell.stands_at("city [text]:").types("p\t").stands_at("city [text]: palma").types("\r");
    shell.sees("to palma in spain");
    shell.line("q").exits(0);
}

#[test]
fn answers_of_the_command_line_are_given_without_asking() {
    let mut shell = shell("demo --answer name=Ada");
    shell.line("call ask message=Who?").sees("\nHello, Ada\r\n");
    assert!(!shell.text().contains("name [text]"), "{}", shell.text());
    shell.line("q").exits(0);
}
