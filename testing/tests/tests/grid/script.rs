//! The conversations, as they stand in files.

use std::fs;
use std::path::Path;

use hermes::types::{Era, Revision};
use hermes_testkit::Conversation;

use crate::voice::{Carrier, Voice};

/// `_meta` of a modern request.
const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}},"io.modelcontextprotocol/logLevel":"debug"}"#;

/// The handshake of the legacy era.
const HELLO: &str = r#"
> {"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"$REVISION","capabilities":{"elicitation":{}},"clientInfo":{"name":"grid","version":"0"}}}
< {"jsonrpc":"2.0","id":"hello","result":{"protocolVersion":"$REVISION","...":"_"}}
> {"jsonrpc":"2.0","method":"notifications/initialized"}
"#;

/// A conversation, and where it can be held.
///
/// The file begins with `# eras: legacy modern` and, if it cannot be held over every transport, `# not over: http`.
/// `since: REVISION` leaves earlier ones out. `META` in a request, after a comma if other members stand before it,
/// is what a modern one says in `_meta`; `REST` in a result is what a modern one says besides.
pub(crate) struct Script {
    name: String,
    eras: Vec<Era>,
    since: Revision,
    not_over: Vec<String>,
    text: String,
}

impl Script {
    /// All of them.
    pub(crate) fn all() -> Result<Vec<Self>, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/grid/conversations");
        let files = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut scripts = Vec::new();
        for file in files {
            let path = file.map_err(|error| error.to_string())?.path();
            let text = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            scripts.push(Self::parse(name, text)?);
        }
        scripts.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(scripts)
    }

    fn parse(name: String, text: String) -> Result<Self, String> {
        let said = |key: &str| {
            let lines = text.lines().filter_map(|line| line.strip_prefix("# "));
            let value = lines.filter_map(|line| line.strip_prefix(key)).next()?;
            Some(value.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        };
        let eras = said("eras:").ok_or_else(|| format!("{name}: it does not say its eras"))?;
        let eras = eras.iter().map(|era| match era.as_str() {
            "legacy" => Ok(Era::Legacy),
            "modern" => Ok(Era::Modern),
            other => Err(format!("{name}: no such era: {other}")),
        });
        let since = match said("since:").and_then(|words| words.into_iter().next()) {
            Some(since) => since.parse().map_err(|_| format!("{name}: no such revision: {since}"))?,
            None => Revision::V2024_11_05,
        };
        let not_over = said("not over:").unwrap_or_default();
        Ok(Self { eras: eras.collect::<Result<_, _>>()?, since, not_over, name, text })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What it is about: those of both eras about one thing have names that begin alike.
    pub(crate) fn topic(&self) -> &str {
        self.name.strip_suffix("_modern").unwrap_or(&self.name)
    }

    pub(crate) fn fits(&self, carrier: Carrier, revision: Revision) -> bool {
        self.eras.contains(&revision.era())
            && revision >= self.since
            && !self.not_over.contains(&carrier.to_string())
    }

    /// Holds the conversation with a server of its own.
    pub(crate) fn play(&self, carrier: Carrier, revision: Revision) -> Result<(), String> {
        let text = if revision.is_modern() {
            self.text.replace("META", META).replace("REST", r#","resultType":"complete","...":"_""#)
        } else {
            let text = self.text.replace(",META", "").replace("META", "").replace("REST", "");
            format!("{HELLO}{text}")
        };
        let conversation = Conversation::parse_for(&text, revision).map_err(|error| error.to_string())?;
        let mut voice = Voice::open(carrier, revision)?;
        conversation.play(&mut voice).map_err(|failure| failure.to_string())?;
        voice.end()
    }
}
