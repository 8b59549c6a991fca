//! The handlers that ask the client, once or several times.

use hermes::ask::{Ask, AskError, Capability};
use hermes::types::{CreateMessageRequestParams, CreateMessageResult, Fault, SamplingMessage};
use hermes::{Context, ToolError};

use crate::forms::{Color, Name};

/// Asks the client's model.
pub(crate) fn ask_model(ctx: &Context, prompt: &str, max_tokens: u64) -> Ask<CreateMessageResult> {
    ctx.sample(CreateMessageRequestParams::new(vec![SamplingMessage::user(prompt)], max_tokens))
}

/// The texts of what the model said.
pub(crate) fn said(reply: &CreateMessageResult) -> String {
    let texts = reply.content.blocks().iter().filter_map(|block| block.as_text());
    texts.collect::<Vec<_>>().join("\n")
}

/// Three questions of three kinds in one round.
pub(crate) async fn three_at_once(ctx: &Context) -> Result<String, AskError> {
    let (name, greeting, roots) = tokio::try_join!(
        ctx.elicit::<Name>("What is your name?").key("user_name"),
        ask_model(ctx, "Generate a greeting", 50).key("greeting"),
        ctx.roots().key("client_roots"),
    )?;
    let name = name.accepted().map_or_else(|| "nobody".to_owned(), |form| form.name);
    Ok(format!("{} {name}, with {} roots", said(&greeting), roots.len()))
}

/// Two questions, the second after the first is answered.
pub(crate) async fn one_after_the_other(ctx: &Context) -> Result<String, AskError> {
    let name = ctx.elicit::<Name>("Step 1: What is your name?").key("step1").await?;
    let color = ctx.elicit::<Color>("Step 2: What is your favorite color?").key("step2").await?;
    Ok(match (name.accepted(), color.accepted()) {
        (Some(Name { name }), Some(Color { color })) => format!("{name} likes {color}"),
        _ => "Not every question was answered".to_owned(),
    })
}

/// Asks whatever the client can be asked.
pub(crate) async fn what_the_client_supports(ctx: &Context) -> Result<String, AskError> {
    let mut answers = Vec::new();
    if ctx.can_ask(Capability::Sampling) {
        answers.push(said(&ask_model(ctx, "Generate a greeting", 50).await?));
    }
    if ctx.can_ask(Capability::ElicitationForm)
        && let Some(Name { name }) = ctx.elicit::<Name>("Who are you?").await?.accepted()
    {
        answers.push(name);
    }
    if ctx.can_ask(Capability::Roots) {
        answers.extend(ctx.roots().await?.into_iter().map(|root| root.uri));
    }
    Ok(answers.join(", "))
}

/// Refuses the call of a client that cannot be asked this.
pub(crate) fn demand(ctx: &Context, capability: Capability) -> Result<(), ToolError> {
    if ctx.can_ask(capability) {
        return Ok(());
    }
    let message = format!("this tool needs the client capability {capability}");
    Err(ToolError::refuse(Fault::missing_client_capability(message, capability.required())))
}
