//! The variables of a URI template, so that they can be compared with parameters.

use syn::LitStr;

/// The names in a URI: none makes it a plain resource.
///
/// # Errors
/// It is no URI as RFC 3986 has it, the server could not read the template backwards, or a name is no name of a
/// parameter.
pub(crate) fn variables(uri: &LitStr) -> syn::Result<Vec<String>> {
    let refuse = |message: &str| Err(syn::Error::new(uri.span(), message));
    let text = uri.value();
    if !text.starts_with('{') && !has_scheme(&text) {
        return refuse("a URI begins with a scheme: write it as in `weather://…`");
    }
    if let Some(stray) = text.chars().find(|c| !c.is_ascii_graphic() || "\"<>\\^`|".contains(*c)) {
        return refuse(&format!("{stray:?} cannot stand in a URI: write it percent-encoded"));
    }
    let mut names: Vec<String> = Vec::new();
    let mut rest = text.as_str();
    while let Some((literal, expression)) = rest.split_once('{') {
        if literal.contains('}') {
            return refuse("a `}` without its `{`");
        }
        if literal.is_empty() && !names.is_empty() && !expression.starts_with('#') {
            return refuse(
                "two variables stand side by side, and nothing tells where the first ends: put text between them",
            );
        }
        let Some((inside, behind)) = expression.split_once('}') else {
            return refuse("a `{` without its `}`");
        };
        let name = inside.strip_prefix(['+', '#']).unwrap_or(inside);
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return refuse(&format!(
                "`{{{inside}}}` is not understood: write `{{name}}`, `{{+name}}` or `{{#name}}`"
            ));
        }
        if names.iter().any(|earlier| earlier == name) {
            return refuse(&format!("the variable `{name}` comes twice: give each a name of its own"));
        }
        names.push(name.to_owned());
        rest = behind;
    }
    if rest.contains('}') { refuse("a `}` without its `{`") } else { Ok(names) }
}

/// Whether a text begins with a scheme: a letter, more letters, digits, `+`, `-` and `.`, and a colon.
fn has_scheme(text: &str) -> bool {
    text.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn read(uri: &str) -> Result<Vec<String>, String> {
        variables(&LitStr::new(uri, Span::call_site())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_names_come_in_order() {
        assert_eq!(read("x://{city}/at/{+path}"), Ok(vec!["city".to_owned(), "path".to_owned()]));
        assert_eq!(read("x://fixed"), Ok(Vec::new()));
    }

    #[test]
    fn what_the_server_cannot_read_is_refused() {
        for (uri, reason) in [
            ("x:{a}{b}", "side by side"),
            ("x:{?q}", "`{?q}` is not understood"),
            ("x:{}", "`{}` is not understood"),
            ("x:{a", "a `{` without"),
            ("x:a}", "a `}` without"),
            ("x:a}{b}", "a `}` without"),
            ("x:{a}/{a}", "comes twice"),
        ] {
            assert!(read(uri).is_err_and(|error| error.contains(reason)), "{uri}");
        }
    }

    // spec: R305
    #[test]
    fn what_is_no_uri_is_refused() {
        for uri in ["x:", "git+ssh://a", "a.b-c:d%20e?f#g", "{+any}", "x:{a}"] {
            assert!(read(uri).is_ok(), "{uri}");
        }
        for (uri, reason) in [
            ("weather", "begins with a scheme"),
            ("", "begins with a scheme"),
            ("9p://a", "begins with a scheme"),
            ("my_app://a", "begins with a scheme"),
            ("://a", "begins with a scheme"),
            ("x:a b", "' ' cannot stand"),
            ("x:größe", "'ö' cannot stand"),
            ("x:a\\b", "cannot stand"),
        ] {
            assert!(read(uri).is_err_and(|error| error.contains(reason)), "{uri}");
        }
    }
}
