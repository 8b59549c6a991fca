//! Lists: a page at a time, or whole.

use std::collections::BTreeSet;
use std::sync::Arc;

use hermes_types::{
    JsonObject, Method, Ordered, Prompt, RawJson, Resource, ResourceTemplate, ServerCapabilities, Tool, code,
    json_words,
};
use serde::de::DeserializeOwned;

use crate::call::Done;
use crate::client::Inner;
use crate::error::ClientError;
use crate::line::Line;
use crate::operations::decode;
use crate::{Client, Operation, Received, Warning};

/// How many pages a list may have.
const PAGES: usize = 1000;

/// One page of a list. Entries that are not what the list is of are left out, each with a warning.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The entries, in the server's order.
    pub entries: Vec<Received<T>>,
    /// Where the next page begins. The empty text is a cursor too; `None` is the end.
    pub next_cursor: Option<String>,
    /// What was put up with.
    pub warnings: Vec<Warning>,
}

/// A whole list.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing<T> {
    /// The entries, in the server's order.
    pub entries: Vec<Received<T>>,
    /// What was put up with.
    pub warnings: Vec<Warning>,
}

impl<T> Listing<T> {
    /// The values alone.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().map(|entry| &entry.value)
    }
}

/// What a list can be of.
trait Entry: DeserializeOwned {
    const METHOD: Method;
    /// The member of the result that holds the entries.
    const MEMBER: &'static str;

    /// Whether the server declares to have such a list.
    fn is_declared(capabilities: &ServerCapabilities) -> bool;

    /// Why the entry cannot be used, although it could be decoded.
    fn flaw(&self, line: &Line) -> Option<String>;

    /// Takes note of an entry.
    fn learn(&self, _: &Line) {}
}

impl Entry for Tool {
    const METHOD: Method = Method::ToolsList;
    const MEMBER: &'static str = "tools";

    fn is_declared(capabilities: &ServerCapabilities) -> bool {
        capabilities.tools.is_some()
    }

    fn flaw(&self, line: &Line) -> Option<String> {
        if !self.input_schema.is_object() {
            return Some("its `inputSchema` is no object".to_owned());
        }
        unnamed(&self.name).or_else(|| unmirrored(self, line))
    }

    fn learn(&self, line: &Line) {
        line.shared().schemas.learn(self);
        line.shared().repeatable.learn(self);
    }
}

impl Entry for Resource {
    const METHOD: Method = Method::ResourcesList;
    const MEMBER: &'static str = "resources";

    fn is_declared(capabilities: &ServerCapabilities) -> bool {
        capabilities.resources.is_some()
    }

    fn flaw(&self, _: &Line) -> Option<String> {
        self.uri.is_empty().then(|| "its `uri` is empty".to_owned())
    }
}

impl Entry for ResourceTemplate {
    const METHOD: Method = Method::ResourcesTemplatesList;
    const MEMBER: &'static str = "resourceTemplates";

    fn is_declared(capabilities: &ServerCapabilities) -> bool {
        capabilities.resources.is_some()
    }

    fn flaw(&self, _: &Line) -> Option<String> {
        self.uri_template.is_empty().then(|| "its `uriTemplate` is empty".to_owned())
    }
}

impl Entry for Prompt {
    const METHOD: Method = Method::PromptsList;
    const MEMBER: &'static str = "prompts";

    fn is_declared(capabilities: &ServerCapabilities) -> bool {
        capabilities.prompts.is_some()
    }

    fn flaw(&self, _: &Line) -> Option<String> {
        unnamed(&self.name)
    }
}

/// What has no name can be neither called nor told from others.
fn unnamed(name: &str) -> Option<String> {
    name.is_empty().then(|| "its `name` is empty".to_owned())
}

/// Over HTTP, a modern tool says which of its arguments go into headers; one that says it wrongly cannot be called.
///
/// Source: `basic/transports/streamable-http#schema-extension`, 2026-07-28.
fn unmirrored(tool: &Tool, line: &Line) -> Option<String> {
    let shared = line.shared();
    if !line.peer.revision.is_modern() || !shared.carrier().is_exchanges() {
        return None;
    }
    let flaw = shared.mirrors.learn(tool).err()?;
    Some(format!("the tool `{}` cannot be called over HTTP: {flaw}", tool.name))
}

/// The methods of one list: by the page, and whole.
macro_rules! list {
    ($page:ident, $all:ident, $Entry:ident, $what:literal) => {
        #[doc = concat!("One page of the ", $what, ": the first, or the one at a cursor, which is the server's own")]
        #[doc = "word and passed on unchanged."]
        ///
        /// Source: `server/utilities/pagination`, 2026-07-28.
        pub fn $page(&self, cursor: Option<&str>) -> Operation<'_, Received<Page<$Entry>>> {
            ask_page(&self.0, cursor)
        }

        #[doc = concat!("All ", $what, ", page by page.")]
        ///
        /// A server that does not declare them is not asked and has none. A cursor that comes again ends the list,
        /// as do 1,000 pages and a method that the server does not know, each with a warning. If it refuses one of its
        /// own cursors, the list begins anew once. Pages that are [kept](crate::Caching) are not asked for.
        ///
        /// # Errors
        /// The first error of any page; what other pages held is dropped.
        ///
        /// # Cancel safety
        /// Dropping it takes back the request for the current page.
        pub async fn $all(&self) -> Result<Listing<$Entry>, ClientError> {
            all(&self.0, false).await
        }
    };
}

