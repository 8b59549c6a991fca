//! Files of environment variables, one `NAME=VALUE` a line.

use std::iter::Peekable;
use std::str::Chars;

/// Reads the variables of a file in their order.
///
/// Lines may be empty, comments (`#`), or begin with `export`. A value ends with its line or at ` #`; one in single or
/// double quotes ends with the quote, and may be of several lines; in double quotes `\n`, `\r`, `\t`, `\"` and `\\`
/// have their usual meaning. Nothing is expanded.
///
/// # Errors
/// The number of the first line that is none of these, from 1.
pub(super) fn parse(text: &str) -> Result<Vec<(String, String)>, usize> {
    let mut variables = Vec::new();
    let mut chars = text.strip_prefix('\u{feff}').unwrap_or(text).chars().peekable();
    let mut line = 1;
    while chars.peek().is_some() {
        let begun = line;
        let name = take_while(&mut chars, |c| !matches!(c, '=' | '#' | '\n'));
        match chars.next().unwrap_or('\n') {
            '=' => {
                let name = name.trim();
                let name = name.strip_prefix("export ").unwrap_or(name).trim_start();
                if name.is_empty() || name.contains(char::is_whitespace) {
                    return Err(begun);
                }
                let value = value(&mut chars, &mut line).ok_or(begun)?;
                variables.push((name.to_owned(), value));
            }
            _ if !name.trim().is_empty() => return Err(begun),
            '#' => {
                take_while(&mut chars, |c| c != '\n');
                chars.next();
            }
            _ => {}
        }
        line += 1;
    }
    Ok(variables)
}

/// What follows the `=`, up to the end of its last line; `None` when a quote is never closed, or something follows it.
fn value(chars: &mut Peekable<Chars<'_>>, line: &mut usize) -> Option<String> {
    take_while(chars, |c| matches!(c, ' ' | '\t'));
    let quote = chars.next_if(|c| matches!(c, '"' | '\''));
    let Some(quote) = quote else {
        let rest = take_while(chars, |c| c != '\n');
        chars.next();
        // A comment begins behind a space: a `#` within a value belongs to it.
        let value = if rest.starts_with('#') { "" } else { rest.split(" #").next().unwrap_or_default() };
        return Some(value.trim().to_owned());
    };
    let mut value = String::new();
    loop {
        match chars.next()? {
            c if c == quote => break,
            '\\' if quote == '"' => match chars.next()? {
                'n' => value.push('\n'),
                'r' => value.push('\r'),
                't' => value.push('\t'),
                escaped @ ('"' | '\\') => value.push(escaped),
                other => value.extend(['\\', other]),
            },
            c => {
                *line += usize::from(c == '\n');
                value.push(c);
            }
        }
    }
    let rest = take_while(chars, |c| c != '\n');
    chars.next();
    let rest = rest.trim();
    (rest.is_empty() || rest.starts_with('#')).then_some(value)
}

fn take_while(chars: &mut Peekable<Chars<'_>>, fits: impl Fn(char) -> bool) -> String {
    std::iter::from_fn(|| chars.next_if(|c| fits(*c))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_variables_comments_or_nothing() {
        let text = "\u{feff}# a comment\n\nA=1\r\n  export B = two words # not this\nC='# $A \\n'\nD=\"x\\n\\\"y\\\" \\$\" # z\n\
                    E=\nF=\"one\ntwo\"\nG=a#b=c\nH=#\nI = last";
        let variables = parse(text).expect("variables");
        let variables: Vec<(&str, &str)> = variables.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(
            variables,
            [
                ("A", "1"),
                ("B", "two words"),
                ("C", "# $A \\n"),
                ("D", "x\n\"y\" \\$"),
                ("E", ""),
                ("F", "one\ntwo"),
                ("G", "a#b=c"),
                ("H", ""),
                ("I", "last"),
            ]
        );
        assert_eq!(parse(""), Ok(Vec::new()));
    }

    #[test]
    fn the_first_line_that_says_nothing_is_named() {
        for (text, line) in [
            ("A=1\nB\n", 2),
            ("A=\"x\ny\"\n=1", 3),
            ("\nA B=1", 2),
            ("A=\"x", 1),
            ("A='x'y", 1),
            ("B # c", 1),
        ] {
            assert_eq!(parse(text), Err(line), "{text}");
        }
    }
}
