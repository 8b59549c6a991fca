//! `hermes prompt`: the messages of a prompt.

use std::collections::BTreeMap;

use hermes::Listing;
use hermes::types::Prompt;

use super::words::Words;
use crate::args;
use crate::arguments::{Object, Word, plain};
use crate::exit::{Exit, Failure, Result};
use crate::hint;
use crate::output::{print, print_raw};
use crate::render::{Screen, prompt_result};
use crate::save::{Piece, Save};
use crate::session::Session;

pub(crate) struct Fill {
    name: String,
    arguments: BTreeMap<String, String>,
    save: Option<Save>,
}

impl Fill {
    pub(crate) fn parse(mut words: Words, prompt: &args::Prompt, json: bool) -> Result<Self> {
        let name = words.next("the name of a prompt")?;
        let (base, words) = words.arguments(prompt.base.args.as_deref())?;
        Ok(Self { name, arguments: texts(&base, words)?, save: Save::parse(&prompt.output, json)? })
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let prompts = session.run(client.list_all_prompts()).await?;
        check(find(&prompts, &self.name)?, &self.arguments)?;
        let operation = session.watched(client.prompt(self.name, &self.arguments));
        let result = session.run(operation).await?;
        if session.json {
            print_raw(&result.raw)?;
        }
        let Some(save) = self.save else {
            if !session.json {
                print(&prompt_result(Screen::stdout(), &result))?;
            }
            return Ok(Exit::Ok);
        };
        let blocks = result.messages.iter().map(|message| Piece::of_block(&message.content));
        let mut pieces: Vec<Piece> = blocks.filter_map(Result::transpose).collect::<Result<_>>()?;
        if pieces.is_empty() {
            pieces.push(Piece::text(prompt_result(Screen::saved(), &result)));
        } else if !session.json && !save.is_stdout() {
            print(&prompt_result(Screen::stdout(), &result))?;
        }
        save.write(&pieces, session.console())?;
        Ok(Exit::Ok)
    }
}

/// The arguments of a prompt are texts: JSON that is no text is sent as it is written.
pub(super) fn texts(base: &Object, words: Vec<Word>) -> Result<BTreeMap<String, String>> {
    let mut arguments: BTreeMap<String, String> =
        base.members().map(|(name, value)| (name.to_owned(), plain(value.get()))).collect();
    let mut seen: Vec<String> = Vec::new();
    for word in words {
        if seen.contains(&word.name) {
            return Err(Failure::usage(format!("the argument \"{}\" is given twice", word.name)));
        }
        seen.push(word.name.clone());
        let text = word.given.text()?;
        arguments.insert(word.name, text);
    }
    Ok(arguments)
}

/// Finds a prompt.
pub(super) fn find<'a>(prompts: &'a Listing<Prompt>, name: &str) -> Result<&'a Prompt> {
    let names = prompts.values().map(|prompt| prompt.name.as_str());
    prompts.values().find(|prompt| prompt.name == name).ok_or_else(|| {
        Failure::usage(format!("the server has no prompt \"{name}\"")).with_hint(hint::offer(name, names))
    })
}

/// Refuses names that the prompt does not have, and asks for those that it needs.
fn check(prompt: &Prompt, arguments: &BTreeMap<String, String>) -> Result<()> {
    for name in arguments.keys() {
        has_argument(prompt, name)?;
    }
    let required = prompt.arguments.iter().flatten().filter(|argument| argument.required == Some(true));
    match required.into_iter().find(|argument| !arguments.contains_key(&argument.name)) {
        Some(missing) => {
            let message = format!("the prompt \"{}\" needs the argument {}", prompt.name, missing.name);
            let takes = prompt.arguments.iter().flatten().map(|argument| match argument.required {
                Some(true) => argument.name.clone(),
                _ => format!("[{}]", argument.name),
            });
            let takes = takes.collect::<Vec<_>>().join(", ");
            Err(Failure::usage(message).with_hint(format!("it takes: {takes}")))
        }
        None => Ok(()),
    }
}

/// Refuses a name that the prompt does not have. A prompt that declares no arguments may take any.
pub(super) fn has_argument(prompt: &Prompt, name: &str) -> Result<()> {
    let Some(declared) = &prompt.arguments else { return Ok(()) };
    if declared.iter().any(|argument| argument.name == name) {
        return Ok(());
    }
    let names = declared.iter().map(|argument| argument.name.as_str());
    Err(Failure::usage(format!("the prompt \"{}\" has no argument \"{name}\"", prompt.name))
        .with_hint(hint::offer(name, names)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_texts_and_json_that_is_no_text_is_sent_as_it_is_written() -> Result<()> {
        let base: Object = serde_json::from_str(r#"{"a":"x","n":1.50,"b":"old"}"#).expect("an object");
        let words = ["b=new", "c:=\"q\"", "d:=[1, 2]"].map(|word| word.parse().expect(word));
        let arguments = texts(&base, words.to_vec())?;
        let pairs: Vec<(&str, &str)> =
            arguments.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
        assert_eq!(pairs, [("a", "x"), ("b", "new"), ("c", "q"), ("d", "[1, 2]"), ("n", "1.50")]);
        Ok(())
    }

    #[test]
    fn names_are_checked_before_sending() {
        let prompt: Prompt = serde_json::from_str(
            r#"{"name":"review","arguments":[{"name":"code","required":true},{"name":"language"}]}"#,
        )
        .expect("a prompt");
        let refused = |pairs: &[(&str, &str)]| {
            let arguments =
                pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
            check(&prompt, &arguments)
                .err()
                .map(|failure| (failure.to_string(), failure.hint().map(str::to_owned)))
        };
        assert_eq!(refused(&[("code", "x")]).map(|refusal| refusal.0), None);
        assert_eq!(
            refused(&[("language", "rust")]),
            Some((
                "the prompt \"review\" needs the argument code".into(),
                Some("it takes: code, [language]".into())
            ))
        );
        assert_eq!(
            refused(&[("code", "x"), ("langauge", "rust")]),
            Some((
                "the prompt \"review\" has no argument \"langauge\"".into(),
                Some("did you mean \"language\"?".into())
            ))
        );
    }
}
