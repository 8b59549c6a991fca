//! The words of a typed line.
//!
//! Words are divided by white space. `'…'` keeps everything as it is, in `"…"` and outside of quotes a backslash takes
//! the next character as it is. JSON needs no quotes where a word or a value begins with it: `{"a": 1}` and
//! `list:=[1, 2]` are one word each. A backslash at the end of a line joins it with the next one.

use std::iter::Peekable;
use std::ops::Range;
use std::str::CharIndices;

/// One word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// What is meant, without the quotes.
    pub(crate) text: String,
    /// Where it stands in the line, in bytes.
    pub(crate) span: Range<usize>,
}

/// What a line ends in the middle of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// A quote of this kind.
    Quote(char),
    /// JSON.
    Json,
    /// A backslash with nothing behind it.
    Backslash,
}

/// A line, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    pub(crate) words: Vec<Word>,
    /// What the last word lacks.
    pub(crate) open: Option<Open>,
}

impl Words {
    /// Takes a line apart, as far as it goes.
    pub(crate) fn of(line: &str) -> Self {
        let mut scanner = Scanner { chars: line.char_indices().peekable(), open: None, end: line.len() };
        let mut words = Vec::new();
        while let Some(word) = scanner.word() {
            words.push(word);
        }
        Self { words, open: scanner.open }
    }

    /// The words of a line that is complete.
    ///
    /// # Errors
    /// What is missing at its end.
    pub(crate) fn complete(line: &str) -> Result<Vec<String>, String> {
        let Self { words, open } = Self::of(line);
        match open {
            None => Ok(words.into_iter().map(|word| word.text).collect()),
            Some(Open::Quote(quote)) => Err(format!("the quote {quote} is not closed")),
            Some(Open::Json) => {
                Err("the JSON is not complete: a bracket or a quote is not closed".to_owned())
            }
            Some(Open::Backslash) => Err("a backslash stands at the end, with nothing behind it".to_owned()),
        }
    }
}

/// The commands of a text of several lines. One ends with its line, unless a quote, JSON or a backslash goes on.
pub(super) fn commands(text: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut begins = 0;
    for (end, _) in text.match_indices('\n').chain([(text.len(), "")]) {
        let command = text.get(begins..end).unwrap_or_default();
        if is_comment(command) || Words::of(command).open.is_none() || end == text.len() {
            commands.push(command.trim_end_matches('\r'));
            begins = end + 1;
        }
    }
    commands.retain(|command| !command.trim().is_empty());
    commands
}

/// Whether the last command of a text goes on in the next line.
pub(super) fn goes_on(text: &str) -> bool {
    commands(text).last().is_some_and(|last| !is_comment(last) && Words::of(last).open.is_some())
}

/// Whether nothing in this line is meant.
pub(super) fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Writes a word so that it is read as one word again.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\' | '{' | '[');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.contains('\'') {
        return format!("'{word}'");
    }
    let escaped: String =
        word.chars().flat_map(|c| matches!(c, '"' | '\\').then_some('\\').into_iter().chain([c])).collect();
    format!("\"{escaped}\"")
}

struct Scanner<'a> {
    chars: Peekable<CharIndices<'a>>,
    open: Option<Open>,
    end: usize,
}

