//! Questions asked line by line, on whatever stands for the terminal.

use std::io;

use serde_json::value::RawValue;

use super::form::{Field, Form};
use super::terminal::{Answer, Terminal};
use crate::arguments::Object;
use crate::render::{Screen, style};

/// What came of a question.
#[derive(Debug)]
pub(crate) enum Reply<T> {
    /// It was answered.
    Given(T),
    /// It was read and turned down.
    Declined,
    /// The input ended before there was an answer.
    Cancelled,
}

/// A person to ask.
pub(crate) struct Dialogue<'a> {
    terminal: &'a mut dyn Terminal,
    screen: Screen,
    /// Who asks.
    server: &'a str,
}

/// Declines when it is typed alone.
const DECLINE: &str = "-";

impl<'a> Dialogue<'a> {
    pub(crate) fn new(terminal: &'a mut dyn Terminal, screen: Screen, server: &'a str) -> Self {
        Self { terminal, screen, server }
    }

    /// Asks for the fields of a form, one by one, each until its value fits. Several answers are shown together
    /// before they are sent.
    ///
    /// # Errors
    /// The terminal failed.
    ///
    /// Source: `client/elicitation`, 2026-07-28.
    pub(crate) fn fill(&mut self, message: &str, form: &Form) -> io::Result<Reply<Object>> {
        self.say("asks", message)?;
        if form.fields.is_empty() {
            return Ok(match self.line("yes or no: ", Answer::Free)? {
                None => Reply::Cancelled,
                Some(line) if is_yes(&line) => Reply::Given(Object::default()),
                Some(_) => Reply::Declined,
            });
        }
        self.hint("Enter takes the default or leaves a field empty; - declines; Ctrl-D cancels.")?;
        self.complete(form)
    }

    /// Says what is asked for, and how it is answered.
    ///
    /// # Errors
    /// The terminal failed.
    pub(crate) fn head(&mut self, what: &str, text: &str, hint: &str) -> io::Result<()> {
        self.say(what, text)?;
        self.hint(hint)
    }

    /// Asks for the fields of a form about which everything is said.
    ///
    /// # Errors
    /// The terminal failed.
    pub(crate) fn complete(&mut self, form: &Form) -> io::Result<Reply<Object>> {
        loop {
            let content = match self.fields(form)? {
                Reply::Given(content) => content,
                other => return Ok(other),
            };
            if form.fields.len() == 1 {
                return Ok(Reply::Given(content));
            }
            self.hint("This will be sent:")?;
            for (name, value) in content.members() {
                self.terminal.say(&self.screen.clean(&format!("  {name}: {}", value.get())))?;
            }
            match self.line("Enter sends it, e asks again, - declines: ", Answer::Free)? {
                None => return Ok(Reply::Cancelled),
                Some(line) if line.trim() == DECLINE => return Ok(Reply::Declined),
                Some(line) if line.trim().eq_ignore_ascii_case("e") => {}
                Some(_) => return Ok(Reply::Given(content)),
            }
        }
    }

    fn fields(&mut self, form: &Form) -> io::Result<Reply<Object>> {
        let mut content = Object::default();
        for field in &form.fields {
            self.describe(field)?;
            match self.field(field, &content)? {
                Reply::Given(Some(value)) => content.insert(field.name.clone(), value),
                Reply::Given(None) => {}
                Reply::Declined => return Ok(Reply::Declined),
                Reply::Cancelled => return Ok(Reply::Cancelled),
            }
        }
        Ok(Reply::Given(content))
    }

    /// Asks for one field until its value fits; no value when it may be left empty and is.
    fn field(&mut self, field: &Field, others: &Object) -> io::Result<Reply<Option<Box<RawValue>>>> {
        let choices: Vec<String> = field.choices().into_iter().map(|choice| choice.value).collect();
        let answer = match choices.is_empty() {
            true => Answer::Field(&field.name, others),
            false => Answer::OneOf(&choices),
        };
        loop {
            let Some(line) = self.line(&prompt(field), answer)? else { return Ok(Reply::Cancelled) };
            if line.trim() == DECLINE {
                return Ok(Reply::Declined);
            }
            if line.is_empty() {
                return Ok(match field.default_value() {
                    // A required field that is left empty turns the whole form down.
                    None if field.required => Reply::Declined,
                    value => Reply::Given(value),
                });
            }
            match field.read(&line) {
                Ok(value) => return Ok(Reply::Given(Some(value))),
                Err(why) => self.warn(&why)?,
            }
        }
    }

