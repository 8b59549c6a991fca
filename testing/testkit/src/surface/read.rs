//! Reading a server's surface.

use std::fmt;

use hermes_client::{Client, ClientError, Listing};
use hermes_types::RawJson;
use serde_json::{Map, Value, json};

use super::Difference;

/// Everything that a server shows to a client; see [`surface`].
///
/// Two surfaces are equal when they say the same, in whatever order their members come.
#[derive(Clone, PartialEq)]
pub struct Surface(Value);

/// A surface could not be read.
#[derive(Debug)]
#[non_exhaustive]
pub enum SurfaceError {
    /// The server did not answer.
    Client(ClientError),
    /// What the server said is no JSON that can be shown.
    Json(serde_json::Error),
    /// Two entries of one list have the same name, so that a client can tell only one of them from the rest.
    Twice {
        /// The list.
        list: &'static str,
        /// The name.
        name: String,
    },
}

impl fmt::Display for SurfaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Client(_) => f.write_str("the server did not tell what it offers"),
            Self::Json(_) => f.write_str("what the server offers is no JSON"),
            Self::Twice { list, name } => {
                write!(f, "the server has two {list} named `{name}`: give one of them another name")
            }
        }
    }
}

impl std::error::Error for SurfaceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Client(error) => Some(error),
            Self::Json(error) => Some(error),
            Self::Twice { .. } => None,
        }
    }
}

impl From<ClientError> for SurfaceError {
    fn from(error: ClientError) -> Self {
        Self::Client(error)
    }
}

impl From<serde_json::Error> for SurfaceError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json(error)
    }
}

/// Asks a server for everything that it offers, in the words of the revision that the client speaks with it.
///
/// Entries are what the server sent, member for member, sorted by name or URI. The server's version is left out, so that
/// a release changes nothing. What the client put up with, such as a tool without a name, stands under `warnings`.
///
/// ```no_run
/// # async fn example(client: hermes_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// let surface = hermes_testkit::surface(&client).await?;
/// assert_eq!(surface.json()["tools"]["add"]["inputSchema"]["type"], "object");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// See [`SurfaceError`].
///
/// # Cancel safety
/// Dropping it takes back the request for the current page of a list.
pub async fn surface(client: &Client) -> Result<Surface, SurfaceError> {
    let mut warnings = Vec::new();
    let tools = by_name("tools", "name", client.list_all_tools().await?, &mut warnings)?;
    let prompts = by_name("prompts", "name", client.list_all_prompts().await?, &mut warnings)?;
    let resources = by_name("resources", "uri", client.list_all_resources().await?, &mut warnings)?;
    let templates = client.list_all_resource_templates().await?;
    let templates = by_name("resource templates", "uriTemplate", templates, &mut warnings)?;
    let opening: Value = decode(&client.opening())?;
    let mut surface = Map::new();
    let mut keep = |name: &str, value: Value| {
        let is_empty = match &value {
            Value::Null => true,
            Value::Array(values) => values.is_empty(),
            Value::Object(members) => members.is_empty(),
            _ => false,
        };
        if !is_empty {
            surface.insert(name.to_owned(), value);
        }
    };
    keep("revision", json!(client.revision().as_str()));
    // In the handshake it stands in the result, since 2026-07-28 in the `_meta` of each.
    let meta = || opening.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let mut server = opening.get("serverInfo").or_else(meta).cloned().unwrap_or_default();
    if let Some(members) = server.as_object_mut() {
        members.remove("version");
    }
    keep("server", server);
    keep("instructions", json!(client.instructions()));
    keep("capabilities", opening.get("capabilities").cloned().unwrap_or_default());
    keep("tools", tools);
    keep("prompts", prompts);
    keep("resources", resources);
    keep("resourceTemplates", templates);
    keep("warnings", json!(warnings));
    Ok(Surface(Value::Object(surface)))
}

impl Surface {
    /// The surface as JSON: `revision`, `server`, `instructions`, `capabilities`, and by their names `tools`, `prompts`,
    /// `resources`, `resourceTemplates`; what there is none of is left out.
    #[must_use]
    pub const fn json(&self) -> &Value {
        &self.0
    }

    /// What is different in another surface, in the order of this one.
    #[must_use]
    pub fn differences(&self, newer: &Self) -> Vec<Difference> {
        Difference::between(&self.0, &newer.0)
    }

    /// The surface that a text shows.
    pub(super) fn parse(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text).map(Self)
    }
}

/// The surface as indented JSON, without a line feed at its end.
impl fmt::Display for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.0)
    }
}

/// As it is displayed, so that a failed `assert_eq!` can be read.
impl fmt::Debug for Surface {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// The entries of a list as an object, sorted by the member that names them.
fn by_name<T>(
    list: &'static str,
    key: &str,
    listing: Listing<T>,
    warnings: &mut Vec<String>,
) -> Result<Value, SurfaceError> {
    warnings.extend(listing.warnings.iter().map(ToString::to_string));
    let mut named = Vec::new();
    for entry in listing.entries {
        let mut entry: Value = decode(&entry.raw)?;
        let name = entry.as_object_mut().and_then(|entry| entry.remove(key));
        named.push((name.and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default(), entry));
    }
    named.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut entries = Map::new();
    for (name, entry) in named {
        if entries.contains_key(&name) {
            return Err(SurfaceError::Twice { list, name });
        }
        entries.insert(name, entry);
    }
    Ok(Value::Object(entries))
}

fn decode(raw: &RawJson) -> Result<Value, serde_json::Error> {
    serde_json::from_str(raw.get())
}
