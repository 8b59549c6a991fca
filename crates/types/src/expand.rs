//! URI templates, read forwards: from the values of the variables to a URI.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use crate::ResourceTemplate;

/// Why a template cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BadExpansion {
    /// An expression that is none of `{name}`, `{+name}` and `{#name}`; its text.
    Expression(String),
    /// A brace without its partner.
    Unclosed,
}

impl fmt::Display for BadExpansion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Expression(text) => write!(f, "the template has {{{text}}}, which is not understood"),
            Self::Unclosed => f.write_str("the template has a brace without its partner"),
        }
    }
}

impl std::error::Error for BadExpansion {}

impl ResourceTemplate {
    /// The URI for these values: RFC 6570 up to level 2. A variable without a value leaves nothing behind.
    ///
    /// ```
    /// use hermes_types::ResourceTemplate;
    ///
    /// let template = ResourceTemplate::new("demo://users/{name}{#part}", "user");
    /// let values = [("name".to_owned(), "ada l".to_owned()), ("part".to_owned(), "a/b".to_owned())];
    /// assert_eq!(template.expand(&values.into())?, "demo://users/ada%20l#a/b");
    /// # Ok::<(), hermes_types::BadExpansion>(())
    /// ```
    ///
    /// # Errors
    /// [`BadExpansion`]: the template is the server's, and says more than this or says it wrongly.
    pub fn expand(&self, values: &BTreeMap<String, String>) -> Result<String, BadExpansion> {
        let mut uri = String::new();
        let mut rest = self.uri_template.as_str();
        while let Some((literal, expression)) = rest.split_once('{') {
            let (inside, behind) = expression.split_once('}').ok_or(BadExpansion::Unclosed)?;
            let (operator, name) = match inside.strip_prefix(['+', '#']) {
                Some(name) => (inside.chars().next(), name),
                None => (None, inside),
            };
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '%';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(BadExpansion::Expression(inside.to_owned()));
            }
            push_literal(&mut uri, literal)?;
            if let Some(value) = values.get(name) {
                if operator == Some('#') {
                    uri.push('#');
                }
                push_value(&mut uri, value, operator.is_some());
            }
            rest = behind;
        }
        push_literal(&mut uri, rest)?;
        Ok(uri)
    }
}

fn push_literal(uri: &mut String, literal: &str) -> Result<(), BadExpansion> {
    if literal.contains('}') {
        return Err(BadExpansion::Unclosed);
    }
    push_value(uri, literal, true);
    Ok(())
}

/// Appends a value, percent-encoded save what may stand as it is. With `reserved` that is also what separates the
/// parts of a URI, and what is percent-encoded already.
fn push_value(uri: &mut String, value: &str, reserved: bool) {
    for (at, byte) in value.bytes().enumerate() {
        let encoded =
            value.as_bytes().get(at + 1..at + 3).filter(|two| two.iter().all(u8::is_ascii_hexdigit));
        if byte == b'%' && reserved && encoded.is_some() {
            uri.push('%');
        } else if byte.is_ascii_alphanumeric()
            || b"-._~".contains(&byte)
            || reserved && b":/?#[]@!$&'()*+,;=".contains(&byte)
        {
            uri.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The variables of RFC 6570, section 1.2.
    fn expand(template: &str) -> Result<String, BadExpansion> {
        let values = [("var", "value"), ("hello", "Hello World!"), ("path", "/foo/bar"), ("empty", "")];
        let values = values.map(|(name, value)| (name.to_owned(), value.to_owned()));
        ResourceTemplate::new(template, "t").expand(&values.into())
    }

    #[test]
    fn the_examples_of_the_standard_up_to_level_2() {
        for (template, uri) in [
            ("{var}", "value"),
            ("{hello}", "Hello%20World%21"),
            ("{+var}", "value"),
            ("{+hello}", "Hello%20World!"),
            ("{+path}/here", "/foo/bar/here"),
            ("here?ref={+path}", "here?ref=/foo/bar"),
            ("X{#var}", "X#value"),
            ("X{#hello}", "X#Hello%20World!"),
            ("{path}", "%2Ffoo%2Fbar"),
            ("O{empty}X", "OX"),
            ("O{undef}X", "OX"),
            ("X{#undef}", "X"),
            ("caf\u{e9}:{var}", "caf%C3%A9:value"),
        ] {
            assert_eq!(expand(template).as_deref(), Ok(uri), "{template}");
        }
    }

    #[test]
    fn what_is_percent_encoded_already_stays_so_where_that_is_meant() {
        let values = BTreeMap::from([("v".to_owned(), "100%25%".to_owned())]);
        let expand = |template: &str| ResourceTemplate::new(template, "t").expand(&values);
        assert_eq!(expand("{+v}").as_deref(), Ok("100%25%25"));
        assert_eq!(expand("{v}").as_deref(), Ok("100%2525%25"));
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert_eq!(expand("x:{?q}"), Err(BadExpansion::Expression("?q".to_owned())));
        assert_eq!(expand("x:{}"), Err(BadExpansion::Expression(String::new())));
        assert_eq!(expand("x:{a"), Err(BadExpansion::Unclosed));
        assert_eq!(expand("x:a}"), Err(BadExpansion::Unclosed));
    }
}
