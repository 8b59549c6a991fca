//! JSON for people.

/// Lays out JSON over several lines. The text between the brackets stays as it is, numbers digit by digit.
///
/// `text` is known to be valid JSON.
pub(crate) fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut chars = tokens(text).peekable();
    while let Some(token) = chars.next() {
        match token {
            Token::InString(c) => out.push(c),
            Token::Outside(c @ ('{' | '[')) => {
                out.push(c);
                if matches!(chars.peek(), Some(Token::Outside('}' | ']'))) {
                    out.extend(chars.next().map(Token::into_char));
                } else {
                    depth += 1;
                    break_line(&mut out, depth);
                }
            }
            Token::Outside(c @ ('}' | ']')) => {
                depth = depth.saturating_sub(1);
                break_line(&mut out, depth);
                out.push(c);
            }
            Token::Outside(',') => {
                out.push(',');
                break_line(&mut out, depth);
            }
            Token::Outside(':') => out.push_str(": "),
            Token::Outside(c) => out.push(c),
        }
    }
    out
}

fn break_line(out: &mut String, depth: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

/// A character, and whether it belongs to a string.
#[derive(Clone, Copy)]
enum Token {
    InString(char),
    Outside(char),
}

impl Token {
    const fn into_char(self) -> char {
        match self {
            Self::InString(c) | Self::Outside(c) => c,
        }
    }
}

/// Marks the characters of strings and drops white space outside them.
fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let (mut inside, mut escaped) = (false, false);
    text.chars().filter_map(move |c| {
        if inside {
            (inside, escaped) = (escaped || c != '"', !escaped && c == '\\');
            return Some(Token::InString(c));
        }
        inside = c == '"';
        match c {
            '"' => Some(Token::InString(c)),
            c if c.is_ascii_whitespace() => None,
            c => Some(Token::Outside(c)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_changes_but_white_space() {
        let text = r#"{"a":[1, 18446744073709551616,1.50],"b": {} ,"c\"}":"x, {y}: \\","d":[ ],"e":null}"#;
        let laid_out = "{\n  \"a\": [\n    1,\n    18446744073709551616,\n    1.50\n  ],\n  \"b\": {},\n  \
                        \"c\\\"}\": \"x, {y}: \\\\\",\n  \"d\": [],\n  \"e\": null\n}";
        assert_eq!(pretty(text), laid_out);
        assert_eq!(pretty(laid_out), laid_out);
        assert_eq!(pretty("7"), "7");
    }
}