    /// Asks for a model's reply.
    ///
    /// # Errors
    /// The terminal failed.
    pub(crate) fn reply(&mut self, conversation: &str) -> io::Result<Reply<String>> {
        self.say("asks a model; answer in its place", conversation)?;
        self.hint("An empty line or - refuses.")?;
        Ok(match self.line("reply: ", Answer::Free)? {
            None => Reply::Cancelled,
            Some(line) if line.trim().is_empty() || line.trim() == DECLINE => Reply::Declined,
            Some(line) => Reply::Given(line),
        })
    }

    /// Asks whether a page was opened. Nothing is opened here: whoever does it sees the whole address first.
    ///
    /// # Errors
    /// The terminal failed.
    ///
    /// Source: `client/elicitation#url-mode-elicitation-requests`, 2026-07-28.
    pub(crate) fn visit(&mut self, message: &str, url: &str) -> io::Result<Reply<()>> {
        self.say("asks you to open a page", message)?;
        self.terminal.say(&format!("  {}", self.screen.clean(url)))?;
        self.hint("Look at the address before you open it. - declines; Ctrl-D cancels.")?;
        loop {
            let Some(line) = self.line("y says that you go there: ", Answer::Free)? else {
                return Ok(Reply::Cancelled);
            };
            match line.trim() {
                DECLINE => return Ok(Reply::Declined),
                line if is_yes(line) => return Ok(Reply::Given(())),
                _ => self.warn("write y or -")?,
            }
        }
    }

    fn describe(&mut self, field: &Field) -> io::Result<()> {
        if let Some(description) = field.description() {
            self.hint(description)?;
        }
        for (number, choice) in (1..).zip(field.choices()) {
            let value =
                if choice.title == choice.value { String::new() } else { format!(" ({})", choice.value) };
            let line = format!("  {number}. {}{value}", choice.title);
            self.terminal.say(&self.screen.clean(&line))?;
        }
        Ok(())
    }

    fn say(&mut self, what: &str, text: &str) -> io::Result<()> {
        let heading = self.screen.paint(style::HEADING, &self.screen.clean(self.server));
        self.terminal.say(&format!("{heading} {what}: {}", self.screen.clean(text)))
    }

    fn hint(&mut self, text: &str) -> io::Result<()> {
        let text = self.screen.paint(style::FAINT, &self.screen.clean(text));
        self.terminal.say(&text)
    }

    fn warn(&mut self, text: &str) -> io::Result<()> {
        let text = self.screen.paint(style::WARNING, &self.screen.clean(text));
        self.terminal.say(&text)
    }

    /// Reads one line without its end; `None` at the end of the input.
    fn line(&mut self, prompt: &str, answer: Answer<'_>) -> io::Result<Option<String>> {
        self.terminal.ask(&self.screen.clean(prompt), answer)
    }
}

fn is_yes(line: &str) -> bool {
    matches!(line.trim().to_lowercase().as_str(), "y" | "yes")
}

