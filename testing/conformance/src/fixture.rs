//! What the server offers, in the suite's own names.

use std::time::Duration;

use hermes::Completing;
use hermes::ask::{AskError, Capability};
use hermes::prelude::*;
use hermes::types::{ContentBlock, LoggingLevel, Prompt, PromptMessage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::{PIXEL, audio, embedded, image};
use crate::forms::{Account, Choices, Confirmation, Defaults, Name, Topic, told};
use crate::{rounds, schema};

/// Between two messages of one call.
const PAUSE: Duration = Duration::from_millis(50);
/// After which time a client is to come back for the rest of a stream.
const RETRY: Duration = Duration::from_millis(20);
/// The tool that comes and goes.
const EXTRA_TOOL: &str = "test_extra_tool";
/// The prompt that comes and goes.
const EXTRA_PROMPT: &str = "test_extra_prompt";

/// The server of the conformance suite.
///
/// # Errors
/// A schema that is written by hand is no JSON.
pub(crate) fn server() -> serde_json::Result<Server> {
    let server = Fixture.into_server().complete_prompt(
        "test_prompt_with_arguments",
        "arg1",
        |Completing { value, .. }, _: Context| async move {
            ["test", "testValue1"].into_iter().filter(|word| word.starts_with(&value)).collect::<Vec<_>>()
        },
    );
    schema::register(server)
}

/// What the template's resources hold.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    id: String,
    template_test: bool,
    data: String,
}

/// No arguments.
#[derive(Deserialize, JsonSchema)]
struct Nothing {}

struct Fixture;

/// What the official conformance suite asks of a server.
#[hermes::server(name = "hermes-conformance", title = "The conformance server of Hermes")]
impl Fixture {
    // Content. The suite calls whatever tool comes first, without arguments.

