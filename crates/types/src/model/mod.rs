//! The model: one type for every concept of the protocol, in all revisions.

mod capability;
mod completion;
mod content;
mod elicitation;
mod elicitation_default;
mod elicitation_schema;
mod error_data;
mod implementation;
mod input;
mod lifecycle;
mod listen;
mod logging;
mod meta;
mod preferences;
mod progress;
mod prompt;
mod resource;
mod result;
mod roots;
mod sampling;
mod task;
mod tool;

pub use capability::{
    ClientCapabilities, ClientTaskRequests, ClientTasksCapability, ElicitationCapability,
    ElicitationTaskRequests, PromptsCapability, ResourcesCapability, RootsCapability, SamplingCapability,
    SamplingTaskRequests, ServerCapabilities, ServerTaskRequests, ServerTasksCapability, ToolTaskRequests,
    ToolsCapability,
};
pub use completion::{
    CompleteRequestParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, MAX_COMPLETION_VALUES, PromptReference, ResourceTemplateReference,
};
pub use content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceLink, Role, TextContent,
};
pub use elicitation::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestParams, ElicitRequestUrlParams, ElicitResult,
    ElicitSchema, ElicitationCompleteNotificationParams,
};
pub use elicitation_schema::{
    BooleanSchema, EnumOption, LegacyTitledEnumSchema, NumberKind, NumberSchema, PrimitiveSchemaDefinition,
    StringFormat, StringSchema, TitledItems, TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema,
    UntitledItems, UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};
pub use error_data::{
    MissingRequiredClientCapabilityData, ResourceNotFoundData, UnsupportedProtocolVersionData,
    UrlElicitationRequiredData,
};
pub use implementation::{Icon, Implementation, Theme};
pub use input::{InputRequest, InputRequiredResult};
pub use lifecycle::{DiscoverResult, InitializeRequestParams, InitializeResult};
pub use listen::{
    SubscriptionFilter, SubscriptionsAcknowledgedNotificationParams, SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
};
pub use logging::{LoggingLevel, LoggingMessageNotificationParams, SetLevelRequestParams};
pub use meta::{JsonObject, Meta, MetaObject, RelatedTaskMetadata};
pub use preferences::{ModelHint, ModelPreferences};
pub use progress::{CancelledNotificationParams, ProgressNotificationParams};
pub use prompt::{
    GetPromptRequestParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use resource::{
    BlobResourceContents, ListResourceTemplatesResult, ListResourcesResult, ReadResourceRequestParams,
    ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ResourceUpdatedNotificationParams,
    SubscribeRequestParams, TextResourceContents, UnsubscribeRequestParams,
};
pub use result::{
    AnyResult, CacheScope, EmptyResult, NotificationParams, PaginatedRequestParams, RequestParams, ResultType,
};
pub use roots::{ListRootsResult, Root};
pub use sampling::{
    CreateMessageRequestParams, CreateMessageResult, IncludeContext, SamplingContent, SamplingMessage,
    SamplingMessageContentBlock, StopReason, ToolChoice, ToolChoiceMode, ToolResultContent, ToolUseContent,
};
pub use task::{
    CancelTaskRequestParams, CancelTaskResult, CreateTaskResult, GetTaskPayloadRequestParams,
    GetTaskRequestParams, GetTaskResult, ListTasksResult, TASKS_EXTENSION, Task, TaskMetadata, TaskResult,
    TaskStatus, TaskStatusNotificationParams, TaskTtl, UpdateTaskRequestParams,
};
pub use tool::{
    CallToolRequestParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations, ToolExecution,
};