fn prompt(field: &Field) -> String {
    let mut notes = field.kind();
    if let Some(default) = field.default_text() {
        notes.push_str(&format!(", default {default}"));
    } else if !field.required {
        notes.push_str(", optional");
    }
    format!("{} [{notes}]: ", field.title())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::questions::terminal::Plain;

    fn ask(typed: &str) -> (String, String) {
        let schema = json!({
            "properties": {
                "name": {"type": "string", "title": "Name", "description": "How to call you"},
                "age": {"type": "integer", "minimum": 0},
                "colour": {"type": "string", "enum": ["r", "g"], "enumNames": ["Red", "Green"], "default": "r"},
            },
            "required": ["name"],
        });
        let mut terminal = Plain::new(typed.as_bytes(), Vec::new(), Screen::file(80));
        let mut dialogue = Dialogue::new(&mut terminal, Screen::file(80), "the server");
        let reply = match dialogue.fill("Who are you?", &Form::new(&schema)).expect("memory does not fail") {
            Reply::Given(content) => serde_json::to_string(&content).expect("an object"),
            other => format!("{other:?}"),
        };
        (reply, String::from_utf8(terminal.into_output()).expect("text"))
    }

    #[test]
    fn fields_are_asked_one_by_one() {
        let (reply, shown) = ask("Ada\n36\n2\n\n");
        assert_eq!(reply, r#"{"name":"Ada","age":36,"colour":"g"}"#);
        assert_eq!(
            shown,
            "the server asks: Who are you?\n\
             Enter takes the default or leaves a field empty; - declines; Ctrl-D cancels.\n\
             How to call you\n\
             Name [text]: age [integer, at least 0, optional]:   1. Red (r)\n\
             \x20 2. Green (g)\n\
             colour [one of these, default r]: This will be sent:\n\
             \x20 name: \"Ada\"\n\
             \x20 age: 36\n\
             \x20 colour: \"g\"\n\
             Enter sends it, e asks again, - declines: "
        );
    }

    // spec: R371
    #[test]
    fn an_empty_line_takes_the_default_or_leaves_the_field_out() {
        assert_eq!(ask("Ada\n\r\n\n\n").0, r#"{"name":"Ada","colour":"r"}"#);
    }

    // spec: R369
    #[test]
    fn a_value_that_does_not_fit_is_asked_for_again() {
        let (reply, shown) = ask("Ada\nold\n-1\n36\n\n\n");
        assert_eq!(reply, r#"{"name":"Ada","age":36,"colour":"r"}"#);
        assert!(shown.contains("it takes an integer, not \"old\"\n"), "{shown}");
        assert!(shown.contains("-1 is less than the minimum of 0\n"), "{shown}");
    }

    // spec: R368
    #[test]
    fn a_dash_or_an_empty_required_field_declines_and_the_end_cancels() {
        assert_eq!(ask("-\n").0, "Declined");
        assert_eq!(ask("Ada\n - \n").0, "Declined");
        assert_eq!(ask("\n").0, "Declined");
        assert_eq!(ask("").0, "Cancelled");
        assert_eq!(ask("Ada\n").0, "Cancelled");
    }

    // spec: R368
    #[test]
    fn several_answers_are_reviewed_before_they_are_sent() {
        assert_eq!(ask("Ad\n\n\ne\nAda\n36\n\n\n").0, r#"{"name":"Ada","age":36,"colour":"r"}"#);
        assert_eq!(ask("Ada\n\n\n-\n").0, "Declined");
        assert_eq!(ask("Ada\n\n\n").0, "Cancelled");
    }

    #[test]
    fn a_form_without_fields_asks_for_consent() {
        for (typed, reply) in
            [("yes\n", "Given"), ("\n", "Declined"), ("no\n", "Declined"), ("", "Cancelled")]
        {
            let mut terminal = Plain::new(typed.as_bytes(), Vec::new(), Screen::file(80));
            let mut dialogue = Dialogue::new(&mut terminal, Screen::file(80), "the server");
            let seen = dialogue.fill("Sure?", &Form::new(&json!({}))).expect("memory does not fail");
            assert!(format!("{seen:?}").starts_with(reply), "{typed:?}: {seen:?}");
        }
    }

    #[test]
    fn a_model_is_played_or_refused() {
        for (typed, reply) in
            [("hi\n", "Given(\"hi\")"), ("\n", "Declined"), ("-\n", "Declined"), ("", "Cancelled")]
        {
            let mut terminal = Plain::new(typed.as_bytes(), Vec::new(), Screen::file(80));
            let mut dialogue = Dialogue::new(&mut terminal, Screen::file(80), "the server");
            let seen = dialogue.reply("user: hello").expect("memory does not fail");
            assert_eq!(format!("{seen:?}"), reply);
        }
    }

    #[test]
    fn a_page_is_agreed_to_declined_or_left() {
        for (typed, reply) in
            [("y\n", "Given(())"), ("what\nyes\n", "Given(())"), ("-\n", "Declined"), ("", "Cancelled")]
        {
            let mut terminal = Plain::new(typed.as_bytes(), Vec::new(), Screen::file(80));
            let mut dialogue = Dialogue::new(&mut terminal, Screen::file(80), "the server");
            let seen = dialogue.visit("Sign in", "https://a.example/?x=1").expect("memory does not fail");
            assert_eq!(format!("{seen:?}"), reply, "{typed:?}");
            let shown = String::from_utf8(terminal.into_output()).expect("text");
            assert!(shown.contains("\n  https://a.example/?x=1\n"), "{shown}");
        }
    }
}
