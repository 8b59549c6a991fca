//! A conversation with the demo server, for people who want to see one.

use hermes::types::{ElicitRequestFormParams, ElicitResult, Era, RawJson};
use hermes::{Client, Direction, EraChoice, in_memory};
use serde_json::json;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::serve::server;
use super::transcript::{Speaker, Transcript};
use crate::args::EraWanted;
use crate::exit::{Exit, Result};
use crate::output::print;
use crate::render::{Screen, style};
use crate::trace::Trace;

/// Has a client talk to the demo server in memory, once in each era that is wanted, and shows what is said.
///
/// # Errors
/// The conversation breaks off, or cannot be shown.
pub(crate) async fn converse(wanted: EraWanted) -> Result<Exit> {
    let screen = Screen::stdout();
    let eras: &[EraChoice] = match wanted {
        EraWanted::Auto => &[EraChoice::Legacy, EraChoice::Modern],
        EraWanted::Legacy => &[EraChoice::Legacy],
        EraWanted::Modern => &[EraChoice::Modern],
    };
    print(
        "A client talks to the demo server, in memory. Lines --> go to the server, lines <-- come from it.\n",
    )?;
    for era in eras {
        in_era(*era, screen).await?;
    }
    let name = |text: &str| screen.paint(style::NAME, text);
    print(&format!(
        "\nNow you:\n  {}\n  {}\n",
        name("hermes list demo"),
        name("hermes call demo add a:=2 b:=3")
    ))?;
    Ok(Exit::Ok)
}

async fn in_era(era: EraChoice, screen: Screen) -> Result<()> {
    let (sender, messages) = unbounded_channel();
    let kept = Trace::begin("the demo server")?;
    let builder =
        Client::builder().name("hermes", env!("CARGO_PKG_VERSION")).era(era).on_elicit(answer).on_wire(
            move |direction, text| {
                let speaker = if direction == Direction::Sent { Speaker::Client } else { Speaker::Server };
                if let Some(kept) = &kept {
                    kept.add(direction, text);
                }
                // Nobody listens any more once the conversation is over.
                let _ = sender.send((speaker, text.to_owned()));
            },
        );
    let client = builder.connect(in_memory(server())).await?;
    let mut stage = Stage { messages, transcript: Transcript::new(screen), screen };

    let (revision, manner) = match client.era() {
        Era::Legacy => (client.revision(), "a handshake opens a session, and the server asks back by itself"),
        Era::Modern => (client.revision(), "every request stands alone, and a question is a result"),
    };
    let heading = screen.paint(style::HEADING, &format!("Revision {revision}"));
    print(&format!("\n{heading}: {manner}\n"))?;

    client.list_all_tools().await?;
    stage.show("The two meet, and the client asks what there is.")?;
    client.call("add", json!({ "a": 2, "b": 3 })).await?;
    stage.show("A tool is called.")?;
    client.call("progress", json!({ "n": 3, "interval_ms": 1 })).on_progress(|_| {}).await?;
    stage.show("A longer call tells how far it is.")?;
    client.call("ask", json!({ "message": "Who are you?" })).await?;
    stage.show("A tool asks the user something.")?;
    client.call("fail", json!({ "message": "no luck today" })).await?;
    stage.show("A tool fails.")?;
    client.close().await;
    Ok(())
}

/// Plays the user.
async fn answer(_: ElicitRequestFormParams) -> std::result::Result<ElicitResult, hermes::HandlerError> {
    Ok(ElicitResult::accept(RawJson::encode(&json!({ "name": "Ada" }))?))
}

/// Where the messages are shown.
struct Stage {
    messages: UnboundedReceiver<(Speaker, String)>,
    transcript: Transcript,
    screen: Screen,
}

impl Stage {
    /// Shows what was said since the last time.
    fn show(&mut self, caption: &str) -> Result<()> {
        let mut text = format!("\n{}\n", self.screen.paint(style::FAINT, caption));
        while let Ok((speaker, message)) = self.messages.try_recv() {
            text.push_str(&self.transcript.line(speaker, &message));
            text.push('\n');
        }
        print(&text)
    }
}
