//! What stands at the cursor: which word is being typed, and what it may be.

use std::collections::BTreeMap;

use super::command::OPTIONS;
use super::names::{Entry, Verb};
use super::words::{Word, Words};

/// A word that is being typed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) wanted: Wanted,
    /// What is there of it, without quotes.
    pub(crate) typed: String,
    /// Where it begins, in bytes.
    pub(crate) start: usize,
}

/// What the word may be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Command,
    /// One of these.
    Word(&'static [&'static str]),
    Level,
    Target,
    /// A file, after this mark.
    File(&'static str),
    Tool,
    Prompt,
    /// The URI of a resource, or one that a template makes.
    Uri,
    /// A resource that is subscribed to.
    Subscribed,
    /// A root that there is.
    Root,
    /// A prompt or a template.
    Completable,
    /// An argument that is not among these.
    Argument {
        of: Owner,
        given: Vec<String>,
    },
    /// The value of an argument, beside the ones that are there. `mark` is what divides it from its name.
    Value {
        of: Owner,
        name: String,
        mark: &'static str,
        typed: String,
        others: BTreeMap<String, String>,
    },
    Nothing,
}

/// What takes arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Tool(String),
    Prompt(String),
    /// A prompt or a template.
    Completable(String),
}

impl Place {
    /// Looks at the line up to the cursor.
    pub(crate) fn of(line: &str) -> Self {
        let Words { mut words, open } = Words::of(line);
        let is_done = open.is_none() && line.chars().next_back().is_none_or(char::is_whitespace);
        let last = if is_done { None } else { words.pop() };
        let (typed, start) = last.map_or((String::new(), line.len()), |word| (word.text, word.span.start));
        let wanted = wanted(&words, &typed);
        Self { wanted, typed, start }
    }
}

fn wanted(before: &[Word], typed: &str) -> Wanted {
    let Some((command, rest)) = before.split_first() else { return Wanted::Command };
    let Some(entry) = Entry::find(&command.text) else { return Wanted::Nothing };
    if rest.iter().any(|word| word.text == "--") {
        return Wanted::File("");
    }
    if rest.last().is_some_and(|word| word.text == "--timeout") {
        return Wanted::Nothing;
    }
    if typed.starts_with('-') {
        return Wanted::Word(&OPTIONS);
    }
    let words: Vec<&str> = words_of_command(rest);
    match (entry.verb, words.as_slice()) {
        (Verb::Help, []) => Wanted::Command,
        (Verb::Call, []) => Wanted::Tool,
        (Verb::Call, [tool, given @ ..]) => argument(Owner::Tool((*tool).to_owned()), given, typed),
        (Verb::Prompt, []) => Wanted::Prompt,
        (Verb::Prompt, [prompt, given @ ..]) => argument(Owner::Prompt((*prompt).to_owned()), given, typed),
        (Verb::Complete, []) => Wanted::Completable,
        (Verb::Complete, [of, given @ ..]) => argument(Owner::Completable((*of).to_owned()), given, typed),
        (Verb::Read | Verb::Subscribe, []) => Wanted::Uri,
        (Verb::Unsubscribe, []) => Wanted::Subscribed,
        (Verb::Level, []) => Wanted::Level,
        (Verb::State, []) => Wanted::Word(&["verbose"]),
        (Verb::Trace, []) => Wanted::Word(&["on", "off"]),
        (Verb::Roots, []) => Wanted::Word(&["add", "remove"]),
        (Verb::Roots, ["add"]) => Wanted::File(""),
        (Verb::Roots, ["remove"]) => Wanted::Root,
        (Verb::Connect, []) => Wanted::Target,
        _ => Wanted::Nothing,
    }
}

/// The words without options and their values.
fn words_of_command(words: &[Word]) -> Vec<&str> {
    let mut kept = Vec::new();
    let mut words = words.iter().map(|word| word.text.as_str());
    while let Some(word) = words.next() {
        match word {
            "--timeout" => drop(words.next()),
            word if word.starts_with("--") => {}
            word => kept.push(word),
        }
    }
    kept
}

fn argument(of: Owner, given: &[&str], typed: &str) -> Wanted {
    let pair =
        |word: &str| word.split_once('=').map(|(name, value)| (bare(name).to_owned(), value.to_owned()));
    let others: BTreeMap<String, String> = given.iter().filter_map(|word| pair(word)).collect();
    let Some((name, value)) = typed.split_once('=') else {
        if typed.starts_with('@') {
            return Wanted::File("@");
        }
        return match typed.starts_with(['{', '[']) {
            true => Wanted::Nothing,
            false => Wanted::Argument { of, given: others.into_keys().collect() },
        };
    };
    if value.starts_with('@') {
        return Wanted::File("@");
    }
    let mark = if name.ends_with(':') { ":=" } else { "=" };
    Wanted::Value { of, name: bare(name).to_owned(), mark, typed: value.to_owned(), others }
}

fn bare(name: &str) -> &str {
    name.strip_suffix(':').unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> Wanted {
        Place::of(line).wanted
    }

    fn echo() -> Owner {
        Owner::Tool("echo".to_owned())
    }

    #[test]
    fn the_first_word_is_a_command_and_what_follows_is_what_it_takes() {
        for line in ["", "  ", "cal", "help ", "help ca"] {
            assert_eq!(at(line), Wanted::Command, "{line:?}");
        }
        assert_eq!(at("call "), Wanted::Tool);
        assert_eq!(at("c e"), Wanted::Tool);
        assert_eq!(at("p "), Wanted::Prompt);
        assert_eq!(at("read demo://"), Wanted::Uri);
        assert_eq!(at("unsub "), Wanted::Subscribed);
        assert_eq!(at("level w"), Wanted::Level);
        assert_eq!(at("trace o"), Wanted::Word(&["on", "off"]));
        assert_eq!(at("roots remove "), Wanted::Root);
        for line in ["ping x", "nothing x", "trace on ", "ping --timeout ", "call x {\"a\": "] {
            assert_eq!(at(line), Wanted::Nothing, "{line:?}");
        }
    }

    #[test]
    fn a_place_knows_where_its_word_begins_and_what_is_there() {
        let place = Place::of("call 'ech");
        assert_eq!((place.typed.as_str(), place.start), ("ech", 5));
        let place = Place::of("call echo ");
        assert_eq!((place.typed.as_str(), place.start), ("", 10));
        let place = Place::of("call echo text=\"a b");
        assert_eq!((place.typed.as_str(), place.start), ("text=a b", 10));
    }

    #[test]
    fn arguments_are_names_first_and_values_then() {
        assert_eq!(at("call echo "), Wanted::Argument { of: echo(), given: vec![] });
        assert_eq!(
            at("call echo --json a=1 b:=2 t"),
            Wanted::Argument { of: echo(), given: vec!["a".into(), "b".into()] }
        );
        let others = BTreeMap::from([("a".to_owned(), "1".to_owned())]);
        let (name, typed) = ("b".to_owned(), "x y".to_owned());
        assert_eq!(at("call echo a=1 b='x y"), Wanted::Value { of: echo(), name, mark: "=", typed, others });
        assert_eq!(at("call echo text=@no"), Wanted::File("@"));
        assert_eq!(at("call echo @"), Wanted::File("@"));
        assert_eq!(at("call echo --t"), Wanted::Word(&OPTIONS));
        assert_eq!(at("connect -- np"), Wanted::File(""));
    }
}
