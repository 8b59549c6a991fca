//! What is in messages stays in them, unless somebody wants to see it.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static ARE_SHOWN: AtomicBool = AtomicBool::new(false);

/// The variable of the environment with which OpenTelemetry's programs show contents: `true`.
pub const VARIABLE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// Shows, or hides again, the arguments and results of tools in spans, for the whole process. Hidden by default: they hold
/// whatever users type, and traces go to places that were not made for that.
pub fn show(shown: bool) {
    ARE_SHOWN.store(shown, Relaxed);
}

/// Shows them if [`VARIABLE`] says so.
pub fn show_as_environment_says() {
    if std::env::var_os(VARIABLE).is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        show(true);
    }
}

/// Whether arguments and results are shown.
#[must_use]
pub fn are_shown() -> bool {
    ARE_SHOWN.load(Relaxed)
}

/// A URI without what may be secret in it: no user, no query, no fragment.
///
/// ```
/// use hermes_telemetry::contents::outline;
///
/// assert_eq!(outline("https://me:pw@example.org/a?key=1#x"), "https://example.org/a");
/// assert_eq!(outline("demo://counter"), "demo://counter");
/// ```
#[must_use]
pub fn outline(uri: &str) -> Cow<'_, str> {
    let end = uri.find(['?', '#']).unwrap_or(uri.len());
    let (uri, _) = uri.split_at(end);
    let Some((scheme, rest)) = uri.split_once("://") else { return Cow::Borrowed(uri) };
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.rfind('@') {
        Some(at) => Cow::Owned(format!("{scheme}://{}", rest.split_at(at + 1).1)),
        None => Cow::Borrowed(uri),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_keeps_the_place_and_nothing_else() {
        for (uri, shown) in [
            ("https://a/b?token=s", "https://a/b"),
            ("https://u:s@a/b", "https://a/b"),
            ("https://u:s@b@a", "https://a"),
            ("https://a/b@c", "https://a/b@c"),
            ("file:///etc/x#s", "file:///etc/x"),
            ("urn:a:b?s", "urn:a:b"),
            ("", ""),
        ] {
            assert_eq!(outline(uri), shown, "{uri}");
        }
    }
}
