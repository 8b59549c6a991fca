//! A line of bash, as words and back.

/// The words of a line up to the cursor, without quotes; the last one is the one at the cursor.
pub(super) fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    let mut chars = line.chars();
    let mut between = true;
    while let Some(c) = chars.next() {
        if quote.is_none() && c.is_whitespace() {
            if !between {
                words.push(String::new());
            }
            between = true;
            continue;
        }
        between = false;
        let literal = match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                None
            }
            (Some(open), c) if c == open => {
                quote = None;
                None
            }
            (None | Some('"'), '\\') => chars.next(),
            (_, c) => Some(c),
        };
        if let (Some(word), Some(c)) = (words.last_mut(), literal) {
            word.push(c);
        }
    }
    words
}

/// What bash puts in place of the part of the word that it knows: everything behind the last character that breaks
/// words for it, with what means something to a shell escaped.
pub(super) fn replacement(candidate: &str, typed: &str, breaks: &str) -> String {
    let kept = typed.rfind(|c: char| breaks.contains(c)).map_or(0, |at| at + 1);
    // Most candidates begin with what is typed; one that does not replaces as much as bash will have it replace.
    let rest = match candidate.get(..kept) {
        Some(before) if typed.starts_with(before) => candidate.get(kept..).unwrap_or_default(),
        _ => candidate,
    };
    let mut escaped = String::with_capacity(rest.len());
    for c in rest.chars() {
        if c.is_ascii() && !c.is_ascii_alphanumeric() && !"-_./:=@,+%".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_backslashes_hold_a_word_together() {
        assert_eq!(words("hermes call demo "), ["hermes", "call", "demo", ""]);
        assert_eq!(words("hermes  ca"), ["hermes", "ca"]);
        assert_eq!(words(r#"h 'a b'c "d \" e" f\ g"#), ["h", "a bc", "d \" e", "f g"]);
        assert_eq!(words("h 'open quo"), ["h", "open quo"]);
        assert_eq!(words(""), [""]);
    }

    #[test]
    fn bash_replaces_what_is_behind_the_last_break() {
        let breaks = " \t\n\"'@><=;|&(:";
        assert_eq!(replacement("language=rust", "language=ru", breaks), "rust");
        assert_eq!(replacement("demo://a b", "demo:", breaks), r"//a\ b");
        assert_eq!(replacement("add", "a", breaks), "add");
        assert_eq!(replacement("text=", "", breaks), "text=");
        assert_eq!(replacement("demo://users/{name}", "demo", breaks), r"demo://users/\{name\}");
    }
}
