//! Answers the questions of a server: on the terminal, from the command line, or not at all.

use std::fmt;
use std::io::{self, BufReader, IsTerminal as _};
use std::sync::Arc;

use tokio::sync::Mutex;
use tokio::task::spawn_blocking;

use super::answers::Answers;
use super::dialogue::{Dialogue, Reply};
use super::form::Form;
use super::terminal::{Plain, Terminal};
use crate::arguments::Object;
use crate::console::Console;
use crate::render::style;
use hermes::types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestFormParams, ElicitRequestUrlParams,
    ElicitResult, RawJson, Revision, SamplingMessageContentBlock, StopReason, TextContent, Wire,
};

/// The name of the model in replies that a person or the command line gives.
const MODEL: &str = "hermes-cli";

/// Whoever answers.
#[derive(Clone, Debug)]
pub(crate) struct Host(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    console: Console,
    answers: Answers,
    /// Who asks.
    server: String,
    /// Where a person is asked, if there is one.
    desk: Option<Desk>,
    /// One question at a time.
    turn: Mutex<()>,
}

/// Makes the terminal on which one question is put.
struct Desk(Box<dyn Fn() -> Box<dyn Terminal> + Send + Sync>);

impl fmt::Debug for Desk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desk").finish_non_exhaustive()
    }
}

impl Host {
    /// Answers a server, which is named in its questions as the user knows it and not as it calls itself.
    pub(crate) fn new(console: Console, answers: Answers, server: String) -> Self {
        let screen = console.screen();
        if io::stdin().is_terminal() && screen.is_terminal() {
            let desk = move || Plain::new(BufReader::new(io::stdin()), io::stderr(), screen);
            return Self::at(console, answers, server, move || Box::new(desk()));
        }
        Self::without_desk(console, answers, server)
    }

    /// Answers a server; what the answers do not say is asked of a person, on a terminal that is made for each question.
    pub(crate) fn at(
        console: Console,
        answers: Answers,
        server: String,
        desk: impl Fn() -> Box<dyn Terminal> + Send + Sync + 'static,
    ) -> Self {
        let desk = Some(Desk(Box::new(desk)));
        Self(Arc::new(Inner { console, answers, server, desk, turn: Mutex::new(()) }))
    }

    fn without_desk(console: Console, answers: Answers, server: String) -> Self {
        Self(Arc::new(Inner { console, answers, server, desk: None, turn: Mutex::new(()) }))
    }

    /// Whether there is a person to ask.
    pub(crate) fn has_desk(&self) -> bool {
        self.0.desk.is_some()
    }

    /// Whether there is anybody to play the model: a person, or an answer on the command line.
    pub(crate) fn plays_model(&self) -> bool {
        self.0.desk.is_some() || !self.0.answers.is_empty()
    }

    /// Says which answers of the command line nothing was asked for.
    pub(crate) fn mention_unused(&self) {
        for name in self.0.answers.unused() {
            self.0.console.warn(&format!("--answer {name}: the server has not asked for it"));
        }
    }

    /// Answers a form. Without a person and without answers it is declined, and that is said.
    pub(crate) async fn elicit(&self, form: ElicitRequestFormParams) -> ElicitResult {
        let fields = Form::new(&schema(&form));
        match self.0.answers.fill(&fields) {
            Ok(content) => accept(&content),
            Err(_) if self.0.desk.is_some() => self.ask(form.message, fields).await,
            Err(why) => self.decline(&form.message, &why),
        }
    }

    async fn ask(&self, message: String, form: Form) -> ElicitResult {
        match self.dialogue(move |dialogue| dialogue.fill(&message, &form)).await {
            Ok(Reply::Given(content)) => accept(&content),
            Ok(Reply::Declined) => ElicitResult::decline(),
            Ok(Reply::Cancelled) => ElicitResult::cancel(),
            Err(error) => {
                self.0.console.warn(&format!("the terminal failed: {error}"));
                ElicitResult::cancel()
            }
        }
    }

    fn decline(&self, question: &str, why: &str) -> ElicitResult {
        self.say_no("declined", question, why);
        ElicitResult::decline()
    }

    /// Answers the wish that a page be opened. Without a person it is declined, and that is said.
    pub(crate) async fn visit(&self, page: ElicitRequestUrlParams) -> ElicitResult {
        if self.0.desk.is_none() {
            return self.decline(&page.message, "nobody is there to open a page");
        }
        match self.dialogue(move |dialogue| dialogue.visit(&page.message, &page.url)).await {
            Ok(Reply::Given(())) => ElicitResult::consent(),
            Ok(Reply::Declined) => ElicitResult::decline(),
            Ok(Reply::Cancelled) => ElicitResult::cancel(),
            Err(error) => {
                self.0.console.warn(&format!("the terminal failed: {error}"));
                ElicitResult::cancel()
            }
        }
    }

