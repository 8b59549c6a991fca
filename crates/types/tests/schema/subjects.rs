//! Every type of the model with its full value.

use hermes_types::*;
use serde_json::json;

use crate::full::*;
use crate::subject::{Subject, plain, spoken};

/// All types that have a table.
pub(crate) fn subjects() -> Vec<Subject> {
    [
        common(),
        capabilities(),
        content(),
        tools(),
        resources(),
        prompts(),
        requests(),
        sampling(),
        forms(),
        tasks(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn common() -> Vec<Subject> {
    vec![
        plain::<Meta>(message_meta())
            .at("Request/properties/params/properties/_meta")
            .then(Revision::V2025_11_25, "RequestParams/properties/_meta")
            .then(Revision::V2026_07_28, "RequestMetaObject"),
        plain::<RelatedTaskMetadata>(json!({ "taskId": "t" })),
        plain::<Icon>(icon()),
        plain::<Implementation>(implementation()),
        plain::<RequestParams>(json!({ "_meta": message_meta() }))
            .at("PingRequest/properties/params")
            .then(Revision::V2025_11_25, "RequestParams"),
        plain::<NotificationParams>(json!({ "_meta": message_meta() }))
            .at("Notification/properties/params")
            .then(Revision::V2025_11_25, "NotificationParams"),
        plain::<PaginatedRequestParams>(json!({ "cursor": "c", "_meta": message_meta() }))
            .params_of("PaginatedRequest"),
        plain::<EmptyResult>(json!({ "_meta": message_meta() })),
        plain::<AnyResult>(json!({ "_meta": message_meta() })).at("Result"),
        plain::<InitializeRequestParams>(json!({
            "protocolVersion": "2025-11-25", "capabilities": client_capabilities(),
            "clientInfo": implementation(), "_meta": message_meta()
        }))
        .params_of("InitializeRequest"),
        plain::<InitializeResult>(json!({
            "protocolVersion": "2025-11-25", "capabilities": server_capabilities(),
            "serverInfo": implementation(), "instructions": "i", "_meta": message_meta()
        })),
        plain::<DiscoverResult>(json!({
            "supportedVersions": ["2026-07-28"], "capabilities": server_capabilities(), "instructions": "i",
            "ttlMs": 5, "cacheScope": "public", "_meta": message_meta()
        })),
        plain::<UnsupportedProtocolVersionData>(json!({ "requested": "a", "supported": ["b"] }))
            .at("UnsupportedProtocolVersionError/properties/error/allOf/1/properties/data"),
        plain::<MissingRequiredClientCapabilityData>(
            json!({ "requiredCapabilities": client_capabilities() }),
        )
        .at("MissingRequiredClientCapabilityError/properties/error/allOf/1/properties/data"),
        plain::<UrlElicitationRequiredData>(json!({ "elicitations": [elicit_url()] }))
            .at("URLElicitationRequiredError/properties/error/allOf/1/properties/data"),
        plain::<ResourceNotFoundData>(json!({ "uri": "file:///r" })),
    ]
}

fn capabilities() -> Vec<Subject> {
    vec![
        plain::<ClientCapabilities>(client_capabilities()),
        plain::<ServerCapabilities>(server_capabilities()),
        plain::<RootsCapability>(json!({ "listChanged": true })).at("ClientCapabilities/properties/roots"),
        plain::<SamplingCapability>(json!({ "context": {}, "tools": {} }))
            .at("ClientCapabilities/properties/sampling"),
        plain::<ElicitationCapability>(json!({ "form": {}, "url": {} }))
            .at("ClientCapabilities/properties/elicitation"),
        plain::<ToolsCapability>(json!({ "listChanged": true })).at("ServerCapabilities/properties/tools"),
        plain::<PromptsCapability>(json!({ "listChanged": true }))
            .at("ServerCapabilities/properties/prompts"),
        plain::<ResourcesCapability>(json!({ "subscribe": true, "listChanged": true }))
            .at("ServerCapabilities/properties/resources"),
        plain::<ClientTasksCapability>(client_tasks()).at("ClientCapabilities/properties/tasks"),
        plain::<ClientTaskRequests>(client_tasks()["requests"].clone())
            .at("ClientCapabilities/properties/tasks/properties/requests"),
        plain::<SamplingTaskRequests>(client_tasks()["requests"]["sampling"].clone())
            .at("ClientCapabilities/properties/tasks/properties/requests/properties/sampling"),
        plain::<ElicitationTaskRequests>(client_tasks()["requests"]["elicitation"].clone())
            .at("ClientCapabilities/properties/tasks/properties/requests/properties/elicitation"),
        plain::<ServerTasksCapability>(server_tasks()).at("ServerCapabilities/properties/tasks"),
        plain::<ServerTaskRequests>(server_tasks()["requests"].clone())
            .at("ServerCapabilities/properties/tasks/properties/requests"),
        plain::<ToolTaskRequests>(server_tasks()["requests"]["tools"].clone())
            .at("ServerCapabilities/properties/tasks/properties/requests/properties/tools"),
    ]
}

fn content() -> Vec<Subject> {
    vec![
        plain::<Annotations>(annotations())
            .at("Annotated/properties/annotations")
            .then(Revision::V2025_03_26, "Annotations"),
        plain::<TextContent>(text()),
        plain::<ImageContent>(image()),
        plain::<AudioContent>(audio()),
        plain::<ResourceLink>(resource_link()),
        plain::<EmbeddedResource>(embedded()),
        plain::<TextResourceContents>(text_contents()),
        plain::<BlobResourceContents>(blob_contents()),
    ]
}

fn tools() -> Vec<Subject> {
    vec![
        plain::<Tool>(tool()),
        plain::<ToolAnnotations>(tool_annotations()),
        plain::<ToolExecution>(json!({ "taskSupport": "optional" })),
        spoken::<ListToolsResult>(
            json!({
                "tools": [tool(), list_tool()], "nextCursor": "c", "ttlMs": 5, "cacheScope": "public",
                "_meta": message_meta()
            }),
            |page, revision| page.downgrade(revision).0,
        ),
        plain::<CallToolRequestParams>(json!({
            "name": "t", "arguments": { "a": 1 }, "task": { "ttl": 5 }, "inputResponses": input_responses(),
            "requestState": "s", "_meta": message_meta()
        }))
        .params_of("CallToolRequest"),
        spoken::<CallToolResult>(
            json!({ "content": blocks(), "structuredContent": {}, "isError": false, "_meta": message_meta() }),
            |result, revision| {
                // An object may be said since 2025-06-18, anything since 2026-07-28.
                let any = RawJson::parse("[1]").expect("JSON");
                let result = if revision.is_modern() { result.with_structured_content(any) } else { result };
                result.downgrade(revision).0
            },
        ),
    ]
}

fn resources() -> Vec<Subject> {
    let page = |member: &str, items: serde_json::Value| {
        json!({
            member: items, "nextCursor": "c", "ttlMs": 5, "cacheScope": "private", "_meta": message_meta()
        })
    };
    vec![
        plain::<Resource>(resource()),
        plain::<ResourceTemplate>(resource_template()),
        plain::<ListResourcesResult>(page("resources", json!([resource()]))),
        plain::<ListResourceTemplatesResult>(page("resourceTemplates", json!([resource_template()]))),
        plain::<ReadResourceRequestParams>(json!({
            "uri": "file:///r", "inputResponses": input_responses(), "requestState": "s",
            "_meta": message_meta()
        }))
        .params_of("ReadResourceRequest"),
        plain::<ReadResourceResult>(json!({
            "contents": [text_contents(), blob_contents()], "ttlMs": 5, "cacheScope": "public",
            "_meta": message_meta()
        })),
        plain::<SubscribeRequestParams>(json!({ "uri": "file:///r", "_meta": message_meta() }))
            .params_of("SubscribeRequest"),
        plain::<ResourceUpdatedNotificationParams>(json!({ "uri": "file:///r", "_meta": message_meta() }))
            .params_of("ResourceUpdatedNotification"),
        plain::<SubscriptionFilter>(filter()),
        plain::<SubscriptionsListenRequestParams>(json!({
            "notifications": filter(), "_meta": message_meta()
        })),
        plain::<SubscriptionsAcknowledgedNotificationParams>(json!({
            "notifications": filter(), "_meta": message_meta()
        })),
        plain::<SubscriptionsListenResult>(json!({ "_meta": message_meta() })),
    ]
}

fn prompts() -> Vec<Subject> {
    vec![
        plain::<Prompt>(prompt()),
        plain::<PromptArgument>(prompt_argument()),
        spoken::<PromptMessage>(
            json!({ "role": "user", "content": resource_link() }),
            |message, revision| message.downgrade(revision).0,
        ),
        plain::<ListPromptsResult>(json!({
            "prompts": [prompt()], "nextCursor": "c", "ttlMs": 5, "cacheScope": "public",
            "_meta": message_meta()
        })),
        plain::<GetPromptRequestParams>(json!({
            "name": "p", "arguments": { "a": "x" }, "inputResponses": input_responses(),
            "requestState": "s", "_meta": message_meta()
        }))
        .params_of("GetPromptRequest"),
        spoken::<GetPromptResult>(
            json!({
                "description": "d", "messages": [{ "role": "assistant", "content": audio() }],
                "_meta": message_meta()
            }),
            |result, revision| result.downgrade(revision).0,
        ),
        plain::<CompleteRequestParams>(json!({
            "ref": { "type": "ref/prompt", "name": "p", "title": "P" },
            "argument": { "name": "a", "value": "x" }, "context": { "arguments": { "b": "y" } },
            "_meta": message_meta()
        }))
        .params_of("CompleteRequest"),
        plain::<PromptReference>(json!({ "type": "ref/prompt", "name": "p", "title": "P" })),
        plain::<ResourceTemplateReference>(json!({ "type": "ref/resource", "uri": "file:///{r}" }))
            .at("ResourceReference")
            .then(Revision::V2025_06_18, "ResourceTemplateReference"),
        plain::<CompletionArgument>(json!({ "name": "a", "value": "x" }))
            .at("CompleteRequest/properties/params/properties/argument")
            .then(Revision::V2025_11_25, "CompleteRequestParams/properties/argument"),
        plain::<CompletionContext>(json!({ "arguments": { "b": "y" } }))
            .at("CompleteRequest/properties/params/properties/context")
            .then(Revision::V2025_11_25, "CompleteRequestParams/properties/context"),
        plain::<CompleteResult>(json!({
            "completion": { "values": ["a"], "total": 1, "hasMore": false }, "_meta": message_meta()
        })),
        plain::<Completion>(json!({ "values": ["a"], "total": 1, "hasMore": false }))
            .at("CompleteResult/properties/completion"),
    ]
}

fn requests() -> Vec<Subject> {
    vec![
        plain::<SetLevelRequestParams>(json!({ "level": "info", "_meta": message_meta() }))
            .params_of("SetLevelRequest"),
        plain::<LoggingMessageNotificationParams>(json!({
            "level": "info", "logger": "l", "data": [1], "_meta": message_meta()
        }))
        .params_of("LoggingMessageNotification"),
        plain::<ProgressNotificationParams>(json!({
            "progressToken": 1, "progress": 0.5, "total": 2, "message": "m", "_meta": message_meta()
        }))
        .params_of("ProgressNotification"),
        plain::<CancelledNotificationParams>(json!({
            "requestId": 1, "reason": "r", "_meta": message_meta()
        }))
        .params_of("CancelledNotification"),
        plain::<Root>(root()),
        plain::<ListRootsResult>(json!({ "roots": [root()], "_meta": message_meta() })),
        plain::<InputRequiredResult>(json!({
            "inputRequests": input_requests(), "requestState": "s", "_meta": message_meta()
        })),
        plain::<InputRequest>(input_requests()["a"].clone()),
    ]
}

fn sampling() -> Vec<Subject> {
    vec![
        spoken::<CreateMessageRequestParams>(create_message(), |request, revision| {
            request.downgrade(revision).0
        })
        .params_of("CreateMessageRequest"),
        spoken::<SamplingMessage>(sampling_message(), |message, revision| {
            message.downgrade(revision).0.swap_remove(0)
        }),
        spoken::<CreateMessageResult>(create_message_result(), |result, revision| {
            result.downgrade(revision).0
        }),
        plain::<ModelPreferences>(model_preferences()),
        plain::<ModelHint>(json!({ "name": "m" })),
        plain::<ToolChoice>(json!({ "mode": "auto" })),
        plain::<ToolUseContent>(tool_use()),
        spoken::<ToolResultContent>(tool_result(), |content, revision| {
            let object =
                ToolResultContent { structured_content: Some(RawJson::empty_object()), ..content.clone() };
            if revision.is_modern() { content } else { object }
        }),
    ]
}

fn forms() -> Vec<Subject> {
    vec![
        spoken::<ElicitRequestFormParams>(elicit_form(), |form, revision| ElicitRequestFormParams {
            requested_schema: form.requested_schema.downgrade(revision).0,
            ..form
        })
        .at("ElicitRequest/properties/params")
        .then(Revision::V2025_11_25, "ElicitRequestFormParams"),
        plain::<ElicitRequestUrlParams>(elicit_url()).at("ElicitRequestURLParams"),
        spoken::<ElicitSchema>(elicit_schema(), |schema, revision| schema.downgrade(revision).0)
            .at("ElicitRequest/properties/params/properties/requestedSchema")
            .then(Revision::V2025_11_25, "ElicitRequestFormParams/properties/requestedSchema"),
        spoken::<ElicitResult>(elicit_result(), |result, revision| {
            // An answer with a list is one to a choice of several values, which came with 2025-11-25.
            let old = RawJson::parse(r#"{"a":"x","b":1,"c":true}"#).expect("JSON");
            if revision < Revision::V2025_11_25 {
                ElicitResult { content: Some(old), ..result }
            } else {
                result
            }
        }),
        plain::<ElicitationCompleteNotificationParams>(json!({
            "elicitationId": "e", "_meta": message_meta()
        }))
        .at("ElicitationCompleteNotification/properties/params"),
        plain::<StringSchema>(string_schema()),
        plain::<NumberSchema>(number_schema()),
        plain::<BooleanSchema>(boolean_schema()),
        plain::<UntitledSingleSelectEnumSchema>(single_select())
            .at("EnumSchema")
            .then(Revision::V2025_11_25, "UntitledSingleSelectEnumSchema"),
        plain::<TitledSingleSelectEnumSchema>(titled_single_select()),
        plain::<EnumOption>(option()).at("TitledSingleSelectEnumSchema/properties/oneOf/items"),
        plain::<UntitledMultiSelectEnumSchema>(multi_select()),
        plain::<UntitledItems>(multi_select()["items"].clone())
            .at("UntitledMultiSelectEnumSchema/properties/items"),
        plain::<TitledMultiSelectEnumSchema>(titled_multi_select()),
        plain::<TitledItems>(titled_multi_select()["items"].clone())
            .at("TitledMultiSelectEnumSchema/properties/items"),
        plain::<LegacyTitledEnumSchema>(legacy_titled())
            .at("EnumSchema")
            .then(Revision::V2025_11_25, "LegacyTitledEnumSchema"),
    ]
}

fn tasks() -> Vec<Subject> {
    vec![
        plain::<TaskMetadata>(json!({ "ttl": 5 })),
        plain::<Task>(task()),
        plain::<CreateTaskResult>(json!({ "task": task(), "_meta": message_meta() })),
        plain::<TaskResult>(detailed_task()).at("GetTaskResult"),
        plain::<GetTaskRequestParams>(json!({ "taskId": "t", "_meta": message_meta() }))
            .at("GetTaskRequest/properties/params"),
        plain::<UpdateTaskRequestParams>(json!({
            "taskId": "t", "inputResponses": input_responses(), "_meta": message_meta()
        })),
        plain::<ListTasksResult>(json!({ "tasks": [task()], "nextCursor": "c", "_meta": message_meta() })),
        plain::<TaskStatusNotificationParams>(detailed_task()),
    ]
}
