//! Sampling: a server asks the client's model.

use serde::{Deserialize, Deserializer, Serializer};

use crate::wire::{Encode, Extra};
use crate::{
    AudioContent, ContentBlock, ImageContent, Meta, MetaObject, ModelPreferences, RawJson, Revision, Role,
    TaskMetadata, TextContent, Tool,
};

wire! {
    /// The parameters of `sampling/createMessage`.
    ///
    /// Source: `client/sampling#creating-messages`, 2026-07-28.
    pub struct CreateMessageRequestParams {
        /// The conversation so far.
        messages: Vec<SamplingMessage> = "messages";
        /// Which model the server would like.
        model_preferences: Option<ModelPreferences> = "modelPreferences";
        /// What the model is told first.
        system_prompt: Option<String> = "systemPrompt";
        /// Which servers' context to add; anything but `none` needs the client's `sampling.context`.
        include_context: Option<IncludeContext> = "includeContext";
        /// How varied the answer may be.
        temperature: Option<f64> = "temperature";
        /// The longest answer, in tokens.
        max_tokens: u64 = "maxTokens";
        /// Texts that end the answer.
        stop_sequences: Option<Vec<String>> = "stopSequences";
        /// Whatever the model's provider wants to know; an object.
        metadata: Option<RawJson> = "metadata";
        /// The tools that the model may use; needs the client's `sampling.tools`.
        tools: Option<Vec<Tool>> = "tools", since V2025_11_25;
        /// Whether the model may or has to use them.
        tool_choice: Option<ToolChoice> = "toolChoice", since V2025_11_25;
        /// Asks for a task instead of the result.
        task: Option<TaskMetadata> = "task", since V2025_11_25, until V2025_11_25;
        /// About the message.
        meta: Option<Meta> = "_meta", until V2025_11_25;
    }
}

