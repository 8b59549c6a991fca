//! Lists, page by page.

use std::num::NonZeroUsize;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_types::{
    CacheScope, Fault, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    Method, Revision,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dispatch::decode;
use crate::settings::Settings;
use crate::ticket::result;
use crate::view::{Shelves, View};

/// How long a result may be kept, in milliseconds, and who may be given a kept copy.
pub(crate) fn cache(settings: &Settings) -> (u64, CacheScope) {
    let (ttl, scope) = &settings.cache;
    (u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX), scope.clone())
}

/// The first page of a list as everybody is sent it who has nothing of their own, written once. `None` for another page,
/// another client, or another method: then it is made as it is asked for.
pub(crate) fn written(
    settings: &Settings,
    view: &View,
    (method, revision): (Method, Revision),
    params: Option<&RawValue>,
) -> Option<Arc<[u8]>> {
    use Method::{PromptsList, ResourcesList, ResourcesTemplatesList, ToolsList};
    if !matches!(method, PromptsList | ResourcesList | ResourcesTemplatesList | ToolsList) {
        return None;
    }
    let registry = view.shared()?;
    if Cursor::of(params).ok()?.cursor.is_some() {
        return None;
    }
    let write = || match method {
        PromptsList => result(settings, revision, prompts(settings, view, None).ok()?),
        ResourcesList => result(settings, revision, resources(settings, view, None).ok()?),
        ResourcesTemplatesList => result(settings, revision, templates(settings, view, None).ok()?),
        ToolsList => result(settings, revision, tools(settings, view, None).ok()?),
        _ => None,
    };
    settings.written.page(registry, (method, revision), write)
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $shelf:ident, $kind:literal, $entry:ident, $Result:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(
            settings: &Settings,
            view: &View,
            params: Option<&RawValue>,
        ) -> Result<$Result, Fault> {
            let page = Page::of(&view.$shelf(), $kind, settings.page_size, params)?;
            let mut result = $Result::new(page.entries.into_iter().map(|it| it.$entry.clone()).collect());
            result.next_cursor = page.next;
            (result.ttl_ms, result.cache_scope) = cache(settings);
            Ok(result)
        }
    )*};
}

lists! {
    /// A page of tools.
    tools: tools, 't', tool, ListToolsResult;
    /// A page of resources.
    resources: resources, 'r', resource, ListResourcesResult;
    /// A page of resource templates.
    templates: templates, 'u', template, ListResourceTemplatesResult;
    /// A page of prompts.
    prompts: prompts, 'p', prompt, ListPromptsResult;
}

/// Where a page begins.
#[derive(Default, Deserialize)]
struct Cursor {
    #[serde(default)]
    cursor: Option<String>,
}

impl Cursor {
    fn of(params: Option<&RawValue>) -> Result<Self, Fault> {
        params.map_or_else(|| Ok(Self::default()), |params| decode(Some(params)))
    }
}

/// One page of a list.
struct Page<'a, E> {
    entries: Vec<&'a E>,
    next: Option<String>,
}

impl<'a, E> Page<'a, E> {
    /// The page that `params.cursor` asks for. `kind` keeps the cursors of one list from being used on
    /// another.
    fn of(
        shelves: &Shelves<'a, E>,
        kind: char,
        size: Option<NonZeroUsize>,
        params: Option<&RawValue>,
    ) -> Result<Self, Fault> {
        let after = Cursor::of(params)?
            .cursor
            .map(|cursor| {
                read_cursor(kind, &cursor).filter(|name| shelves.knows(name)).ok_or_else(|| {
                    Fault::invalid_params("the cursor is none of this list; begin without one")
                })
            })
            .transpose()?;
        let mut rest = shelves.after(after.as_deref()).peekable();
        let size = size.map_or(usize::MAX, NonZeroUsize::get);
        let (mut entries, mut last) = (Vec::new(), None);
        while entries.len() < size
            && let Some((name, entry)) = rest.next()
        {
            entries.push(entry.as_ref());
            last = Some(name);
        }
        let next = last.filter(|_| rest.peek().is_some()).map(|name| write_cursor(kind, name));
        Ok(Self { entries, next })
    }
}

/// A cursor names the last entry of the page before, so that it stays good when entries come and go. Opaque to
/// clients.
fn write_cursor(kind: char, name: &str) -> String {
    URL_SAFE_NO_PAD.encode(format!("{kind}{name}"))
}

/// The name in a cursor; only the very text that was written is read.
fn read_cursor(kind: char, cursor: &str) -> Option<String> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let name = text.strip_prefix(kind)?;
    (write_cursor(kind, name) == cursor).then(|| name.to_owned())
}
