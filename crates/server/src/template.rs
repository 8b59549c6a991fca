//! URI templates, read backwards: from a URI to the values of its variables.
//!
//! RFC 6570 up to level 2: `{name}` stands for one or more characters of one path segment, `{+name}` for any
//! characters, `{#name}` for a number sign and any characters. Values come percent-decoded.

use std::collections::BTreeMap;

use percent_encoding::percent_decode_str;

/// A template that URIs can be compared with.
#[derive(Debug)]
pub(crate) struct UriTemplate {
    /// What stands before the first variable.
    start: String,
    /// The variables, each with the text behind it.
    variables: Vec<(Variable, String)>,
}

#[derive(Debug)]
struct Variable {
    name: String,
    /// Whether it may hold what separates the parts of a URI.
    reserved: bool,
}

/// Why a template cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadTemplate {
    /// Nothing tells where one variable ends and the next begins.
    #[error("two variables stand side by side")]
    Adjacent,
    /// An expression that is none of `{name}`, `{+name}` and `{#name}`.
    #[error("only {{name}}, {{+name}} and {{#name}} are understood")]
    Expression,
    /// A brace without its partner.
    #[error("a brace is not closed")]
    Unclosed,
}

impl UriTemplate {
    /// Reads a template.
    pub(crate) fn parse(text: &str) -> Result<Self, BadTemplate> {
        let (start, mut rest) = literal(text)?;
        let mut start = start.to_owned();
        let mut variables: Vec<(Variable, String)> = Vec::new();
        while let Some(expression) = rest {
            let (inside, behind) = expression.split_once('}').ok_or(BadTemplate::Unclosed)?;
            let (name, reserved) =
                inside.strip_prefix(['+', '#']).map_or((inside, false), |name| (name, true));
            if inside.starts_with('#') {
                // The number sign is part of what the expression stands for.
                variables.last_mut().map_or(&mut start, |(_, literal)| literal).push('#');
            }
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
            if name.is_empty() || !name.chars().all(is_name) {
                return Err(BadTemplate::Expression);
            }
            if variables.last().is_some_and(|(_, literal)| literal.is_empty()) {
                return Err(BadTemplate::Adjacent);
            }
            let (literal, next) = literal(behind)?;
            variables.push((Variable { name: name.to_owned(), reserved }, literal.to_owned()));
            rest = next;
        }
        Ok(Self { start, variables })
    }

    /// The values of the variables, if the URI is one of this template.
    ///
    /// A variable ends where the text behind it first occurs; the last one reaches as far as it can. So the
    /// work grows with the length of the URI only.
    pub(crate) fn read(&self, uri: &str) -> Option<BTreeMap<String, String>> {
        let mut rest = uri.strip_prefix(self.start.as_str())?;
        let Some(((last, end), others)) = self.variables.split_last() else {
            return rest.is_empty().then(BTreeMap::new);
        };
        let mut values = BTreeMap::new();
        for (variable, literal) in others {
            let (value, behind) = rest.split_once(literal.as_str())?;
            values.insert(variable.name.clone(), variable.decode(value)?);
            rest = behind;
        }
        values.insert(last.name.clone(), last.decode(rest.strip_suffix(end.as_str())?)?);
        Some(values)
    }

    /// The names of the variables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(variable, _)| variable.name.as_str())
    }
}

impl Variable {
    fn decode(&self, value: &str) -> Option<String> {
        let separated = !self.reserved && value.contains(['/', '?', '#']);
        if value.is_empty() || separated {
            return None;
        }
        percent_decode_str(value).decode_utf8().ok().map(|value| value.into_owned())
    }
}

/// Text up to an expression, and what stands behind its opening brace.
fn literal(text: &str) -> Result<(&str, Option<&str>), BadTemplate> {
    let (literal, rest) = text.split_once('{').map_or((text, None), |(literal, rest)| (literal, Some(rest)));
    if literal.contains('}') { Err(BadTemplate::Unclosed) } else { Ok((literal, rest)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(template: &str, uri: &str) -> Option<Vec<(String, String)>> {
        let template = UriTemplate::parse(template).expect(template);
        template.read(uri).map(|values| values.into_iter().collect())
    }

    fn values(pairs: &[(&str, &str)]) -> Option<Vec<(String, String)>> {
        Some(pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn a_uri_gives_the_values_of_its_variables() {
        let users = "demo://users/{name}";
        assert_eq!(read(users, "demo://users/ada"), values(&[("name", "ada")]));
        assert_eq!(read(users, "demo://users/ada%20l%C3%A9"), values(&[("name", "ada lé")]));
        assert_eq!(read(users, "demo://users/"), None);
        assert_eq!(read(users, "demo://users/ada/x"), None);
        assert_eq!(read(users, "demo://user/ada"), None);
        assert_eq!(read(users, "demo://users/%FF"), None);
        assert_eq!(read("f:///{+path}", "f:///a/b?c"), values(&[("path", "a/b?c")]));
        assert_eq!(read("x:{a}-{b}.txt", "x:1-2-3.txt.txt"), values(&[("a", "1"), ("b", "2-3.txt")]));
        assert_eq!(read("x:{a}{#b}", "x:1#2/3"), values(&[("a", "1"), ("b", "2/3")]));
        assert_eq!(read("x:{#b}", "x:1"), None);
        assert_eq!(read("x:fixed", "x:fixed"), values(&[]));
        assert_eq!(read("x:fixed", "x:fixed2"), None);
    }

    #[test]
    fn a_template_that_cannot_be_read_backwards_is_refused() {
        let refused = |text| UriTemplate::parse(text).expect_err(text);
        assert_eq!(refused("x:{a}{b}"), BadTemplate::Adjacent);
        assert_eq!(refused("x:{?q}"), BadTemplate::Expression);
        assert_eq!(refused("x:{}"), BadTemplate::Expression);
        assert_eq!(refused("x:{a"), BadTemplate::Unclosed);
        assert_eq!(refused("x:a}"), BadTemplate::Unclosed);
    }
}