    /// Gives a model's reply; `None` if it is refused, which is said.
    pub(crate) async fn sample(&self, params: CreateMessageRequestParams) -> Option<CreateMessageResult> {
        let conversation = conversation(&params);
        if let Some(reply) = self.0.answers.reply() {
            return Some(said(reply));
        }
        if self.0.desk.is_none() {
            self.say_no("refused", &conversation, "there is no --answer text=REPLY");
            return None;
        }
        match self.dialogue(move |dialogue| dialogue.reply(&conversation)).await {
            Ok(Reply::Given(reply)) => Some(said(reply)),
            Ok(Reply::Declined | Reply::Cancelled) => None,
            Err(error) => {
                self.0.console.warn(&format!("the terminal failed: {error}"));
                None
            }
        }
    }

    /// Talks on the terminal. The thread that reads a line cannot be stopped; the program's end does not wait for it.
    async fn dialogue<T: Send + 'static>(
        &self,
        talk: impl FnOnce(&mut Dialogue<'_>) -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let _turn = self.0.turn.lock().await;
        let _hush = self.0.console.hush();
        let (screen, server) = (self.0.console.screen(), self.0.server.clone());
        let Some(Desk(open)) = &self.0.desk else { return Err(io::ErrorKind::NotConnected.into()) };
        let mut terminal = open();
        let mut question = Question { console: &self.0.console, is_over: false };
        let task = spawn_blocking(move || talk(&mut Dialogue::new(&mut *terminal, screen, &server)));
        let outcome = task.await;
        question.is_over = true;
        outcome.map_err(io::Error::other)?
    }

    fn say_no(&self, what: &str, question: &str, why: &str) {
        self.0.console.note(what, style::WARNING, &format!("{} asks \"{question}\"; {why}", self.0.server));
    }
}

/// A question that somebody is asked. When nobody waits for the answer any more, whoever types it is told.
struct Question<'a> {
    console: &'a Console,
    is_over: bool,
}

impl Drop for Question<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            self.console.whisper("Nobody waits for this answer any more; Enter leaves it.");
        }
    }
}

/// The requested schema as plain JSON.
fn schema(form: &ElicitRequestFormParams) -> serde_json::Value {
    serde_json::to_value(Wire(&form.requested_schema, Revision::LATEST)).unwrap_or_default()
}

fn accept(content: &Object) -> ElicitResult {
    RawJson::encode(content).map_or_else(|_| ElicitResult::cancel(), ElicitResult::accept)
}

fn said(reply: String) -> CreateMessageResult {
    CreateMessageResult::new(MODEL, TextContent::new(reply)).with_stop_reason(StopReason::EndTurn)
}

/// The messages to a model as lines: `user: hello`.
fn conversation(params: &CreateMessageRequestParams) -> String {
    let texts = params.messages.iter().flat_map(|message| {
        message.content.blocks().iter().map(|block| match block {
            SamplingMessageContentBlock::Text(text) => format!("{}: {}", message.role, text.text),
            _ => format!("{}: (not text)", message.role),
        })
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use hermes::types::ElicitAction;

    /// A host without a terminal, whatever the tests run on.
    fn host(answers: &[&str]) -> Host {
        let answers = Answers::new(answers.iter().map(|word| word.parse().expect(word)).collect());
        let (console, server) = (Console::new(false), "the server".to_owned());
        Host::without_desk(console, answers, server)
    }

    fn form() -> ElicitRequestFormParams {
        let params = json!({
            "message": "Who?",
            "requestedSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
                "required": ["name"],
            },
        });
        serde_json::from_value(params).expect("a form")
    }

    fn sampling() -> CreateMessageRequestParams {
        let params = json!({
            "messages": [{"role": "user", "content": {"type": "text", "text": "Hello"}}], "maxTokens": 5,
        });
        serde_json::from_value(params).expect("a request")
    }

    // spec: R369
    #[tokio::test]
    async fn a_form_is_answered_from_the_command_line() {
        let result = host(&["name=Ada", "age=36"]).elicit(form()).await;
        assert_eq!(result.action, ElicitAction::Accept);
        let content: Value = result.content.expect("content").decode().expect("an object");
        assert_eq!(content, json!({"name": "Ada", "age": 36}));
    }

    #[tokio::test]
    async fn a_form_without_answers_is_declined() {
        assert_eq!(host(&[]).elicit(form()).await, ElicitResult::decline());
        assert_eq!(host(&["age=36"]).elicit(form()).await, ElicitResult::decline());
        assert_eq!(host(&["name=Ada", "age=old"]).elicit(form()).await, ElicitResult::decline());
    }

    #[tokio::test]
    async fn a_model_is_played_by_the_command_line_or_not_at_all() {
        let reply = host(&["text=Hi"]).sample(sampling()).await.expect("a reply");
        assert_eq!(reply.model, "hermes-cli");
        assert!(
            matches!(reply.content.blocks(), [SamplingMessageContentBlock::Text(text)] if text.text == "Hi")
        );
        assert_eq!(host(&["name=Ada"]).sample(sampling()).await, None);
    }

    #[test]
    fn a_model_is_offered_only_where_somebody_plays_it() {
        assert!(!host(&[]).plays_model());
        assert!(host(&["text=Hi"]).plays_model());
    }
}
