//! Commands, and what comes between them.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use crate::common::{ERAS, HERMES, folder, shell, shell_with};
use crate::terminal::CTRL_D;

#[test]
fn everything_that_a_server_offers_is_listed_called_and_read_in_both_eras() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        shell.sees("connected: the demo server: hermes-demo");
        shell.line("lt").sees("Tools (18)").sees("echo").sees("text string");
        shell.line("list_resources").sees("demo://greeting");
        shell.line("templates").sees("demo://users/{name}");
        shell.line("lp").sees("review").sees("code, [language]");
        shell.line("call_tool add a=2 b=3").sees("\n5\r\n");
        shell.line("c add {\"a\": 40, \"b\": 2} --timeout 8s").sees("\n42\r\n");
        shell.line("get_prompt review code=x language=rust").sees("Please review this code in rust:");
        shell.line("read demo://users/ada").sees("ada is a user of the demo server.");
        shell.line("complete review language=ru").sees("\nruby\r\n").sees("rust\r\n");
        shell.line("exit").exits(0);
    }
}

#[test]
fn a_file_holds_the_arguments_as_it_does_elsewhere() {
    let folder = folder("arguments");
    let file = folder.join("add.json");
    std::fs::write(&file, r#"{"a": 20, "b": 1}"#).expect("a file");
    let mut shell = shell("demo");
    shell.line(&format!("call_tool add @{} b=22", file.display())).sees("\n42\r\n");
    shell.line("call_tool add @no/such/file").sees("error: cannot read the arguments from no/such/file");
    shell.sees("mcp> ").types(CTRL_D).exits(0);
}

#[test]
fn what_each_era_has_and_lacks_is_said_plainly() {
    let mut legacy = shell("demo --era legacy");
    legacy.line("ping").sees("answered in ");
    legacy.line("initialize").sees("2025-11-25").sees("legacy era");
    legacy.line("st").sees("legacy era: a handshake, then a session");
    legacy.line("q").exits(0);
    let mut modern = shell("demo --era modern");
    modern.line("ping").sees("has no ping; server/discover is asked instead").sees("answered in ");
    modern
        .line("init")
        .sees("has no initialize and no session; server/discover is asked instead")
        .sees("2026-07-28");
    modern.line("st").sees("no handshake, no session; every request stands alone");
    modern.line("q").exits(0);
}

#[test]
fn changes_are_told_as_they_come_in_both_eras() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        shell.line("subscribe demo://counter").sees("subscribed: demo://counter");
        shell.line("subscribe").sees("demo://counter\r\n");
        shell.line("call touch").sees("demo://counter has changed");
        shell.line("call toggle").sees("the list of tools has changed");
        shell.line("unsubscribe demo://counter").sees("unsubscribed: demo://counter");
        shell.line("unsub demo://counter").sees("demo://counter is not subscribed to");
        shell.line("q").exits(0);
    }
}

#[test]
fn what_is_said_meanwhile_stands_above_the_line_that_is_typed() {
    let (mut server, url) = demo_over_http();
    for era in ERAS {
        let mut shell = shell(&format!("{url} --era {era}"));
        shell.line("subscribe demo://counter").sees("subscribed: demo://counter");
        shell.sees("mcp> ").types("call add a=2 ").shows("mcp> call add a=2");
        // Somebody else changes it.
        let touched = Command::new(HERMES).args(["call", &url, "touch"]).output().expect(HERMES);
        assert!(touched.status.success(), "{touched:?}");
        shell.shows("server: demo://counter has changed\nmcp> call add a=2");
        shell.types("b=3\r").sees("\n5\r\n");
        shell.line("q").exits(0);
    }
    server.kill().expect("the server was there");
    server.wait().expect("a status");
}

#[test]
fn that_a_list_has_changed_is_told_once_between_two_commands() {
    let (mut server, url) = demo_over_http();
    let called = |tool: &str| {
        let called = Command::new(HERMES).args(["call", &url, tool]).output().expect(HERMES);
        assert!(called.status.success(), "{called:?}");
    };
    for era in ERAS {
        let mut shell = shell(&format!("{url} --era {era}"));
        shell.line("subscribe demo://counter").sees("subscribed: demo://counter").sees("mcp> ");
        for tool in ["toggle", "toggle", "toggle", "touch"] {
            called(tool);
        }
        shell.sees_each(&["the list of tools has changed", "demo://counter has changed"]);
        shell.types("ping\r").sees("answered in ");
        let told = shell.text().matches("the list of tools has changed").count();
        assert_eq!(told, 1, "{}", shell.text());
        shell.sees("mcp> ");
        called("toggle");
        shell.sees("the list of tools has changed").types("q\r").exits(0);
    }
    server.kill().expect("the server was there");
    server.wait().expect("a status");
}