impl Client {
    list!(list_tools, list_all_tools, Tool, "tools");
    list!(list_resources, list_all_resources, Resource, "resources");
    list!(list_resource_templates, list_all_resource_templates, ResourceTemplate, "resource templates");
    list!(list_prompts, list_all_prompts, Prompt, "prompts");
}

fn ask_page<'c, T: Entry>(inner: &'c Arc<Inner>, cursor: Option<&str>) -> Operation<'c, Received<Page<T>>> {
    let mut params = Ordered::new();
    let encoded = cursor.map(RawJson::encode).transpose();
    let params = encoded
        .map(|cursor| {
            if let Some(cursor) = cursor {
                params.insert("cursor", cursor);
            }
            params
        })
        .map_err(|error| ClientError::Arguments {
            method: T::METHOD.as_str().to_owned(),
            source: Some(error),
        });
    Operation::new(inner, T::METHOD.as_str(), params, page)
}

/// `is_fresh`: what is kept will not do.
async fn all<T: Entry>(inner: &Arc<Inner>, is_fresh: bool) -> Result<Listing<T>, ClientError> {
    let mut list = Listing { entries: Vec::new(), warnings: Vec::new() };
    let line = inner.ready(inner.config.patience.timeout).await?;
    if !T::is_declared(&line.peer.capabilities) {
        return Ok(list);
    }
    let method = || T::METHOD.as_str().to_owned();
    let warn = |list: &mut Listing<T>, warning: Warning| {
        inner.config.hooks.warn(&warning);
        list.warnings.push(warning);
    };
    let mut used = BTreeSet::new();
    let mut cursor: Option<String> = None;
    let mut has_begun_anew = false;
    for _ in 0..PAGES {
        let asked = ask_page::<T>(inner, cursor.as_deref());
        let page = match if is_fresh { asked.fresh() } else { asked }.await {
            Ok(page) => page.into_value(),
            Err(ClientError::Rpc { error, .. })
                if error.code == code::METHOD_NOT_FOUND && used.is_empty() =>
            {
                warn(&mut list, Warning::MethodMissing { method: method() });
                return Ok(list);
            }
            // The server does not know its own cursor any more: what it has listed so far is of another time.
            Err(ClientError::Rpc { error, .. })
                if error.code == code::INVALID_PARAMS && cursor.is_some() && !has_begun_anew =>
            {
                has_begun_anew = true;
                list = Listing { entries: Vec::new(), warnings: Vec::new() };
                used.clear();
                cursor = None;
                continue;
            }
            Err(error) => return Err(error),
        };
        list.entries.extend(page.entries);
        list.warnings.extend(page.warnings);
        let Some(next) = page.next_cursor else { return Ok(list) };
        if !used.insert(next.clone()) {
            warn(&mut list, Warning::RepeatedCursor { method: method(), cursor: next });
            return Ok(list);
        }
        cursor = Some(next);
    }
    warn(&mut list, Warning::PageLimit { method: method(), pages: PAGES });
    Ok(list)
}

impl Inner {
    /// Lists the tools anew, for what they say of themselves.
    pub(crate) async fn learn_tools(self: &Arc<Self>) -> Result<(), ClientError> {
        all::<Tool>(self, true).await.map(|_| ())
    }
}

/// Decodes a page, entry by entry.
fn page<T: Entry>(line: &Line, done: &Done<'_>, raw: RawJson) -> Result<Received<Page<T>>, ClientError> {
    let members: JsonObject = decode(done.method, &raw)?;
    let listed = members.get(T::MEMBER).ok_or_else(|| ClientError::Decode {
        method: done.method.to_owned(),
        path: T::MEMBER.to_owned(),
        source: serde::de::Error::missing_field(T::MEMBER),
    })?;
    let mut page = Page { entries: Vec::new(), next_cursor: None, warnings: Vec::new() };
    let listed: Vec<RawJson> = decode(done.method, listed).map_err(|error| error.within(T::MEMBER))?;
    for (position, raw) in listed.into_iter().enumerate() {
        let reason = match raw.decode::<T>() {
            Ok(value) => match value.flaw(line) {
                Some(flaw) => flaw,
                None => {
                    value.learn(line);
                    page.entries.push(Received { value, raw });
                    continue;
                }
            },
            Err(error) => json_words(&error),
        };
        page.warnings.push(Warning::SkippedEntry { method: done.method.to_owned(), position, reason });
    }
    match members.get("nextCursor") {
        None => {}
        Some(cursor) if cursor.is_null() => {}
        Some(cursor) => match cursor.decode() {
            Ok(cursor) => page.next_cursor = Some(cursor),
            Err(_) => page.warnings.push(Warning::StrangeCursor {
                method: done.method.to_owned(),
                cursor: cursor.get().to_owned(),
            }),
        },
    }
    for warning in &page.warnings {
        line.config.hooks.warn(warning);
    }
    Ok(Received { value: page, raw })
}