impl CreateMessageRequestParams {
    /// Continues a conversation with at most `max_tokens` tokens.
    #[must_use]
    pub const fn new(messages: Vec<SamplingMessage>, max_tokens: u64) -> Self {
        Self {
            messages,
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { CreateMessageRequestParams {
    /// Says which model the server would like.
    with_model_preferences => model_preferences: ModelPreferences;
    /// Sets what the model is told first.
    with_system_prompt => system_prompt: String;
    /// Sets how varied the answer may be.
    with_temperature => temperature: f64;
    /// Sets the texts that end the answer.
    with_stop_sequences => stop_sequences: Vec<String>;
    /// Lets the model use tools.
    with_tools => tools: Vec<Tool>;
    /// Says whether the model may or has to use them.
    with_tool_choice => tool_choice: ToolChoice;
} }

words! {
    /// Which servers' context to add to a conversation.
    ///
    /// Source: `schema#createmessagerequestparams`, 2026-07-28.
    pub enum IncludeContext {
        /// None.
        None = "none",
        /// The one of the server that asks.
        ThisServer = "thisServer",
        /// The one of all servers.
        AllServers = "allServers",
    }
}

wire! {
    /// Whether the model uses tools.
    ///
    /// Source: `schema#toolchoice`, 2026-07-28.
    #[derive(Default)]
    pub struct ToolChoice since V2025_11_25 {
        /// `auto` when missing.
        mode: Option<ToolChoiceMode> = "mode";
    }
}

words! {
    /// Whether the model uses tools.
    ///
    /// Source: `schema#toolchoice`, 2026-07-28.
    pub enum ToolChoiceMode {
        /// As it likes.
        Auto = "auto",
        /// At least one.
        Required = "required",
        /// None.
        None = "none",
    }
}

wire! {
    /// One message of a conversation with a model.
    ///
    /// Source: `schema#samplingmessage`, 2026-07-28.
    pub struct SamplingMessage {
        /// Who says it.
        role: Role = "role";
        /// What is said.
        content: SamplingContent = "content";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_11_25;
    }
}

impl SamplingMessage {
    /// A message.
    #[must_use]
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self { role, content: content.into(), meta: None, extra: Extra::new() }
    }

    /// Something that the person says.
    #[must_use]
    pub fn user(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::User, content)
    }

    /// Something that the model says.
    #[must_use]
    pub fn assistant(content: impl Into<SamplingContent>) -> Self {
        Self::new(Role::Assistant, content)
    }
}

wire! {
    /// What the client's model answered.
    ///
    /// Source: `client/sampling#creating-messages`, 2026-07-28.
    pub struct CreateMessageResult {
        /// Who says it.
        role: Role = "role";
        /// What is said.
        content: SamplingContent = "content";
        /// The model that said it.
        model: String = "model";
        /// Why it stopped.
        stop_reason: Option<StopReason> = "stopReason";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl CreateMessageResult {
    /// What a model answered.
    #[must_use]
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { CreateMessageResult {
    /// Says why the model stopped.
    with_stop_reason => stop_reason: StopReason;
} }

words! {
    /// Why a model stopped.
    ///
    /// Source: `schema#createmessageresult`, 2026-07-28.
    pub enum StopReason {
        /// It had said all.
        EndTurn = "endTurn",
        /// It said one of the texts that end an answer.
        StopSequence = "stopSequence",
        /// The answer was long enough.
        MaxTokens = "maxTokens",
        /// It wants to use a tool; since 2025-11-25.
        ToolUse = "toolUse",
    }
}

/// The content of a message to or from a model: one block, or since 2025-11-25 a list of them.
///
/// Which of the two it was is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingContent {
    /// One block.
    One(SamplingMessageContentBlock),
    /// A list of blocks.
    Many(Vec<SamplingMessageContentBlock>),
}

impl SamplingContent {
    /// The blocks.
    #[must_use]
    pub const fn blocks(&self) -> &[SamplingMessageContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks.as_slice(),
        }
    }
}

impl<T: Into<SamplingMessageContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<SamplingMessageContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingMessageContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Encode for SamplingContent {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.encode(revision, serializer),
            Self::Many(blocks) => blocks.encode(revision, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let content = match raw.get().starts_with('[') {
            true => raw.decode().map(Self::Many),
            false => raw.decode().map(Self::One),
        };
        content.map_err(serde::de::Error::custom)
    }
}

union! {
    /// A piece of a message to or from a model.
    ///
    /// Source: `schema#samplingmessagecontentblock`, 2026-07-28.
    pub enum SamplingMessageContentBlock by "type", else kept {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound; since 2025-03-26.
        Audio(AudioContent) = "audio",
        /// The model wants to use a tool; since 2025-11-25.
        ToolUse(ToolUseContent) = "tool_use",
        /// What the tool said; since 2025-11-25.
        ToolResult(ToolResultContent) = "tool_result",
    }
}

impl SamplingMessageContentBlock {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(&text.text),
            Self::Image(_) | Self::Audio(_) | Self::ToolUse(_) | Self::ToolResult(_) | Self::Unknown(_) => {
                None
            }
        }
    }
}

impl From<&str> for SamplingMessageContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for SamplingMessageContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

wire! {
    /// The model wants to use a tool.
    ///
    /// Source: `client/sampling#sampling-with-tools`, 2026-07-28.
    pub struct ToolUseContent since V2025_11_25 tagged "type" = "tool_use" {
        /// What the tool's result will be tied to.
        id: String = "id";
        /// The tool.
        name: String = "name";
        /// Its arguments, an object.
        input: RawJson = "input";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta";
    }
}

impl ToolUseContent {
    /// The model wants to use this tool with these arguments.
    #[must_use]
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: RawJson) -> Self {
        Self { id: id.into(), name: name.into(), input, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// What a tool said to the model.
    ///
    /// Source: `client/sampling#sampling-with-tools`, 2026-07-28.
    pub struct ToolResultContent since V2025_11_25 tagged "type" = "tool_result" {
        /// The id of the use that it answers.
        tool_use_id: String = "toolUseId";
        /// What the model gets to read.
        content: Vec<ContentBlock> = "content", or Vec::new();
        /// What a program gets to read: an object up to 2025-11-25, any JSON since.
        structured_content: Option<RawJson> = "structuredContent";
        /// The tool failed.
        is_error: Option<bool> = "isError";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta";
    }
}

impl ToolResultContent {
    /// What the tool said.
    #[must_use]
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}
