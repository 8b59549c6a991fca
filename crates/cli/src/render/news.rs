//! What a server says by itself, in words.

use hermes::{News, Notice};

/// A change in words.
pub(crate) fn told(notice: &Notice) -> String {
    match notice.news() {
        News::ToolsChanged => "the list of tools has changed".to_owned(),
        News::PromptsChanged => "the list of prompts has changed".to_owned(),
        News::ResourcesChanged => "the list of resources has changed".to_owned(),
        News::ResourceUpdated(updated) => format!("{} has changed", updated.uri),
        _ => {
            let params =
                notice.params.as_ref().map(|params| format!(" {}", params.get())).unwrap_or_default();
            format!("{}{params}", notice.method)
        }
    }
}

#[cfg(test)]
mod tests {
    use hermes::types::RawJson;

    use super::*;

    fn notice(method: &str, params: Option<&str>) -> Notice {
        let params = params.map(|params| RawJson::parse(params).expect(params));
        Notice { method: method.to_owned(), params }
    }

    #[test]
    fn changes_are_told_in_words() {
        for (method, params, words) in [
            ("notifications/tools/list_changed", None, "the list of tools has changed"),
            (
                "notifications/resources/updated",
                Some(r#"{"uri":"demo://counter"}"#),
                "demo://counter has changed",
            ),
            ("notifications/unheard/of", Some(r#"{"x":1}"#), "notifications/unheard/of {\"x\":1}"),
        ] {
            assert_eq!(told(&notice(method, params)), words);
        }
    }
}
