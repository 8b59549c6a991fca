//! Lists, page by page.

use std::num::NonZeroUsize;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hermes_types::{
    CacheScope, Fault, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::dispatch::decode;
use crate::registry::{Registry, Shelf};
use crate::settings::Settings;

/// How long a result may be kept, in milliseconds, and who may be given a kept copy.
pub(crate) fn cache(settings: &Settings) -> (u64, CacheScope) {
    let (ttl, scope) = &settings.cache;
    (u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX), scope.clone())
}

macro_rules! lists {
    ($($(#[$doc:meta])* $name:ident: $shelf:ident, $kind:literal, $entry:ident, $Result:ident;)*) => {$(
        $(#[$doc])*
        pub(crate) fn $name(
            settings: &Settings,
            offer: &Registry,
            params: Option<&RawValue>,
        ) -> Result<$Result, Fault> {
            let page = Page::of(&offer.$shelf, $kind, settings.page_size, params)?;
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

/// One page of a list.
struct Page<'a, E> {
    entries: Vec<&'a E>,
    next: Option<String>,
}

impl<'a, E> Page<'a, E> {
    /// The page that `params.cursor` asks for. `kind` keeps the cursors of one list from being used on
    /// another.
    fn of(
        shelf: &'a Shelf<E>,
        kind: char,
        size: Option<NonZeroUsize>,
        params: Option<&RawValue>,
    ) -> Result<Self, Fault> {
        #[derive(Deserialize)]
        struct Params {
            #[serde(default)]
            cursor: Option<String>,
        }
        let cursor = match params {
            Some(params) => decode::<Params>(Some(params))?.cursor,
            None => None,
        };
        let after = cursor
            .map(|cursor| {
                read_cursor(kind, &cursor).filter(|number| shelf.has_numbered(*number)).ok_or_else(|| {
                    Fault::invalid_params("the cursor is none of this list; begin without one")
                })
            })
            .transpose()?;
        let mut rest = shelf.after(after).peekable();
        let size = size.map_or(usize::MAX, NonZeroUsize::get);
        let (mut entries, mut last) = (Vec::new(), None);
        while entries.len() < size
            && let Some((number, entry)) = rest.next()
        {
            entries.push(entry.as_ref());
            last = Some(number);
        }
        let next = last.filter(|_| rest.peek().is_some()).map(|number| write_cursor(kind, number));
        Ok(Self { entries, next })
    }
}

/// A cursor names the last entry of the page before by its number, so that it stays good when entries come
/// and go. Opaque to clients.
fn write_cursor(kind: char, number: u64) -> String {
    URL_SAFE_NO_PAD.encode(format!("{kind}{number}"))
}

/// The number in a cursor; only the very text that was written is read.
fn read_cursor(kind: char, cursor: &str) -> Option<u64> {
    let text = String::from_utf8(URL_SAFE_NO_PAD.decode(cursor).ok()?).ok()?;
    let number = text.strip_prefix(kind)?.parse().ok()?;
    (write_cursor(kind, number) == cursor).then_some(number)
}
