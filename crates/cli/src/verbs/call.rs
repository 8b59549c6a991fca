//! `hermes call`: one tool, once.

use hermes::types::{CallToolResult, Tool};
use hermes::{Client, Listing, Operation, Received, Warning};
use serde_json::Value;

use super::words::Words;
use crate::args;
use crate::arguments::{Object, Shape, Word};
use crate::exit::{Exit, Failure, Result};
use crate::hint;
use crate::output::{print, print_raw, report};
use crate::render::{Screen, call_result};
use crate::save::{Piece, Save};
use crate::session::Session;

pub(crate) struct Call {
    tool: String,
    words: Vec<Word>,
    base: Object,
    checked: bool,
    save: Option<Save>,
}

impl Call {
    pub(crate) fn parse(mut words: Words, call: &args::Call, json: bool) -> Result<Self> {
        let tool = words.next("the name of a tool")?;
        let (base, words) = words.arguments(call.base.args.as_deref())?;
        let save = Save::parse(&call.output, json)?;
        Ok(Self { tool, words, base, checked: !call.no_check, save })
    }

    pub(crate) async fn run(self, session: &mut Session) -> Result<Exit> {
        let client = session.client.clone();
        let owner = format!("the tool \"{}\"", self.tool);
        let operation = if self.checked {
            let tools = session.run(client.list_all_tools()).await.map_err(|failure| {
                // A server that cannot be reached, or is slow, is no better without the look.
                let helps = failure.exit() == Exit::Protocol;
                let hint = "--no-check calls a tool without looking it up".to_owned();
                failure.with_hint(helps.then_some(hint))
            })?;
            if tools.warnings.iter().any(|warning| matches!(warning, Warning::MethodMissing { .. })) {
                // Its tools may be there all the same; the warning has said that they are not listed.
                unchecked(&client, &self.tool, owner, self.base, self.words)?
            } else {
                let schema: Value = find(&tools, &self.tool)?.input_schema.decode().unwrap_or_default();
                let shape = Shape::new(owner, &schema);
                let arguments = shape.fill(self.base, self.words)?;
                shape.check(&arguments)?;
                client.call(&self.tool, arguments)
            }
        } else {
            unchecked(&client, &self.tool, owner, self.base, self.words)?
        };
        let operation = session.watched(operation);
        let result = session.run(operation).await?;
        show(session, &self.tool, self.save.as_ref(), &result)
    }
}

/// A call with arguments of which nothing is known.
fn unchecked<'c>(
    client: &'c Client,
    tool: &str,
    owner: String,
    base: Object,
    words: Vec<Word>,
) -> Result<Operation<'c, Received<CallToolResult>>> {
    let arguments = Shape::new(owner, &Value::Null).fill(base, words)?;
    Ok(client.call(tool, arguments).without_output_check())
}

/// Finds the tool to call.
fn find<'a>(tools: &'a Listing<Tool>, name: &str) -> Result<&'a Tool> {
    let names = tools.values().map(|tool| tool.name.as_str());
    tools.values().find(|tool| tool.name == name).ok_or_else(|| {
        Failure::usage(format!("the server has no tool \"{name}\"")).with_hint(hint::offer(name, names))
    })
}

/// Shows the result: for machines as it came, whether the tool failed or not; for people a failure is told where
/// failures are.
fn show(
    session: &Session,
    tool: &str,
    save: Option<&Save>,
    result: &Received<CallToolResult>,
) -> Result<Exit> {
    if session.json {
        print_raw(&result.raw)?;
    }
    if result.is_error() {
        let text = call_result(Screen::stderr(), result);
        let text = if text.trim().is_empty() { "it does not say why" } else { text.trim_end() };
        report(&Failure::new(Exit::Tool, format!("the tool \"{tool}\" failed: {text}")));
        return Ok(Exit::Tool);
    }
    let rest = match save {
        Some(save) => save_blocks(session, save, result)?,
        None => Some(CallToolResult::clone(result)),
    };
    if let Some(rest) = rest.filter(|_| !session.json) {
        print(&call_result(Screen::stdout(), &rest))?;
    }
    Ok(Exit::Ok)
}

/// Writes what is no text to files; what is left is to be shown. Where all is text, that is written.
fn save_blocks(session: &Session, save: &Save, result: &CallToolResult) -> Result<Option<CallToolResult>> {
    let (mut pieces, mut rest) = (Vec::new(), result.clone());
    rest.content.clear();
    for block in &result.content {
        match Piece::of_block(block)? {
            Some(piece) => pieces.push(piece),
            None => rest.content.push(block.clone()),
        }
    }
    if pieces.is_empty() {
        save.write(&[Piece::text(call_result(Screen::saved(), result))], session.console())?;
        return Ok(None);
    }
    save.write(&pieces, session.console())?;
    Ok((!save.is_stdout()).then_some(rest))
}
