//! Fully populated values: every member that any revision has, as one JSON text per type.

use serde_json::{Value, json};

pub(crate) fn meta() -> Value {
    json!({ "x.example/a": { "n": 1 } })
}

pub(crate) fn message_meta() -> Value {
    json!({
        "progressToken": "t",
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": client_capabilities(),
        "io.modelcontextprotocol/clientInfo": implementation(),
        "io.modelcontextprotocol/logLevel": "debug",
        "io.modelcontextprotocol/serverInfo": implementation(),
        "io.modelcontextprotocol/subscriptionId": 7,
        "io.modelcontextprotocol/related-task": { "taskId": "t" },
        "io.modelcontextprotocol/model-immediate-response": "soon",
        "traceparent": "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01",
        "tracestate": "a=b",
        "baggage": "c=d"
    })
}

pub(crate) fn icon() -> Value {
    json!({ "src": "https://a.example/i.png", "mimeType": "image/png", "sizes": ["48x48"], "theme": "dark" })
}

pub(crate) fn implementation() -> Value {
    json!({
        "name": "n", "title": "N", "version": "1", "description": "d",
        "websiteUrl": "https://a.example/", "icons": [icon()]
    })
}

pub(crate) fn client_capabilities() -> Value {
    json!({
        "roots": { "listChanged": true },
        "sampling": { "context": {}, "tools": {} },
        "elicitation": { "form": {}, "url": {} },
        "tasks": client_tasks(),
        "extensions": { "x.example/e": {} },
        "experimental": { "x": {} }
    })
}

pub(crate) fn client_tasks() -> Value {
    json!({
        "list": {}, "cancel": {},
        "requests": { "sampling": { "createMessage": {} }, "elicitation": { "create": {} } }
    })
}

pub(crate) fn server_capabilities() -> Value {
    json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "prompts": { "listChanged": true },
        "completions": {}, "logging": {},
        "tasks": server_tasks(),
        "extensions": { "x.example/e": {} },
        "experimental": { "x": {} }
    })
}

