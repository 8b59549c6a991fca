//! The same servers, from the command line.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::conversation::COUNTER;
#[cfg(feature = "every-peer")]
use super::more::{FASTMCP_4, RMCP, TYPESCRIPT_2, legacy};
use super::peer::{Peer, Sessions};
use super::two::{PYTHON_2, TYPESCRIPT_1};
use crate::names;
use crate::process::{Ran, Result, run};

/// How the program ends when nobody is there.
const UNREACHABLE: i32 = 4;

/// `hermes WORDS URL MORE --era ERA`
fn hermes(peer: &Peer, words: &[&str], url: &str, more: &[&str]) -> Result<Ran> {
    let era = ["--era", if peer.revision.is_modern() { "modern" } else { "legacy" }];
    let words = words.iter().chain([&url]).chain(more).chain(&era);
    run(xtask::test::hermes()?, words)
}

impl Peer {
    /// Asks for everything once, then of nobody, then of the same server again.
    async fn answer_commands(self) -> Result {
        let mut server = self.start().await?;
        let cell = self.cell("command line");
        let url = &*server.url("/mcp");

        let listed = hermes(&self, &["list", "--json"], url, &[])?.json()?;
        assert!(names(&listed["tools"]).contains(&"add") && names(&listed["prompts"]).contains(&"greet"));
        let add = || hermes(&self, &["call", "--json"], url, &["add", "a=2", "b=3"]);
        assert_eq!(add()?.json()?["structuredContent"]["sum"].as_f64(), Some(5.0));
        let prompt = hermes(&self, &["prompt", "--json"], url, &["greet", "name=Ada"])?.json()?;
        assert_eq!(prompt["messages"][0]["content"]["text"], "Please greet Ada.");
        let read = hermes(&self, &["read", "--json"], url, &[COUNTER])?.json()?;
        assert_eq!(read["contents"][0]["text"], "0");
        if self.asks {
            let asking = ["ask", "message=Who are you?"];
            let asked = hermes(&self, &["call", "--answer", "name=Ada"], url, &asking)?.passed()?;
            assert_eq!(asked.stdout, "Hello, Ada\n");
        }
        if self.sessions == Sessions::Counted {
            let counted = hermes(&self, &["call"], url, &["sessions"])?.passed()?;
            assert_eq!(counted.stdout, "1\n", "only that of whoever asks");
        }

        server.kill()?;
        assert_eq!(add()?.code, Some(UNREACHABLE));
        server.restart().await?;
        add()?.passed()?;
        cell.pass();
        Ok(())
    }
}

#[tokio::test]
async fn the_command_line_speaks_to_a_server_on_the_typescript_sdk_1() -> Result {
    TYPESCRIPT_1.answer_commands().await
}

#[cfg(feature = "every-peer")]
#[tokio::test]
async fn the_command_line_speaks_to_servers_on_every_sdk_in_both_eras() -> Result {
    PYTHON_2.answer_commands().await?;
    legacy(PYTHON_2, "python-2, legacy, HTTP").answer_commands().await?;
    TYPESCRIPT_2.answer_commands().await?;
    FASTMCP_4.answer_commands().await?;
    RMCP.answer_commands().await?;
    legacy(RMCP, "rmcp, legacy, HTTP").answer_commands().await
}

/// `hermes listen`, which is interrupted when this is dropped.
struct Listener {
    child: Child,
}

impl Drop for Listener {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn what_listens_at_the_command_line_goes_on_when_its_server_was_restarted() -> Result {
    for peer in [TYPESCRIPT_1, PYTHON_2] {
        let mut server = peer.start().await?;
        let cell = peer.cell("listening at the command line");
        let url = server.url("/mcp");
        // It ends in any case, and with it what is read from it.
        let mut listener = Command::new("timeout");
        listener.args(["60"]).arg(xtask::test::hermes()?).args(["listen", "--json", &url, COUNTER]);
        let mut listener = Listener {
            child: listener.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?,
        };
        let mut changes = BufReader::new(listener.child.stdout.take().ok_or("no output")?).lines();
        let mut notes = BufReader::new(listener.child.stderr.take().ok_or("no notes")?).lines();
        let mut hears_of_a_change = || -> Result {
            hermes(&peer, &["call"], &url, &["touch"])?.passed()?;
            let change: Value = serde_json::from_str(&changes.next().ok_or("it has ended")??)?;
            assert_eq!(change["method"], "notifications/resources/updated");
            assert_eq!(change["params"]["uri"], json!(COUNTER));
            Ok(())
        };
        let mut says = |words: &str| -> Result {
            for line in notes.by_ref() {
                if line?.contains(words) {
                    return Ok(());
                }
            }
            Err(format!("it never says: {words}").into())
        };
        says("listening")?;
        hears_of_a_change()?;
        server.kill()?;
        server.restart().await?;
        says("what has changed meanwhile was not told")?;
        hears_of_a_change()?;
        cell.pass();
    }
    Ok(())
}
