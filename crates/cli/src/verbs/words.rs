//! The words after the target, taken one by one.

use crate::arguments::{Object, Sources, Word};
use crate::exit::{Failure, Result};
use crate::target::Target;

/// The words that a verb has to make sense of.
#[derive(Debug)]
pub(crate) struct Words {
    verb: &'static str,
    target: Target,
    words: std::vec::IntoIter<String>,
}

impl Words {
    pub(crate) fn new(verb: &'static str, target: Target, words: Vec<String>) -> Self {
        Self { verb, target, words: words.into_iter() }
    }

    /// The next word, which has to be there.
    ///
    /// # Errors
    /// It is missing; the hint says how to find out what there is.
    pub(crate) fn next(&mut self, what: &str) -> Result<String> {
        self.words.next().filter(|word| !word.is_empty()).ok_or_else(|| {
            let (before, after) = self.target.spelling();
            Failure::usage(format!("hermes {} wants {what}", self.verb))
                .with_hint(format!("hermes list{before}{after} shows what there is"))
        })
    }

    /// All words that are left, as arguments; files that they name are read. On top of `base`, which `--args` named, come
    /// the objects of `@FILE` and `-`, then the single arguments.
    ///
    /// # Errors
    /// One is no argument, or a file cannot be read.
    pub(crate) fn arguments(self, base: Option<&str>) -> Result<(Object, Vec<Word>)> {
        let about_target = match self.target {
            Target::Command { .. } => "no target is named before the arguments when a command follows --",
            Target::Demo | Target::Http { .. } | Target::Socket(_) | Target::Named(_) => {
                "the words are: the target, what is asked of it, its arguments"
            }
        };
        let mut sources = Sources::default();
        let mut object = base.map(|spec| sources.object(spec)).transpose()?.unwrap_or_default();
        let mut words = Vec::new();
        for word in self.words {
            if word == "-" || (word.starts_with('@') && !word.contains('=')) {
                object.extend(sources.object(&word)?);
            } else {
                let read = Word::read(&word, &mut sources);
                words.push(read.map_err(|failure| failure.or_hint(about_target))?);
            }
        }
        Ok((object, words))
    }

    /// All words that are left, as they are.
    ///
    /// # Errors
    /// One of them is empty.
    pub(crate) fn rest(self) -> Result<Vec<String>> {
        let verb = self.verb;
        let words: Vec<String> = self.words.collect();
        match words.iter().any(String::is_empty) {
            true => Err(Failure::usage(format!("hermes {verb} does not know what to do with \"\""))),
            false => Ok(words),
        }
    }

    /// There is nothing left.
    ///
    /// # Errors
    /// There is.
    pub(crate) fn end(mut self) -> Result<()> {
        match self.words.next() {
            Some(word) => {
                Err(Failure::usage(format!("hermes {} does not know what to do with \"{word}\"", self.verb)))
            }
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Words {
        Words::new("call", Target::Demo, words.iter().map(|&word| word.to_owned()).collect())
    }

    #[test]
    fn words_are_taken_in_order() -> Result<()> {
        let mut all = words(&["echo", "text=hi"]);
        assert_eq!(all.next("the name of a tool")?, "echo");
        let names: Vec<String> = all.arguments(None)?.1.into_iter().map(|word| word.name).collect();
        assert_eq!(names, ["text"]);
        words(&[]).end()
    }

    #[test]
    fn a_missing_word_says_where_to_look_and_a_stray_one_is_named() {
        let failure = words(&[]).next("the name of a tool").expect_err("none is there");
        assert_eq!(failure.to_string(), "hermes call wants the name of a tool");
        assert_eq!(failure.hint(), Some("hermes list demo shows what there is"));
        let failure = words(&["x"]).end().expect_err("one is there");
        assert_eq!(failure.to_string(), "hermes call does not know what to do with \"x\"");
        let failure = words(&["x"]).arguments(None).expect_err("no argument");
        assert_eq!(failure.hint(), Some("the words are: the target, what is asked of it, its arguments"));
    }
}