pub(crate) fn server_tasks() -> Value {
    json!({ "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } })
}

pub(crate) fn annotations() -> Value {
    json!({ "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2026-01-01T00:00:00Z" })
}

pub(crate) fn text() -> Value {
    json!({ "type": "text", "text": "a", "annotations": annotations(), "_meta": meta() })
}

pub(crate) fn image() -> Value {
    json!({
        "type": "image", "data": "AA==", "mimeType": "image/png",
        "annotations": annotations(), "_meta": meta()
    })
}

pub(crate) fn audio() -> Value {
    json!({
        "type": "audio", "data": "AA==", "mimeType": "audio/wav",
        "annotations": annotations(), "_meta": meta()
    })
}

pub(crate) fn resource() -> Value {
    json!({
        "name": "r", "title": "R", "uri": "file:///r", "description": "d", "mimeType": "text/plain",
        "size": 5, "annotations": annotations(), "icons": [icon()], "_meta": meta()
    })
}

pub(crate) fn resource_template() -> Value {
    json!({
        "name": "r", "title": "R", "uriTemplate": "file:///{r}", "description": "d",
        "mimeType": "text/plain", "annotations": annotations(), "icons": [icon()], "_meta": meta()
    })
}

pub(crate) fn resource_link() -> Value {
    let mut link = resource();
    link["type"] = json!("resource_link");
    link
}

pub(crate) fn text_contents() -> Value {
    json!({ "uri": "file:///r", "mimeType": "text/plain", "text": "a", "_meta": meta() })
}

pub(crate) fn blob_contents() -> Value {
    json!({ "uri": "file:///r", "mimeType": "image/png", "blob": "AA==", "_meta": meta() })
}

pub(crate) fn embedded() -> Value {
    json!({
        "type": "resource", "resource": text_contents(), "annotations": annotations(), "_meta": meta()
    })
}

/// All kinds of content.
pub(crate) fn blocks() -> Value {
    json!([text(), image(), audio(), resource_link(), embedded()])
}

pub(crate) fn tool_annotations() -> Value {
    json!({
        "title": "T", "readOnlyHint": true, "destructiveHint": false,
        "idempotentHint": true, "openWorldHint": false
    })
}

pub(crate) fn tool() -> Value {
    json!({
        "name": "t", "title": "T", "description": "d",
        "inputSchema": { "type": "object", "properties": { "a": { "type": "integer" } } },
        "outputSchema": { "type": "object" },
        "annotations": tool_annotations(), "execution": { "taskSupport": "optional" },
        "icons": [icon()], "_meta": meta()
    })
}

/// A tool whose structured results are lists.
pub(crate) fn list_tool() -> Value {
    let mut tool = tool();
    tool["outputSchema"] = json!({ "type": "array", "items": { "type": "integer" } });
    tool
}

pub(crate) fn prompt_argument() -> Value {
    json!({ "name": "a", "title": "A", "description": "d", "required": true })
}

pub(crate) fn prompt() -> Value {
    json!({
        "name": "p", "title": "P", "description": "d", "arguments": [prompt_argument()],
        "icons": [icon()], "_meta": meta()
    })
}

pub(crate) fn root() -> Value {
    json!({ "uri": "file:///a", "name": "A", "_meta": meta() })
}

pub(crate) fn tool_use() -> Value {
    json!({ "type": "tool_use", "id": "1", "name": "t", "input": { "a": 1 }, "_meta": meta() })
}

pub(crate) fn tool_result() -> Value {
    json!({
        "type": "tool_result", "toolUseId": "1", "content": blocks(), "structuredContent": [1],
        "isError": false, "_meta": meta()
    })
}

pub(crate) fn sampling_message() -> Value {
    json!({
        "role": "user", "content": [text(), image(), audio(), tool_use(), tool_result()], "_meta": meta()
    })
}

pub(crate) fn model_preferences() -> Value {
    json!({
        "hints": [{ "name": "m" }], "costPriority": 0.1, "speedPriority": 0.25, "intelligencePriority": 1
    })
}

pub(crate) fn create_message() -> Value {
    json!({
        "messages": [sampling_message()], "modelPreferences": model_preferences(), "systemPrompt": "s",
        "includeContext": "none", "temperature": 0.5, "maxTokens": 10, "stopSequences": ["."],
        "metadata": { "p": 1 }, "tools": [tool(), list_tool()], "toolChoice": { "mode": "auto" },
        "task": { "ttl": 5 }, "_meta": message_meta()
    })
}

pub(crate) fn create_message_result() -> Value {
    json!({
        "role": "assistant", "content": [text(), tool_use()], "model": "m", "stopReason": "toolUse",
        "_meta": message_meta()
    })
}

pub(crate) fn string_schema() -> Value {
    json!({
        "type": "string", "title": "T", "description": "d", "minLength": 1, "maxLength": 9,
        "format": "email", "default": "a@a.example"
    })
}

pub(crate) fn number_schema() -> Value {
    json!({
        "type": "integer", "title": "T", "description": "d", "minimum": 1, "maximum": 9, "default": 2
    })
}

pub(crate) fn boolean_schema() -> Value {
    json!({ "type": "boolean", "title": "T", "description": "d", "default": true })
}

pub(crate) fn single_select() -> Value {
    json!({ "type": "string", "title": "T", "description": "d", "enum": ["a"], "default": "a" })
}

pub(crate) fn option() -> Value {
    json!({ "const": "a", "title": "A" })
}

pub(crate) fn titled_single_select() -> Value {
    json!({ "type": "string", "title": "T", "description": "d", "oneOf": [option()], "default": "a" })
}

pub(crate) fn multi_select() -> Value {
    json!({
        "type": "array", "title": "T", "description": "d", "minItems": 1, "maxItems": 2,
        "items": { "type": "string", "enum": ["a"] }, "default": ["a"]
    })
}

pub(crate) fn titled_multi_select() -> Value {
    json!({
        "type": "array", "title": "T", "description": "d", "minItems": 1, "maxItems": 2,
        "items": { "anyOf": [option()] }, "default": ["a"]
    })
}

pub(crate) fn legacy_titled() -> Value {
    json!({
        "type": "string", "title": "T", "description": "d", "enum": ["a"], "enumNames": ["A"],
        "default": "a"
    })
}

pub(crate) fn elicit_schema() -> Value {
    json!({
        "type": "object", "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {
            "string": string_schema(), "number": number_schema(), "boolean": boolean_schema(),
            "single": single_select(), "titled": titled_single_select(), "multi": multi_select(),
            "titled multi": titled_multi_select(), "legacy": legacy_titled()
        },
        "required": ["string"]
    })
}

pub(crate) fn elicit_form() -> Value {
    json!({
        "mode": "form", "message": "m", "requestedSchema": elicit_schema(), "task": { "ttl": 5 },
        "_meta": message_meta()
    })
}

pub(crate) fn elicit_url() -> Value {
    json!({
        "mode": "url", "message": "m", "url": "https://a.example/", "elicitationId": "e",
        "task": { "ttl": 5 }, "_meta": message_meta()
    })
}

pub(crate) fn elicit_result() -> Value {
    json!({
        "action": "accept", "content": { "a": "x", "b": 1, "c": true, "d": ["y"] }, "_meta": message_meta()
    })
}

pub(crate) fn task() -> Value {
    json!({
        "taskId": "t", "status": "working", "statusMessage": "m", "createdAt": "2026-01-01T00:00:00Z",
        "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": 5, "pollInterval": 1
    })
}

pub(crate) fn detailed_task() -> Value {
    let mut task = task();
    task["inputRequests"] = input_requests();
    task["result"] = json!({});
    task["error"] = json!({ "code": 1, "message": "m" });
    task["_meta"] = message_meta();
    task
}

pub(crate) fn input_requests() -> Value {
    json!({
        "a": { "method": "elicitation/create", "params": { "mode": "url", "message": "m", "url": "https://a.example/" } },
        "b": { "method": "roots/list" }
    })
}

pub(crate) fn input_responses() -> Value {
    json!({ "a": { "action": "decline" }, "b": { "roots": [] } })
}

pub(crate) fn filter() -> Value {
    json!({
        "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false,
        "resourceSubscriptions": ["file:///r"], "taskIds": ["t"]
    })
}
