//! `hermes info`: who a server is and what it can do.

use hermes::types::{Era, ServerCapabilities};

use super::words::Words;
use crate::exit::{Exit, Result};
use crate::output::{print, print_raw};
use crate::render::{Row, Screen, style, table};
use crate::session::Session;

pub(crate) struct Info;

impl Info {
    pub(crate) fn parse(words: Words) -> Result<Self> {
        words.end()?;
        Ok(Self)
    }

    pub(crate) fn run(self, session: &Session) -> Result<Exit> {
        let client = &session.client;
        if session.json {
            print_raw(&client.opening())?;
            return Ok(Exit::Ok);
        }
        let mut rows = Vec::new();
        if let Some(info) = client.server_info() {
            let title = info.title.as_ref().map(|title| format!(" ({title})")).unwrap_or_default();
            rows.push(
                Row::new("server")
                    .with(style::PLAIN, format!("{} {}{title}", info.name, info.version))
                    .with(style::PLAIN, info.description.unwrap_or_default())
                    .with(style::FAINT, info.website_url.unwrap_or_default()),
            );
        }
        let era = match client.era() {
            Era::Legacy => "legacy era: a handshake, then a session",
            Era::Modern => "modern era: every request stands alone",
        };
        rows.push(
            Row::new("protocol").with(style::PLAIN, client.revision().as_str()).with(style::FAINT, era),
        );
        let offers = offers(&client.capabilities());
        let offers = if offers.is_empty() { "nothing".to_owned() } else { offers.join(", ") };
        rows.push(Row::new("offers").with(style::PLAIN, offers));
        if let Some(instructions) = client.instructions() {
            rows.push(Row::new("instructions").with(style::PLAIN, instructions));
        }
        print(&table(Screen::stdout(), &rows))?;
        Ok(Exit::Ok)
    }
}

/// The capabilities in words.
pub(crate) fn offers(capabilities: &ServerCapabilities) -> Vec<String> {
    let mut offers = Vec::new();
    let mut offer = |name: &str, there: bool, notes: &[(&str, Option<bool>)]| {
        if there {
            let notes: Vec<&str> =
                notes.iter().filter(|(_, on)| *on == Some(true)).map(|(note, _)| *note).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
            offers.push(format!("{name}{notes}"));
        }
    };
    let changes = "tells of changes";
    let tools = capabilities.tools.as_ref();
    offer("tools", tools.is_some(), &[(changes, tools.and_then(|it| it.list_changed))]);
    let resources = capabilities.resources.as_ref();
    offer(
        "resources",
        resources.is_some(),
        &[
            (changes, resources.and_then(|it| it.list_changed)),
            ("can be watched", resources.and_then(|it| it.subscribe)),
        ],
    );
    let prompts = capabilities.prompts.as_ref();
    offer("prompts", prompts.is_some(), &[(changes, prompts.and_then(|it| it.list_changed))]);
    offer("completions", capabilities.completions.is_some(), &[]);
    offer("logging", capabilities.logging.is_some(), &[]);
    offer("tasks", capabilities.tasks.is_some(), &[]);
    let extensions = capabilities.extensions.iter().chain(&capabilities.experimental);
    offers.extend(extensions.flat_map(|extensions| extensions.keys().cloned()));
    offers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_told_in_words() {
        let capabilities: ServerCapabilities = serde_json::from_str(
            r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{},"experimental":{"x/y":{}}}"#,
        )
        .expect("capabilities");
        assert_eq!(
            offers(&capabilities),
            ["tools (tells of changes)", "resources (can be watched)", "logging", "x/y"]
        );
        assert_eq!(offers(&ServerCapabilities::default()), [""; 0]);
    }
}
