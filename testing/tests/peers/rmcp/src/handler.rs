//! The client's answers to the server.

// The newest revision deprecates sampling, roots and logging; the server speaks them all the same.
#![expect(deprecated)]

use std::sync::Arc;

use rmcp::ClientHandler;
use rmcp::model::{
    ClientCapabilities, ClientConfig, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ResourceUpdatedNotificationParam, Root,
    SamplingMessage,
};
use rmcp::service::{NotificationContext, RequestContext, RoleClient};
use serde_json::{Value, json};

use crate::heard::Everything;
use crate::step::plain;

const ROOT: &str = "file:///peers/root";

pub struct Host {
    pub heard: Arc<Everything>,
}

impl ClientHandler for Host {
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let request = plain(&request);
        let asks_for: Vec<&String> = request["requestedSchema"]["properties"]
            .as_object()
            .into_iter()
            .flat_map(|it| it.keys())
            .collect();
        Ok(match Everything::ask(&self.heard.questions, json!([request["message"], asks_for])) {
            0 => ElicitResult::new(ElicitationAction::Accept).with_content(json!({ "name": "Ada" })),
            1 => ElicitResult::new(ElicitationAction::Decline),
            _ => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn create_message(
        &self,
        request: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let request = plain(&request);
        let texts: Vec<&Value> = request["messages"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|message| &message["content"]["text"])
            .collect();
        Everything::ask(&self.heard.prompts, json!([texts, request["maxTokens"]]));
        let reply = CreateMessageResult::new(SamplingMessage::assistant_text("Four."), "none".to_owned());
        Ok(reply.with_stop_reason(CreateMessageResult::STOP_REASON_END_TURN))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new(ROOT).with_name("root")]))
    }

    async fn on_progress(&self, params: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.heard.notes.push(format!("{}/{}", params.progress, params.total.unwrap_or_default()).into());
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard.messages.push(json!([params.level, params.logger, params.data]));
    }

    async fn on_resource_updated(
        &self,
        params: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.heard.updated.push(params.uri.into());
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.heard.changed.push(true.into());
    }

    fn get_info(&self) -> ClientConfig {
        let capabilities =
            ClientCapabilities::builder().enable_roots().enable_sampling().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("foreign-client", "1.0.0"))
    }
}
