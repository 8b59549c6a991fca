//! The conversation, step by step.

// The newest revision deprecates sampling, roots and logging; the server speaks them all the same.
#![expect(deprecated)]

use std::sync::Arc;
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, GetPromptRequestParams, LoggingLevel, ReadResourceRequestParams,
    RequestMetaObject, ServerNotification, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RoleClient, RunningService, ServiceError, Subscription};
use serde_json::{Value, json};

use crate::handler::Host;
use crate::heard::Everything;
use crate::step::{Seen, plain, step, step_since};

const COUNTER: &str = "demo://counter";

pub struct Conversation {
    pub client: RunningService<RoleClient, Host>,
    pub heard: Arc<Everything>,
    pub modern: bool,
}

impl Conversation {
    pub async fn hold(self, started: Instant) {
        step_since(started, "opening", self.opening()).await;
        step("tools", self.tools()).await;
        step("resources", self.resources()).await;
        step("prompts", self.prompts()).await;
        step("completion", self.completion()).await;
        if self.modern {
            step("subscriptions", self.listening()).await;
        } else {
            step("subscriptions", self.subscriptions()).await;
        }
        step("progress", self.progress()).await;
        step("cancellation", self.cancellation()).await;
        step("elicitation", self.elicitation()).await;
        step("sampling", self.sampling()).await;
        step("roots", self.roots()).await;
        step("logging", self.logging()).await;
        step("closing", self.closing()).await;
    }

    async fn opening(&self) -> Seen {
        let server = plain(&self.client.peer_info().ok_or("the server did not say who it is")?);
        let instructions = server["instructions"].as_str().unwrap_or_default();
        Ok(json!({
            "name": server["serverInfo"]["name"],
            "instructions": instructions.starts_with("This server shows"),
        }))
    }

    async fn tools(&self) -> Seen {
        let sum = self.call("add", json!({ "a": 2, "b": 3 })).await?;
        let failed = self.call("fail", json!({ "message": "as asked" })).await?;
        let image = &self.call("image", json!({})).await?["content"][0];
        let audio = &self.call("audio", json!({})).await?["content"][0];
        let embedded = &self.call("embedded", json!({})).await?["content"][0];
        let link = &self.call("link", json!({})).await?["content"][0];
        Ok(json!({
            "names": self.tool_names().await?,
            "echo": text(&self.call("echo", json!({ "text": "héllo \u{1F44B}" })).await?),
            "add": [text(&sum), sum["structuredContent"]],
            "fail": [failed["isError"], text(&failed)],
            "unknown": code(self.call("no-such-tool", json!({})).await),
            "image": [image["type"], image["mimeType"], start(&image["data"], 11)],
            "audio": [audio["type"], audio["mimeType"], start(&audio["data"], 5)],
            "embedded": [embedded["type"], embedded["resource"]["uri"], embedded["resource"]["text"]],
            "link": [link["type"], link["uri"]],
        }))
    }

    async fn resources(&self) -> Seen {
        let logo = self.read("demo://logo").await?;
        let listed = self.client.list_all_resources().await?;
        let templates = self.client.list_all_resource_templates().await?;
        Ok(json!({
            "uris": members(&plain(&listed), "uri"),
            "templates": members(&plain(&templates), "uriTemplate"),
            "greeting": self.read("demo://greeting").await?["text"],
            "logo": [logo["mimeType"], start(&logo["blob"], 11)],
            "user": self.read("demo://users/ada").await?["text"],
            "unknown": code(self.read("demo://nothing").await),
        }))
    }

    async fn prompts(&self) -> Seen {
        let greet = &self.prompt("greet", json!({ "name": "Ada" })).await?["messages"][0];
        let review = self.prompt("review", json!({ "code": "1", "language": "rust" })).await?;
        let listed = self.client.list_all_prompts().await?;
        Ok(json!({
            "names": members(&plain(&listed), "name"),
            "greet": [greet["role"], greet["content"]["text"]],
            "review": review["messages"][0]["content"]["text"],
            "incomplete": code(self.prompt("greet", json!({})).await),
            "unknown": code(self.prompt("no-such-prompt", json!({})).await),
        }))
    }

    async fn completion(&self) -> Seen {
        Ok(json!({
            "language": self.client.complete_prompt_simple("review", "language", "ru").await?,
            "name": self.client.complete_resource_simple("demo://users/{name}", "name", "a").await?,
        }))
    }

    /// In the legacy era a resource is subscribed to, and changes of lists come unasked.
    async fn subscriptions(&self) -> Seen {
        self.client.subscribe(SubscribeRequestParams::new(COUNTER)).await?;
        self.call("touch", json!({})).await?;
        self.heard.updated.until(1).await;
        let counter = self.read(COUNTER).await?["text"].clone();
        self.client.unsubscribe(UnsubscribeRequestParams::new(COUNTER)).await?;
        // Nobody watches any more. The change of the list comes later, and an update would have come before it.
        self.call("touch", json!({})).await?;
        self.call("toggle", json!({})).await?;
        self.heard.changed.until(1).await;
        let with_extra = self.has_extra().await?;
        self.call("toggle", json!({})).await?;
        let changed = self.heard.changed.until(2).await;
        Ok(json!({
            "counter": counter,
            "with_extra": with_extra,
            "without_extra": !self.has_extra().await?,
            "updated": self.heard.updated.until(0).await,
            "changed": changed.len(),
        }))
    }