    /// Sends a text.
    #[tool]
    fn test_simple_text(&self) -> &'static str {
        "This is a simple text response for testing."
    }

    /// Sends a picture.
    #[tool]
    fn test_image_content(&self) -> ContentBlock {
        image()
    }

    /// Sends a sound.
    #[tool]
    fn test_audio_content(&self) -> ContentBlock {
        audio()
    }

    /// Sends a resource along.
    #[tool]
    fn test_embedded_resource(&self) -> ContentBlock {
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    }

    /// Sends a text, a picture and a resource.
    #[tool]
    fn test_multiple_content_types(&self) -> Vec<ContentBlock> {
        let data = r#"{"test":"data","value":123}"#;
        vec![
            ContentBlock::text("Multiple content types test:"),
            image(),
            embedded("test://mixed-content-resource", "application/json", data),
        ]
    }

    /// Fails.
    #[tool]
    fn test_error_handling(&self) -> Result<(), &'static str> {
        Err("This tool intentionally returns an error for testing")
    }

    /// Takes an argument that HTTP clients repeat in a header.
    #[tool]
    fn test_x_mcp_header(&self, #[schemars(extend("x-mcp-header" = "Region"))] region: String) -> String {
        format!("Region: {region}")
    }

    // Messages on the way.

    /// Sends three log messages before its result.
    #[tool]
    async fn test_tool_with_logging(&self, ctx: Context) -> &'static str {
        ctx.log(LoggingLevel::Info, "Tool execution started");
        pause(PAUSE).await;
        ctx.log(LoggingLevel::Info, "Tool processing data");
        pause(PAUSE).await;
        ctx.log(LoggingLevel::Info, "Tool execution completed");
        "Logged three times"
    }

    /// Sends a log message, if the request asks for it.
    #[tool]
    fn test_logging_tool(&self, ctx: Context) -> &'static str {
        ctx.log(LoggingLevel::Info, "Whoever asked for it sees this");
        "Logged if asked to"
    }

    /// Reports progress three times before its result.
    #[tool]
    async fn test_tool_with_progress(&self, ctx: Context) -> &'static str {
        for done in [0.0, 50.0, 100.0] {
            ctx.progress(done, Some(100.0), None);
            pause(PAUSE).await;
        }
        "Reported progress three times"
    }

    /// Closes its stream, works on, and has its result fetched by a resume.
    #[tool]
    async fn test_reconnection(&self, ctx: Context) -> &'static str {
        ctx.hang_up(RETRY);
        pause(2 * PAUSE).await;
        "Reconnected"
    }

    /// Changes the list of tools.
    #[tool]
    fn test_trigger_tool_change(&self, ctx: Context) -> &'static str {
        let server = ctx.server();
        if !server.remove_tool(EXTRA_TOOL) {
            let extra = ToolDef::new(EXTRA_TOOL).description("Is there only now and then");
            server.add_tool(extra, |_: Nothing, _: Context| async { "extra" });
        }
        "The list of tools has changed"
    }

    /// Changes the list of prompts.
    #[tool]
    fn test_trigger_prompt_change(&self, ctx: Context) -> &'static str {
        let server = ctx.server();
        if !server.remove_prompt(EXTRA_PROMPT) {
            let extra = Prompt::new(EXTRA_PROMPT).with_description("Is there only now and then");
            server.add_prompt(extra, |_: Nothing, _: Context| async { "extra" });
        }
        "The list of prompts has changed"
    }

    // Questions, each a request to the client in the legacy era and a round of the call in the modern one.

    /// Asks the client's model.
    #[tool]
    async fn test_sampling(&self, prompt: String, ctx: Context) -> Result<String, AskError> {
        let reply = rounds::ask_model(&ctx, &prompt, 100).await?;
        Ok(format!("LLM response: {}", rounds::said(&reply)))
    }

    /// Asks the user for an account.
    #[tool]
    async fn test_elicitation(&self, message: String, ctx: Context) -> Result<String, ToolError> {
        Ok(told(&ctx.elicit::<Account>(message).await?)?)
    }

    /// Shows a form whose fields have default values.
    #[tool]
    async fn test_elicitation_sep1034_defaults(&self, ctx: Context) -> Result<String, ToolError> {
        Ok(told(&ctx.elicit::<Defaults>("Please review and update the form fields with defaults").await?)?)
    }

    /// Shows a form with all kinds of choices.
    #[tool]
    async fn test_elicitation_sep1330_enums(&self, ctx: Context) -> Result<String, ToolError> {
        Ok(told(&ctx.elicit::<Choices>("Please choose").await?)?)
    }

    /// Asks for a confirmation.
    #[tool]
    async fn test_streaming_elicitation(&self, ctx: Context) -> Result<String, ToolError> {
        Ok(told(&ctx.elicit::<Confirmation>("Go on?").await?)?)
    }

    /// Is refused to clients without a model.
    #[tool]
    fn test_missing_capability(&self, ctx: Context) -> Result<&'static str, ToolError> {
        rounds::demand(&ctx, Capability::Sampling)?;
        Ok("The client has a model")
    }

    /// Asks for a name.
    #[tool]
    async fn test_input_required_result_elicitation(&self, ctx: Context) -> Result<String, AskError> {
        let answer = ctx.elicit::<Name>("What is your name?").key("user_name").await?;
        Ok(answer.accepted().map_or_else(|| "Hello!".to_owned(), |Name { name }| format!("Hello, {name}!")))
    }

    /// Asks the client's model for a capital.
    #[tool]
    async fn test_input_required_result_sampling(&self, ctx: Context) -> Result<String, AskError> {
        let question = rounds::ask_model(&ctx, "What is the capital of France?", 100);
        Ok(rounds::said(&question.key("capital_question").await?))
    }

    /// Asks for the roots.
    #[tool]
    async fn test_input_required_result_list_roots(&self, ctx: Context) -> Result<String, AskError> {
        let roots = ctx.roots().key("client_roots").await?;
        Ok(roots.into_iter().map(|root| root.uri).collect::<Vec<_>>().join("\n"))
    }

    /// Asks for a confirmation, and keeps its state with the client meanwhile.
    #[tool]
    async fn test_input_required_result_request_state(&self, ctx: Context) -> Result<String, ToolError> {
        let answer = ctx.elicit::<Confirmation>("Please confirm").key("confirm").await?;
        Ok(format!("state-ok. {}", told(&answer)?))
    }

    /// Asks for a confirmation, and refuses a state that was changed.
    #[tool]
    async fn test_input_required_result_tampered_state(&self, ctx: Context) -> Result<String, ToolError> {
        Ok(told(&ctx.elicit::<Confirmation>("Please confirm").key("confirm").await?)?)
    }

    /// Asks three questions at once.
    #[tool]
    async fn test_input_required_result_multiple_inputs(&self, ctx: Context) -> Result<String, AskError> {
        rounds::three_at_once(&ctx).await
    }

    /// Asks two questions, one after the other.
    #[tool]
    async fn test_input_required_result_multi_round(&self, ctx: Context) -> Result<String, AskError> {
        rounds::one_after_the_other(&ctx).await
    }

    /// Asks only what the client can be asked.
    #[tool]
    async fn test_input_required_result_capabilities(&self, ctx: Context) -> Result<String, AskError> {
        rounds::what_the_client_supports(&ctx).await
    }

    // Resources.

    /// A text.
    #[resource("test://static-text", name = "static-text", mime = "text/plain")]
    fn static_text(&self) -> &'static str {
        "This is the content of the static text resource."
    }

    /// A picture.
    #[resource("test://static-binary", name = "static-binary", mime = "image/png")]
    fn static_binary(&self) -> &'static [u8] {
        PIXEL
    }

    /// A text that clients may watch.
    #[resource("test://watched-resource", name = "watched-resource", mime = "text/plain")]
    fn watched_resource(&self) -> &'static str {
        "This is the content of the watched resource."
    }

    /// A record of any number.
    #[resource("test://template/{id}/data", name = "template", mime = "application/json")]
    fn template(&self, id: String) -> Json<Record> {
        Json(Record { data: format!("Data for ID: {id}"), id, template_test: true })
    }

    // Prompts.

    /// A text.
    #[prompt]
    fn test_simple_prompt(&self) -> &'static str {
        "This is a simple prompt for testing."
    }

    /// A text with two arguments.
    #[prompt]
    fn test_prompt_with_arguments(&self, arg1: String, arg2: String) -> String {
        format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
    }

    /// A resource and a text.
    #[prompt]
    fn test_prompt_with_embedded_resource(
        &self,
        #[serde(rename = "resourceUri")] resource_uri: String,
    ) -> Vec<PromptMessage> {
        let resource = embedded(resource_uri, "text/plain", "Embedded resource content for testing.");
        vec![
            PromptMessage::user(resource),
            PromptMessage::user("Please process the embedded resource above."),
        ]
    }

    /// A picture and a text.
    #[prompt]
    fn test_prompt_with_image(&self) -> Vec<PromptMessage> {
        vec![PromptMessage::user(image()), PromptMessage::user("Please analyze the image above.")]
    }

    /// Asks what it is to be about.
    #[prompt]
    async fn test_input_required_result_prompt(&self, ctx: Context) -> Result<String, AskError> {
        let question = ctx.elicit::<Topic>("What context should the prompt use?").key("user_context");
        let topic = question.await?.accepted().map_or_else(|| "nothing".to_owned(), |form| form.context);
        Ok(format!("Talk about {topic}."))
    }
}

