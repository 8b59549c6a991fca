//! The tokens of a JSON text that is known to be valid, without a copy and without a stack.
//!
//! For work on the text itself, where reading into numbers would lose digits.

/// One token, as it is spelt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// `]`.
    ArrayEnd,
    /// `[`.
    ArrayStart,
    /// `,` or `:`.
    Between,
    /// `}`.
    ObjectEnd,
    /// `{`.
    ObjectStart,
    /// A number, `true`, `false` or `null`.
    Scalar(&'a str),
    /// A string with its quotes.
    String(&'a str),
}

/// Goes through a text token by token, blanks left out. What is no JSON gives some tokens, and an end.
#[derive(Clone, Debug)]
pub(crate) struct Tokens<'a> {
    rest: &'a str,
    length: usize,
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(json: &'a str) -> Self {
        Self { rest: json, length: json.len() }
    }

    /// Where the last token ended, in bytes.
    pub(crate) fn position(&self) -> usize {
        self.length - self.rest.len()
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (token, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        token
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_ascii_start();
        Some(match self.rest.as_bytes().first()? {
            b'"' => Token::String(self.take(string_length(self.rest))),
            b'{' => self.one(Token::ObjectStart),
            b'}' => self.one(Token::ObjectEnd),
            b'[' => self.one(Token::ArrayStart),
            b']' => self.one(Token::ArrayEnd),
            b',' | b':' => self.one(Token::Between),
            _ => {
                let ends = |c: char| matches!(c, ',' | ':' | ']' | '}') || c.is_ascii_whitespace();
                Token::Scalar(self.take(self.rest.find(ends).unwrap_or(self.rest.len())))
            }
        })
    }
}

impl<'a> Tokens<'a> {
    fn one(&mut self, token: Token<'a>) -> Token<'a> {
        self.take(1);
        token
    }
}

/// How long the string literal at the start of the text is, quotes included.
fn string_length(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_comes_as_it_is_spelt() {
        use Token::{ArrayEnd, ArrayStart, Between, ObjectEnd, ObjectStart, Scalar, String};
        let text = "{ \"a\\\"}\" :\n[-1.50e+2,null , \"é\"] }";
        let expected = [
            ObjectStart,
            String("\"a\\\"}\""),
            Between,
            ArrayStart,
            Scalar("-1.50e+2"),
            Between,
            Scalar("null"),
            Between,
            String("\"é\""),
            ArrayEnd,
            ObjectEnd,
        ];
        assert_eq!(Tokens::new(text).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_no_json_comes_to_an_end() {
        for broken in ["", "\"", "\"\\", "é", "{]", "1 2", "\u{a0}x"] {
            assert!(Tokens::new(broken).count() <= broken.len(), "{broken:?}");
        }
    }
}
