//! What a kept result answers, and what makes it worthless.

use std::collections::BTreeMap;

use hermes_types::{Method, Ordered, RawJson};

use crate::notice::{News, Notice};

/// The method and the parameters of a request whose result may be kept. `_meta` is no part of it.
///
/// Source: `server/utilities/caching#cache-key`, 2026-07-28.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    method: Method,
    /// By name, each as its JSON text: two spellings of one value are two keys, which costs a request and no more.
    params: BTreeMap<String, String>,
}

impl Key {
    /// `None` for a method whose results are never kept, and for a request that carries answers to questions: its
    /// result depends on more than its key.
    pub(crate) fn of(method: &str, params: &Ordered<RawJson>) -> Option<Self> {
        let method = Method::parse(method).filter(|method| is_cacheable(*method))?;
        let mut own = BTreeMap::new();
        for (name, value) in params.iter() {
            match name {
                "inputResponses" | "requestState" => return None,
                "_meta" => {}
                _ => drop(own.insert(name.to_owned(), value.get().to_owned())),
            }
        }
        Some(Self { method, params: own })
    }

    pub(super) const fn method(&self) -> Method {
        self.method
    }

    /// How much memory it takes, in bytes, about.
    pub(super) fn size(&self) -> usize {
        self.params.iter().map(|(name, value)| name.len() + value.len()).sum()
    }

    /// The resource that was read.
    fn uri(&self) -> Option<String> {
        let uri = self.params.get("uri").filter(|_| self.method == Method::ResourcesRead)?;
        serde_json::from_str(uri).ok()
    }
}

/// Source: `server/utilities/caching#cacheable-results`, 2026-07-28.
const fn is_cacheable(method: Method) -> bool {
    matches!(
        method,
        Method::ServerDiscover
            | Method::ToolsList
            | Method::PromptsList
            | Method::ResourcesList
            | Method::ResourcesTemplatesList
            | Method::ResourcesRead
    )
}

/// What is known to hold no longer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// All pages of the lists of these methods.
    Lists(&'static [Method]),
    /// What was read from this resource, from parts of it, and from what it is a part of.
    Resource(String),
    /// All there is: nobody has heard what happened meanwhile.
    Everything,
}

impl Change {
    /// What a notification says to have changed.
    pub(crate) fn told_by(notice: &Notice) -> Option<Self> {
        match notice.news() {
            News::ToolsChanged => Some(Self::Lists(&[Method::ToolsList])),
            News::PromptsChanged => Some(Self::Lists(&[Method::PromptsList])),
            News::ResourcesChanged => {
                Some(Self::Lists(&[Method::ResourcesList, Method::ResourcesTemplatesList]))
            }
            News::ResourceUpdated(updated) => Some(Self::Resource(updated.uri)),
            _ => None,
        }
    }

    /// All pages of a list, after the server has refused one of its own cursors. `None` for what has none.
    ///
    /// Source: `server/utilities/caching#interaction-with-pagination`, 2026-07-28.
    pub(crate) fn other_pages(key: &Key) -> Option<Self> {
        key.params.get("cursor")?;
        match key.method {
            Method::ToolsList => Some(Self::Lists(&[Method::ToolsList])),
            Method::PromptsList => Some(Self::Lists(&[Method::PromptsList])),
            Method::ResourcesList => Some(Self::Lists(&[Method::ResourcesList])),
            Method::ResourcesTemplatesList => Some(Self::Lists(&[Method::ResourcesTemplatesList])),
            _ => None,
        }
    }

    pub(super) fn concerns(&self, key: &Key) -> bool {
        match self {
            Self::Everything => true,
            Self::Lists(methods) => methods.contains(&key.method),
            // A change may name a part of what was read, and a container names all its parts.
            Self::Resource(changed) => {
                key.uri().is_some_and(|uri| uri.starts_with(changed.as_str()) || changed.starts_with(&uri))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(members: &[(&str, &str)]) -> Ordered<RawJson> {
        let mut params = Ordered::new();
        for (name, value) in members {
            params.insert(*name, RawJson::parse(*value).expect("JSON"));
        }
        params
    }

    // spec: R259
    #[test]
    fn another_method_and_other_parameters_are_another_key_and_meta_is_none() {
        let key = |method: &str, members: &[(&str, &str)]| Key::of(method, &params(members)).expect("a key");
        let read = key("resources/read", &[("uri", "\"a://b\""), ("x", "1")]);
        assert_eq!(read, key("resources/read", &[("x", "1"), ("uri", "\"a://b\""), ("_meta", "{}")]));
        assert_ne!(read, key("resources/read", &[("uri", "\"a://b\"")]));
        assert_ne!(key("tools/list", &[]), key("prompts/list", &[]));
        assert_ne!(key("tools/list", &[]), key("tools/list", &[("cursor", "\"\"")]));
    }

    // spec: R260
    #[test]
    fn what_is_not_cacheable_has_no_key() {
        for method in ["tools/call", "prompts/get", "completion/complete", "ping", "x/y"] {
            assert_eq!(Key::of(method, &params(&[])), None, "{method}");
        }
        for member in ["inputResponses", "requestState"] {
            assert_eq!(Key::of("resources/read", &params(&[(member, "{}")])), None, "{member}");
        }
    }

    #[test]
    fn a_change_concerns_what_it_is_about_and_nothing_else() {
        let key = |method: &str, members: &[(&str, &str)]| Key::of(method, &params(members)).expect("a key");
        let keys = [
            key("server/discover", &[]),
            key("tools/list", &[("cursor", "\"2\"")]),
            key("prompts/list", &[]),
            key("resources/list", &[]),
            key("resources/templates/list", &[]),
            key("resources/read", &[("uri", "\"a://b\"")]),
        ];
        let notice = |method: &str, params: Option<&str>| Notice {
            method: method.to_owned(),
            params: params.map(|params| RawJson::parse(params).expect("JSON")),
        };
        let updated =
            |uri: &str| notice("notifications/resources/updated", Some(&format!(r#"{{"uri":"{uri}"}}"#)));
        for (notice, concerned) in [
            (notice("notifications/tools/list_changed", None), &[1][..]),
            (notice("notifications/prompts/list_changed", None), &[2]),
            (notice("notifications/resources/list_changed", None), &[3, 4]),
            (updated("a://b"), &[5]),
            (updated("a://b/part"), &[5]),
            (updated("a://"), &[5]),
            (updated("c://d"), &[]),
        ] {
            let change = Change::told_by(&notice).expect("a change");
            let found: Vec<usize> = keys
                .iter()
                .enumerate()
                .filter_map(|(position, key)| change.concerns(key).then_some(position))
                .collect();
            assert_eq!(found, concerned, "{}", notice.method);
        }
        assert_eq!(Change::told_by(&notice("notifications/message", Some("{}"))), None);
        assert!(keys.iter().all(|key| Change::Everything.concerns(key)));
    }
}
