//! Questions that are answered at the keyboard.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use hermes::types::{CompletionReference, PromptReference};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::catalogue::Catalogue;
use super::keyboard::{Keyboard, Offers, Purpose, Typed};
use crate::arguments::{Object, plain};
use crate::console::Console;
use crate::questions::{Answer, Terminal};

/// Where somebody sits who answers.
#[derive(Clone, Debug)]
pub(crate) struct Seat {
    pub(crate) keyboard: Keyboard,
    pub(crate) console: Console,
    /// Told when an answer is interrupted: what it is for is not wanted any more.
    pub(crate) interrupt: Arc<Notify>,
    /// What is filled in, if a server can say what goes there.
    pub(crate) filling: Option<Filling>,
}

/// A prompt that is being filled in.
#[derive(Clone, Debug)]
pub(crate) struct Filling {
    prompt: String,
    /// What was there before anybody was asked.
    given: BTreeMap<String, String>,
    catalogue: Catalogue,
    runtime: Handle,
}

impl Filling {
    /// To be made where the runtime is.
    pub(crate) fn new(prompt: String, given: &Object, catalogue: Catalogue) -> Self {
        Self { prompt, given: texts(given).collect(), catalogue, runtime: Handle::current() }
    }

    /// What the server says that this argument may be.
    fn offers(&self, name: &str, answered: &Object) -> Offers {
        let (this, name) = (self.clone(), name.to_owned());
        let mut others = this.given.clone();
        others.extend(texts(answered));
        Offers::new(move |typed| {
            let of = CompletionReference::Prompt(PromptReference::new(&this.prompt));
            this.runtime.block_on(this.catalogue.values(of, &name, typed, others.clone()))
        })
    }
}

fn texts(object: &Object) -> impl Iterator<Item = (String, String)> {
    object.members().map(|(name, value)| (name.to_owned(), plain(value.get())))
}

impl Terminal for Seat {
    fn say(&mut self, line: &str) -> io::Result<()> {
        self.console.say(line);
        Ok(())
    }

    fn ask(&mut self, prompt: &str, answer: Answer<'_>) -> io::Result<Option<String>> {
        if self.keyboard.is_busy() {
            self.console.say("Press Enter to answer; what you have typed is carried out first.");
        }
        let offers = match (answer, &self.filling) {
            (Answer::Field(name, answered), Some(filling)) => filling.offers(name, answered),
            (Answer::OneOf(choices), _) => {
                let choices = choices.to_vec();
                Offers::new(move |_| choices.clone())
            }
            (Answer::Field(..) | Answer::Free, _) => Offers::new(|_| Vec::new()),
        };
        Ok(match self.keyboard.blocking_line(prompt.to_owned(), Purpose::Answer(offers))? {
            Typed::Line(line) => Some(line),
            Typed::Interrupted => {
                self.interrupt.notify_waiters();
                None
            }
            Typed::Recalled(_) | Typed::End => None,
        })
    }
}
