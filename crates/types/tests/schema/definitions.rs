//! Every definition of every schema, and what of the model covers it, so that none is forgotten.

use std::collections::BTreeSet;

use hermes_types::tables::TABLES;

use crate::folder::schemas;
use crate::kinds::{UNIONS, words};

/// What covers a definition.
#[derive(Clone, Copy, Debug)]
enum Covered {
    /// The type with this table.
    Type(&'static str),
    /// A type that is one of several, or raw JSON.
    Union(&'static str),
    /// A set of words.
    Words(&'static str),
    /// An envelope, and the type of its parameters.
    Envelope(&'static str),
    /// Members that several types have; each has them in its own table.
    Shared,
}

use Covered::{Envelope, Shared, Type, Union, Words};

const DEFINITIONS: &[(&str, Covered)] = &[
    ("Annotated", Shared),
    ("Annotations", Type("Annotations")),
    ("AudioContent", Type("AudioContent")),
    ("BaseMetadata", Shared),
    ("BlobResourceContents", Type("BlobResourceContents")),
    ("BooleanSchema", Type("BooleanSchema")),
    ("CacheableResult", Shared),
    ("CallToolRequest", Envelope("CallToolRequestParams")),
    ("CallToolRequestParams", Type("CallToolRequestParams")),
    ("CallToolResult", Type("CallToolResult")),
    ("CallToolResultResponse", Envelope("CallToolResult")),
    ("CancelTaskRequest", Envelope("GetTaskRequestParams")),
    ("CancelTaskResult", Type("TaskResult")),
    ("CancelledNotification", Envelope("CancelledNotificationParams")),
    ("CancelledNotificationParams", Type("CancelledNotificationParams")),
    ("ClientCapabilities", Type("ClientCapabilities")),
    ("ClientNotification", Union("Message")),
    ("ClientRequest", Union("Message")),
    ("ClientResult", Union("Message")),
    ("CompleteRequest", Envelope("CompleteRequestParams")),
    ("CompleteRequestParams", Type("CompleteRequestParams")),
    ("CompleteResult", Type("CompleteResult")),
    ("CompleteResultResponse", Envelope("CompleteResult")),
    ("ContentBlock", Union("ContentBlock")),
    ("CreateMessageRequest", Envelope("CreateMessageRequestParams")),
    ("CreateMessageRequestParams", Type("CreateMessageRequestParams")),
    ("CreateMessageResult", Type("CreateMessageResult")),
    ("CreateTaskResult", Type("CreateTaskResult")),
    ("Cursor", Union("String")),
    ("DiscoverRequest", Envelope("RequestParams")),
    ("DiscoverResult", Type("DiscoverResult")),
    ("DiscoverResultResponse", Envelope("DiscoverResult")),
    ("ElicitRequest", Envelope("ElicitRequestFormParams")),
    ("ElicitRequestFormParams", Type("ElicitRequestFormParams")),
    ("ElicitRequestParams", Union("ElicitRequestParams")),
    ("ElicitRequestURLParams", Type("ElicitRequestUrlParams")),
    ("ElicitResult", Type("ElicitResult")),
    ("ElicitationCompleteNotification", Envelope("ElicitationCompleteNotificationParams")),
    ("EmbeddedResource", Type("EmbeddedResource")),
    ("EmptyResult", Type("EmptyResult")),
    ("EnumSchema", Union("PrimitiveSchemaDefinition")),
    ("Error", Union("ErrorObject")),
    ("GetPromptRequest", Envelope("GetPromptRequestParams")),
    ("GetPromptRequestParams", Type("GetPromptRequestParams")),
    ("GetPromptResult", Type("GetPromptResult")),
    ("GetPromptResultResponse", Envelope("GetPromptResult")),
    ("GetTaskPayloadRequest", Envelope("GetTaskRequestParams")),
    ("GetTaskPayloadResult", Union("RawJson")),
    ("GetTaskRequest", Envelope("GetTaskRequestParams")),
    ("GetTaskResult", Type("TaskResult")),
    ("HeaderMismatchError", Union("ErrorObject")),
    ("Icon", Type("Icon")),
    ("Icons", Shared),
    ("ImageContent", Type("ImageContent")),
    ("Implementation", Type("Implementation")),
    ("InitializeRequest", Envelope("InitializeRequestParams")),
    ("InitializeRequestParams", Type("InitializeRequestParams")),
    ("InitializeResult", Type("InitializeResult")),
    ("InitializedNotification", Envelope("NotificationParams")),
    ("InputRequest", Type("InputRequest")),
    ("InputRequests", Type("InputRequest")),
    ("InputRequiredResult", Type("InputRequiredResult")),
    ("InputResponse", Union("RawJson")),
    ("InputResponseRequestParams", Shared),
    ("InputResponses", Union("RawJson")),
    ("InternalError", Union("ErrorObject")),
    ("InvalidParamsError", Union("ErrorObject")),
    ("InvalidRequestError", Union("ErrorObject")),
    ("JSONArray", Union("RawJson")),
    ("JSONObject", Union("JsonObject")),
    ("JSONRPCBatchRequest", Union("RawJson")),
    ("JSONRPCBatchResponse", Union("RawJson")),
    ("JSONRPCError", Union("ErrorObject")),
    ("JSONRPCErrorResponse", Union("ErrorObject")),
    ("JSONRPCMessage", Union("Message")),
    ("JSONRPCNotification", Envelope("NotificationParams")),
    ("JSONRPCRequest", Envelope("RequestParams")),
    ("JSONRPCResponse", Envelope("AnyResult")),
    ("JSONRPCResultResponse", Envelope("AnyResult")),
    ("JSONValue", Union("RawJson")),
    ("LegacyTitledEnumSchema", Type("LegacyTitledEnumSchema")),
    ("ListPromptsRequest", Envelope("PaginatedRequestParams")),
    ("ListPromptsResult", Type("ListPromptsResult")),
    ("ListPromptsResultResponse", Envelope("ListPromptsResult")),
    ("ListResourceTemplatesRequest", Envelope("PaginatedRequestParams")),
    ("ListResourceTemplatesResult", Type("ListResourceTemplatesResult")),
    ("ListResourceTemplatesResultResponse", Envelope("ListResourceTemplatesResult")),
    ("ListResourcesRequest", Envelope("PaginatedRequestParams")),
    ("ListResourcesResult", Type("ListResourcesResult")),
    ("ListResourcesResultResponse", Envelope("ListResourcesResult")),
    ("ListRootsRequest", Envelope("RequestParams")),
    ("ListRootsResult", Type("ListRootsResult")),
    ("ListTasksRequest", Envelope("PaginatedRequestParams")),
    ("ListTasksResult", Type("ListTasksResult")),
    ("ListToolsRequest", Envelope("PaginatedRequestParams")),
    ("ListToolsResult", Type("ListToolsResult")),
    ("ListToolsResultResponse", Envelope("ListToolsResult")),
    ("LoggingLevel", Words("LoggingLevel")),
    ("LoggingMessageNotification", Envelope("LoggingMessageNotificationParams")),
    ("LoggingMessageNotificationParams", Type("LoggingMessageNotificationParams")),
    ("MetaObject", Union("MetaObject")),
    ("MethodNotFoundError", Union("ErrorObject")),
    ("MissingRequiredClientCapabilityError", Envelope("MissingRequiredClientCapabilityData")),
    ("ModelHint", Type("ModelHint")),
    ("ModelPreferences", Type("ModelPreferences")),
    ("MultiSelectEnumSchema", Union("PrimitiveSchemaDefinition")),
    ("Notification", Envelope("NotificationParams")),
    ("NotificationMetaObject", Type("Meta")),
    ("NotificationParams", Type("NotificationParams")),
    ("NumberSchema", Type("NumberSchema")),
    ("PaginatedRequest", Envelope("PaginatedRequestParams")),
    ("PaginatedRequestParams", Type("PaginatedRequestParams")),
    ("PaginatedResult", Shared),
    ("ParseError", Union("ErrorObject")),
    ("PingRequest", Envelope("RequestParams")),
    ("PrimitiveSchemaDefinition", Union("PrimitiveSchemaDefinition")),
    ("ProgressNotification", Envelope("ProgressNotificationParams")),
    ("ProgressNotificationParams", Type("ProgressNotificationParams")),
    ("ProgressToken", Union("RequestId")),
    ("Prompt", Type("Prompt")),
    ("PromptArgument", Type("PromptArgument")),
    ("PromptListChangedNotification", Envelope("NotificationParams")),
    ("PromptMessage", Type("PromptMessage")),
    ("PromptReference", Type("PromptReference")),
    ("ReadResourceRequest", Envelope("ReadResourceRequestParams")),
    ("ReadResourceRequestParams", Type("ReadResourceRequestParams")),
    ("ReadResourceResult", Type("ReadResourceResult")),
    ("ReadResourceResultResponse", Envelope("ReadResourceResult")),
    ("RelatedTaskMetadata", Type("RelatedTaskMetadata")),
    ("Request", Envelope("RequestParams")),
    ("RequestId", Union("RequestId")),
    ("RequestMetaObject", Type("Meta")),
    ("RequestParams", Type("RequestParams")),
    ("Resource", Type("Resource")),
    ("ResourceContents", Shared),
    ("ResourceLink", Type("ResourceLink")),
    ("ResourceListChangedNotification", Envelope("NotificationParams")),
    ("ResourceReference", Type("ResourceTemplateReference")),
    ("ResourceRequestParams", Type("ReadResourceRequestParams")),
    ("ResourceTemplate", Type("ResourceTemplate")),
    ("ResourceTemplateReference", Type("ResourceTemplateReference")),
    ("ResourceUpdatedNotification", Envelope("ResourceUpdatedNotificationParams")),
    ("ResourceUpdatedNotificationParams", Type("ResourceUpdatedNotificationParams")),
    ("Result", Type("AnyResult")),
    ("ResultMetaObject", Type("Meta")),
    ("ResultType", Words("ResultType")),
    ("Role", Words("Role")),
    ("Root", Type("Root")),
    ("RootsListChangedNotification", Envelope("NotificationParams")),
    ("SamplingMessage", Type("SamplingMessage")),
    ("SamplingMessageContentBlock", Union("SamplingMessageContentBlock")),
    ("ServerCapabilities", Type("ServerCapabilities")),
    ("ServerNotification", Union("Message")),
    ("ServerRequest", Union("Message")),
    ("ServerResult", Union("Message")),
    ("SetLevelRequest", Envelope("SetLevelRequestParams")),
    ("SetLevelRequestParams", Type("SetLevelRequestParams")),
    ("SingleSelectEnumSchema", Union("PrimitiveSchemaDefinition")),
    ("StringSchema", Type("StringSchema")),
    ("SubscribeRequest", Envelope("SubscribeRequestParams")),
    ("SubscribeRequestParams", Type("SubscribeRequestParams")),
    ("SubscriptionFilter", Type("SubscriptionFilter")),
    ("SubscriptionsAcknowledgedNotification", Envelope("SubscriptionsAcknowledgedNotificationParams")),
    ("SubscriptionsAcknowledgedNotificationParams", Type("SubscriptionsAcknowledgedNotificationParams")),
    ("SubscriptionsListenRequest", Envelope("SubscriptionsListenRequestParams")),
    ("SubscriptionsListenRequestParams", Type("SubscriptionsListenRequestParams")),
    ("SubscriptionsListenResult", Type("SubscriptionsListenResult")),
    ("SubscriptionsListenResultMetaObject", Type("Meta")),
    ("SubscriptionsListenResultResponse", Envelope("SubscriptionsListenResult")),
    ("Task", Type("Task")),
    ("TaskAugmentedRequestParams", Shared),
    ("TaskMetadata", Type("TaskMetadata")),
    ("TaskStatus", Words("TaskStatus")),
    ("TaskStatusNotification", Envelope("TaskStatusNotificationParams")),
    ("TaskStatusNotificationParams", Type("TaskStatusNotificationParams")),
    ("TextContent", Type("TextContent")),
    ("TextResourceContents", Type("TextResourceContents")),
    ("TitledMultiSelectEnumSchema", Type("TitledMultiSelectEnumSchema")),
    ("TitledSingleSelectEnumSchema", Type("TitledSingleSelectEnumSchema")),
    ("Tool", Type("Tool")),
    ("ToolAnnotations", Type("ToolAnnotations")),
    ("ToolChoice", Type("ToolChoice")),
    ("ToolExecution", Type("ToolExecution")),
    ("ToolListChangedNotification", Envelope("NotificationParams")),
    ("ToolResultContent", Type("ToolResultContent")),
    ("ToolUseContent", Type("ToolUseContent")),
    ("URLElicitationRequiredError", Envelope("UrlElicitationRequiredData")),
    ("UnsubscribeRequest", Envelope("SubscribeRequestParams")),
    ("UnsubscribeRequestParams", Type("SubscribeRequestParams")),
    ("UnsupportedProtocolVersionError", Envelope("UnsupportedProtocolVersionData")),
    ("UntitledMultiSelectEnumSchema", Type("UntitledMultiSelectEnumSchema")),
    ("UntitledSingleSelectEnumSchema", Type("UntitledSingleSelectEnumSchema")),
];

#[test]
fn every_definition_is_covered_and_every_listed_one_is_defined() {
    let schemas = schemas();
    let defined: BTreeSet<&str> =
        schemas.iter().flat_map(|schema| schema.definitions().keys()).map(String::as_str).collect();
    let listed: BTreeSet<&str> = DEFINITIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(listed.len(), DEFINITIONS.len(), "a definition is listed twice");
    if !schemas.is_empty() {
        assert_eq!(listed, defined);
    }
}

#[test]
fn what_covers_a_definition_exists() {
    let unions = UNIONS.map(|(name, ..)| name);
    let words: Vec<&str> = words().into_iter().map(|(name, ..)| name).collect();
    for (name, covered) in DEFINITIONS {
        let exists = match covered {
            Type(by) | Envelope(by) => TABLES.iter().any(|table| table.name == *by),
            Union(by) => unions.contains(by),
            Words(by) => words.contains(by),
            Shared => true,
        };
        assert!(exists, "{name}: {covered:?}");
    }
    let used: BTreeSet<&str> = DEFINITIONS
        .iter()
        .filter_map(|(_, covered)| match covered {
            Type(by) | Envelope(by) | Union(by) | Words(by) => Some(*by),
            Shared => None,
        })
        .collect();
    for table in TABLES.iter().filter(|table| !PARTS.contains(&table.name)) {
        assert!(used.contains(table.name), "{} covers nothing", table.name);
    }
}

/// Types without a definition of their own: the schemas describe them inside another one, or an extension
/// or the prose does.
const PARTS: &[&str] = &[
    "ClientTaskRequests",
    "ClientTasksCapability",
    "Completion",
    "CompletionArgument",
    "CompletionContext",
    "ElicitSchema",
    "ElicitationCapability",
    "ElicitationTaskRequests",
    "EnumOption",
    "PromptsCapability",
    "ResourceNotFoundData",
    "ResourcesCapability",
    "RootsCapability",
    "SamplingCapability",
    "SamplingTaskRequests",
    "ServerTaskRequests",
    "ServerTasksCapability",
    "TitledItems",
    "ToolTaskRequests",
    "ToolsCapability",
    "UntitledItems",
    "UpdateTaskRequestParams",
];