/// The demo server at a port of its own.
pub(crate) fn demo_over_http() -> (Child, String) {
    let mut server = Command::new(HERMES)
        .args(["demo", "--http", "127.0.0.1:0"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect(HERMES);
    let stdout = BufReader::new(server.stdout.take().expect("piped"));
    let stderr = BufReader::new(server.stderr.take().expect("piped"));
    let (sender, found) = std::sync::mpsc::channel();
    for lines in [Box::new(stdout) as Box<dyn std::io::BufRead + Send>, Box::new(stderr)] {
        let sender = sender.clone();
        // Reads to the end, so that the server never waits for somebody to read.
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                if let Some(at) = line.find("http://127.0.0.1:") {
                    let url: String = line[at..].chars().take_while(|c| !c.is_whitespace()).collect();
                    let _ = sender.send(url);
                }
            }
        });
    }
    let url = found.recv_timeout(std::time::Duration::from_secs(60)).expect("the server says where it is");
    (server, url)
}

#[test]
fn a_server_over_http_is_talked_to_and_its_headers_are_masked() {
    let (mut server, url) = demo_over_http();
    let mut shell = shell(&format!("{url} --header Authorization:s3cret --era legacy"));
    shell.line("call echo text=hi").sees("\nhi\r\n");
    shell.line("show_state verbose").sees("opening").sees("declared").sees("Authorization: (masked)");
    shell.line("trace on").sees("every message is shown");
    shell.line("call echo text=again").sees("--> {").sees("tools/call").sees("<-- ").sees("\nagain\r\n");
    shell.line("trace off").sees("messages are not shown");
    shell.line("q").exits(0);
    assert!(
        !shell.text().contains("s3cret\r\n") && shell.text().matches("s3cret").count() == 0,
        "{}",
        shell.text()
    );
    server.kill().expect("the server was there");
    server.wait().expect("a status");
}

#[test]
fn another_server_takes_the_place_of_this_one() {
    let mut shell = shell("demo");
    shell
        .line(&format!("connect -- {HERMES} demo --stdio"))
        .sees("connected: the server `")
        .sees("demo --stdio`");
    shell.line("call echo text=there").sees("\nthere\r\n");
    shell.line("reconnect").sees("connected: the server `");
    shell.line("connect demo").sees("connected: the demo server");
    shell.line("connect nowhere").sees("error: \"nowhere\" is not a target");
    shell.line("call echo text=still").sees("\nstill\r\n");
    shell
        .line("connect http://127.0.0.1:1/mcp --timeout 8s")
        .sees("error: cannot reach http://127.0.0.1:1/mcp");
    shell
        .sees("mcp (no server: r or q)> ")
        .types("call echo text=x\r")
        .sees("error: there is no server")
        .sees("r tries again, q leaves");
    shell.sees("mcp (no server: r or q)> ").types("q\r").exits(0);
}

#[test]
fn progress_logs_and_levels_are_shown() {
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era}"));
        shell.line("call progress n=3 interval_ms=50").sees("3/3").sees("done\r\n");
        shell.line("set_log_level debug").sees("log messages of level debug and above");
        shell.line("call log level=debug message=quietly").sees("debug: demo: quietly").sees("logged\r\n");
        shell.line("set_log_level error").sees("log messages of level error and above");
        shell.line("call log level=warning message=unheard").sees("mcp> ");
        assert!(!shell.text().contains("warning: demo: unheard"), "{}", shell.text());
        shell.types("q\r").exits(0);
    }
}

#[test]
fn roots_come_and_go_and_the_server_sees_it() {
    let here = env!("CARGO_MANIFEST_DIR");
    for era in ERAS {
        let mut shell = shell(&format!("demo --era {era} --root {here}/src"));
        shell.line("call roots").sees(&format!("\nfile://{here}/src\r\n"));
        shell.line(&format!("roots add {here}/tests")).sees(&format!("file://{here}/tests\r\n"));
        shell.line(&format!("roots remove {here}/src")).sees(&format!("file://{here}/tests\r\n"));
        shell.line("call roots").sees(&format!("\nfile://{here}/tests\r\n"));
        shell.line("roots add no/such").sees("error: no/such: No such file");
        shell.line("q").exits(0);
    }
}