    /// In the modern era the client listens to what it asked for, and to nothing else.
    async fn listening(&self) -> Seen {
        let filter = SubscriptionFilter::builder().resource_subscription(COUNTER).build();
        let mut subscription = self.client.listen(filter).await?;
        self.call("touch", json!({})).await?;
        let updated = vec![next(&mut subscription).await?];
        let counter = self.read(COUNTER).await?["text"].clone();
        subscription.cancel().await?;
        // Nobody watches any more. An update would end the subscription below with an error: it is none of its own.
        self.call("touch", json!({})).await?;
        let filter = SubscriptionFilter::builder().tools_list_changed().build();
        let mut subscription = self.client.listen(filter).await?;
        self.call("toggle", json!({})).await?;
        let mut changed = vec![next(&mut subscription).await?];
        let with_extra = self.has_extra().await?;
        self.call("toggle", json!({})).await?;
        changed.push(next(&mut subscription).await?);
        let without_extra = !self.has_extra().await?;
        subscription.cancel().await?;
        Ok(json!({
            "counter": counter,
            "with_extra": with_extra,
            "without_extra": without_extra,
            "updated": updated,
            "changed": changed.iter().filter(|change| **change == json!("tools")).count(),
        }))
    }

    async fn progress(&self) -> Seen {
        // The SDK asks for notes with every request, and hands each on in a task of its own: in any order.
        let result = self.call("progress", json!({ "n": 5, "interval_ms": 1 })).await?;
        let mut notes = self.heard.notes.until(5).await;
        notes.sort_by_key(ToString::to_string);
        Ok(json!({ "notes": notes, "result": text(&result) }))
    }

    async fn cancellation(&self) -> Seen {
        // Whoever no longer waits has cancelled.
        let running = tokio::select! {
            slept = self.call("sleep", json!({ "ms": 600_000 })) => return Err(format!("it slept: {slept:?}").into()),
            running = self.counters("started") => running?,
        };
        Ok(json!({ "running": running, "counters": self.counters("cancelled").await? }))
    }

    async fn elicitation(&self) -> Seen {
        let mut seen = Vec::new();
        for message in ["Who are you?", "Again?", "Really?"] {
            seen.push(text(&self.call("ask", json!({ "message": message })).await?));
        }
        Ok(json!({ "seen": seen, "questions": Everything::asked(&self.heard.questions) }))
    }

    async fn sampling(&self) -> Seen {
        let reply = text(&self.call("sample", json!({ "prompt": "Two and two?" })).await?);
        Ok(json!({ "reply": reply, "prompts": Everything::asked(&self.heard.prompts) }))
    }

    async fn roots(&self) -> Seen {
        Ok(json!({ "roots": text(&self.call("roots", json!({})).await?) }))
    }

    async fn logging(&self) -> Seen {
        let mut meta = RequestMetaObject::default();
        if self.modern {
            meta.set_log_level(LoggingLevel::Warning);
        } else {
            self.client.set_level(SetLevelRequestParams::new(LoggingLevel::Warning)).await?;
        }
        // The first is below the level: it would have been heard before the second.
        for arguments in [
            json!({ "level": "info", "message": "unheard" }),
            json!({ "level": "error", "message": "heard" }),
        ] {
            let mut params = params("log", arguments);
            params.meta = Some(meta.clone());
            self.client.call_tool(params).await?;
        }
        Ok(json!({ "messages": self.heard.messages.until(1).await }))
    }

    async fn closing(self) -> Seen {
        let echo = text(&self.call("echo", json!({ "text": "still here" })).await?);
        self.client.cancel().await?;
        Ok(json!({ "echo": echo }))
    }

    // ---- the pieces ------------------------------------------------------------------------------------------

    async fn call(&self, tool: &'static str, arguments: Value) -> Result<Value, ServiceError> {
        Ok(plain(&self.client.call_tool(params(tool, arguments)).await?))
    }

    async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let read = self.client.read_resource(ReadResourceRequestParams::new(uri)).await?;
        Ok(plain(&read)["contents"][0].clone())
    }

    async fn prompt(&self, name: &str, arguments: Value) -> Result<Value, ServiceError> {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        Ok(plain(&self.client.get_prompt(params).await?))
    }

    async fn tool_names(&self) -> Result<Vec<Value>, ServiceError> {
        Ok(members(&plain(&self.client.list_all_tools().await?), "name"))
    }

    async fn has_extra(&self) -> Result<bool, ServiceError> {
        Ok(self.tool_names().await?.iter().any(|name| name == "extra"))
    }

    /// Asks for the counters until one of them is 1; the server answers while other calls run.
    async fn counters(&self, which: &str) -> Result<Value, ServiceError> {
        loop {
            let counters = self.call("counters", json!({})).await?["structuredContent"].clone();
            if counters[which] == 1 {
                return Ok(counters);
            }
        }
    }
}

fn params(tool: &'static str, arguments: Value) -> CallToolRequestParams {
    CallToolRequestParams::new(tool).with_arguments(arguments.as_object().cloned().unwrap_or_default())
}

/// What the next notification of a subscription is about.
async fn next(subscription: &mut Subscription) -> Seen {
    match subscription.next().await? {
        Some(ServerNotification::ResourceUpdatedNotification(note)) => Ok(note.params.uri.into()),
        Some(ServerNotification::ToolListChangedNotification(_)) => Ok("tools".into()),
        other => Err(format!("not what was listened to: {other:?}").into()),
    }
}

/// The text of a tool's result.
fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    blocks.filter_map(|block| block["text"].as_str()).collect()
}

/// The code of the error that a request ended in.
fn code(outcome: Result<Value, ServiceError>) -> Option<i32> {
    match outcome {
        Err(ServiceError::McpError(error)) => Some(error.code.0),
        _ => None,
    }
}

/// One member of every object in a list.
fn members(list: &Value, name: &str) -> Vec<Value> {
    list.as_array().into_iter().flatten().map(|item| item[name].clone()).collect()
}

/// The first letters of a text.
fn start(text: &Value, length: usize) -> String {
    text.as_str().unwrap_or_default().chars().take(length).collect()
}