#[expect(clippy::disallowed_methods, reason = "the suite wants messages that are apart in time")]
async fn pause(time: Duration) {
    tokio::time::sleep(time).await;
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    type Result = std::result::Result<(), Box<dyn std::error::Error>>;

    async fn names(client: &Client) -> std::result::Result<Vec<String>, ClientError> {
        Ok(client.list_all_tools().await?.values().map(|tool| tool.name.clone()).collect())
    }

    #[tokio::test]
    async fn the_simplest_tool_needs_no_arguments() -> Result {
        let client = Client::connect(hermes::in_memory(server()?)).await?;
        let text: String = client.call("test_simple_text", json!({})).await?.read()?;
        assert_eq!(text, "This is a simple text response for testing.");
        Ok(())
    }

    #[tokio::test]
    async fn a_tool_that_comes_and_goes_leaves_the_order_of_the_others() -> Result {
        let client = Client::connect(hermes::in_memory(server()?)).await?;
        let before = names(&client).await?;
        client.call("test_trigger_tool_change", json!({})).await?;
        let with_extra = names(&client).await?;
        let others: Vec<String> = with_extra.iter().filter(|name| *name != EXTRA_TOOL).cloned().collect();
        assert_eq!((with_extra.len(), &others), (before.len() + 1, &before));
        client.call("test_trigger_tool_change", json!({})).await?;
        assert_eq!(names(&client).await?, before);
        Ok(())
    }
}