#[test]
fn a_picture_is_shown_where_the_terminal_can_and_saved_elsewhere() {
    let folder = folder("pictures");
    let folder = folder.to_str().expect("text");
    let mut plain = shell_with("demo", &[("TMPDIR", folder)]);
    plain.line("call image").sees("[image, image/png, ").sees("saved: ").sees("-1.png (image/png, ");
    plain.line("read demo://logo").sees("saved: ").sees("-2.png (image/png, ");
    plain.line("call audio").sees("saved: ").sees(".wav (audio/wav, ");
    plain.line("q").exits(0);
    let saved = std::fs::read(format!("{folder}/hermes-{}-1.png", plain.id())).expect("the picture");
    assert!(saved.starts_with(b"\x89PNG"));
    for (way, mark) in [
        ("kitty", "\u{1b}_Gf=100,a=T,q=2,m="),
        ("iterm", "\u{1b}]1337;File=inline=1;size="),
        ("sixel", "\u{1b}P0;1q#0;"),
    ] {
        let mut shell = shell_with("demo", &[("HERMES_IMAGES", way), ("TMPDIR", folder)]);
        shell.line("call image").sees("[image, image/png, ");
        shell.line("q").exits(0);
        assert!(shell.has_written(mark), "{way}");
        assert!(!shell.text().contains("saved: "), "{way}");
    }
}

#[test]
fn what_is_wrong_is_said_with_what_to_do_about_it() {
    let mut shell = shell("demo");
    shell
        .line("cal_tool add")
        .sees("error: there is no command \"cal_tool\"")
        .sees("did you mean \"call_tool\"?");
    shell.line("call ad").sees("error: the server has no tool \"ad\"").sees("did you mean \"add\"?");
    shell.line("call add a=x b=1").sees("error: the argument \"a\" wants an integer, not \"x\"");
    shell.line("call fail message=no").sees("error: the tool \"fail\" failed: no");
    shell.line("read demo://nothing").sees("error: ").sees("-32602");
    shell
        .line("call sleep ms=60000 --timeout 300ms")
        .sees("error: tools/call was not answered within 300 ms");
    shell.line("help").sees("call_tool, call, c").sees("Ctrl-C takes a call back");
    shell.line("help sub").sees("subscribe [URI]").sees("short: sub");
    shell.line("").line("clear").line("q").exits(0);
}

#[test]
fn lines_that_are_typed_ahead_wait_for_their_turn() {
    let mut shell = shell("demo");
    shell.sees("mcp> ").types("call echo text=one\rcall echo text=two\rcall echo text=three\r");
    shell.sees("\none\r\n").sees("\ntwo\r\n").sees("\nthree\r\n");
    // What is typed while something runs is read after it, by whoever asks next.
    shell.sees("mcp> ").types("call sleep ms=200\rcall ask message=Who?\rAda\rcall echo text=end\r");
    shell.sees("\ndone\r\n").sees("Hello, Ada\r\n").sees("\nend\r\n");
    shell.line("q").exits(0);
}

#[test]
fn what_is_pasted_is_carried_out_command_by_command() {
    let pasted = |text: &str| format!("\u{1b}[200~{text}\u{1b}[201~");
    let mut shell = shell("demo");
    shell
        .sees("mcp> ")
        .types(&pasted("call echo text=one\r\n# a comment\r\n\r\ncall add {\r  \"a\": 40,\r  \"b\": 2\r}\r"));
    shell.types("\r").sees("\none\r\n").sees("\n42\r\n");
    shell
        .sees("mcp> ")
        .types(&pasted("call echo text='two\nlines'\ncall fail message=no\ncall echo text=after"));
    shell.types("\r").sees("\ntwo\r\nlines\r\n").sees("failed: no").sees("\nafter\r\n");
    // Ctrl-C takes all of it back.
    shell
        .sees("mcp> ")
        .types(&pasted("call progress n=9000 interval_ms=50\ncall echo text=never"))
        .types("\r");
    shell.sees("/9000").interrupts().sees("error: interrupted");
    shell.line("call echo text=here").sees("\nhere\r\n");
    shell.line("q").exits(0);
    assert!(!shell.text().contains("\nnever\r\n"), "{}", shell.text());
}