impl Scanner<'_> {
    fn word(&mut self) -> Option<Word> {
        while self.chars.next_if(|(_, c)| c.is_whitespace()).is_some() || self.joins_lines() {}
        let (start, _) = *self.chars.peek()?;
        let mut text = String::new();
        while let Some((at, c)) = self.chars.next_if(|(_, c)| !c.is_whitespace()) {
            let begins_value = text.is_empty() && at == start || text.ends_with(":=");
            match c {
                '{' | '[' if begins_value => self.json(c, &mut text),
                '"' if text.ends_with(":=") => self.json(c, &mut text),
                '\'' | '"' => self.quote(c, &mut text),
                '\\' => self.escaped(&mut text),
                _ => text.push(c),
            }
        }
        let end = self.chars.peek().map_or(self.end, |(at, _)| *at);
        Some(Word { text, span: start..end })
    }

    /// Whether a backslash stands here, and behind it an end of a line. Both are passed over then.
    fn joins_lines(&mut self) -> bool {
        let mut ahead = self.chars.clone().map(|(_, c)| c);
        let joins = ahead.next() == Some('\\') && ahead.next() == Some('\n');
        joins && self.chars.nth(1).is_some()
    }

    fn escaped(&mut self, text: &mut String) {
        match self.chars.next() {
            Some((_, '\n')) => {}
            Some((_, c)) => text.push(c),
            None => self.open = Some(Open::Backslash),
        }
    }

    fn quote(&mut self, quote: char, text: &mut String) {
        loop {
            match self.chars.next() {
                Some((_, c)) if c == quote => return,
                Some((_, '\\')) if quote == '"' => self.escaped(text),
                Some((_, c)) => text.push(c),
                None => {
                    self.open.get_or_insert(Open::Quote(quote));
                    return;
                }
            }
        }
    }

    /// Takes JSON as it is written, up to the bracket or quote that closes the first one.
    fn json(&mut self, first: char, text: &mut String) {
        text.push(first);
        let mut depth = usize::from(first != '"');
        let mut inside = first == '"';
        while depth > 0 || inside {
            let Some((_, c)) = self.chars.next() else {
                self.open = Some(Open::Json);
                return;
            };
            text.push(c);
            match c {
                '\\' if inside => text.extend(self.chars.next().map(|(_, c)| c)),
                '"' => inside = !inside,
                '{' | '[' if !inside => depth += 1,
                '}' | ']' if !inside => depth -= 1,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        Words::complete(line).expect(line)
    }

    #[test]
    fn words_are_divided_by_white_space_and_kept_together_by_quotes() {
        assert_eq!(words(""), [""; 0]);
        assert_eq!(words("  ping  "), ["ping"]);
        assert_eq!(words("call echo text='a  b'"), ["call", "echo", "text=a  b"]);
        assert_eq!(words(r#"call echo text="it's \"so\" \\""#), ["call", "echo", r#"text=it's "so" \"#]);
        assert_eq!(words(r"echo a\ b ''"), ["echo", "a b", ""]);
        assert_eq!(words("天気 都市='東 京'"), ["天気", "都市=東 京"]);
    }

    #[test]
    fn json_needs_no_quotes_where_a_word_or_a_value_begins() {
        assert_eq!(words(r#"call add {"a": 1, "b": "}"}"#), ["call", "add", r#"{"a": 1, "b": "}"}"#]);
        assert_eq!(words(r#"call x list:=[1, [2, 3]] n:=4"#), ["call", "x", "list:=[1, [2, 3]]", "n:=4"]);
        assert_eq!(words(r#"call x s:="a \" b" t=1"#), ["call", "x", r#"s:="a \" b""#, "t=1"]);
        assert_eq!(words(r#"call x '{"a": 1}'"#), ["call", "x", r#"{"a": 1}"#]);
        assert_eq!(words("read demo://users/{name}"), ["read", "demo://users/{name}"]);
    }

    #[test]
    fn what_is_missing_at_the_end_is_said() {
        for (line, why) in [
            ("echo 'a b", "the quote ' is not closed"),
            ("echo \"a\\", "a backslash stands at the end, with nothing behind it"),
            ("call add {\"a\": [1}", "the JSON is not complete: a bracket or a quote is not closed"),
            ("echo a\\", "a backslash stands at the end, with nothing behind it"),
        ] {
            assert_eq!(Words::complete(line).expect_err(line), why);
        }
    }

    #[test]
    fn a_backslash_at_the_end_joins_two_lines() {
        assert_eq!(words("call add \\\n  a=2 \\\n  b=3"), ["call", "add", "a=2", "b=3"]);
        assert_eq!(words("call ec\\\nho text=\"a\\\nb\""), ["call", "echo", "text=ab"]);
        assert_eq!(words("\\\nping"), ["ping"]);
    }

    #[test]
    fn a_text_has_a_command_in_each_line_that_is_complete() {
        let text = "ping\r\n\n# it's {\ncall add {\n \"a\": 1\n}\ncall echo text='a\nb' \\\n --json\nlt";
        let found = commands(text);
        let expected =
            ["ping", "# it's {", "call add {\n \"a\": 1\n}", "call echo text='a\nb' \\\n --json", "lt"];
        assert_eq!(found, expected);
        assert_eq!(
            commands("ping\necho 'x\ny"),
            ["ping", "echo 'x\ny"],
            "what is not complete is the last one"
        );
        assert_eq!(commands(" \n"), [""; 0]);
    }

    #[test]
    fn a_text_goes_on_after_what_is_open_at_its_end() {
        for text in ["call add {", "call echo text='a", "ping \\", "ping\ncall add {\n\"a\": 1,"] {
            assert!(goes_on(text), "{text:?}");
        }
        for text in ["", "ping", "# it's {", "call add {\n\"a\": 1}", "call add {\n}\nping"] {
            assert!(!goes_on(text), "{text:?}");
        }
    }

    #[test]
    fn each_word_knows_its_place() {
        let line = "call  echo text='a b'";
        let spans: Vec<&str> = Words::of(line).words.iter().map(|word| &line[word.span.clone()]).collect();
        assert_eq!(spans, ["call", "echo", "text='a b'"]);
    }

    #[test]
    fn a_word_that_is_quoted_is_read_as_it_was() {
        for word in
            ["plain", "", "two words", "it's", "it's \"so\" \\ here", "{name}", "a=b", "天 気", "back\\slash"]
        {
            assert_eq!(words(&quoted(word)), [word], "{word:?}");
        }
        assert_eq!(quoted("demo://greeting"), "demo://greeting");
    }

    #[test]
    fn brackets_that_close_nothing_end_the_json() {
        // Three brackets open, the kinds do not matter here: the parser of JSON says what is wrong.
        assert_eq!(words("x {]}"), ["x", "{]}"]);
    }
}
