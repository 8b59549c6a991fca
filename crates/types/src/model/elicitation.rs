//! Elicitation: a server asks the user, by a form or by a page to open.

use serde::{Deserialize, Deserializer, Serializer};

use crate::wire::{Encode, Extra};
use crate::{Meta, Ordered, PrimitiveSchemaDefinition, RawJson, Revision, TaskMetadata};

/// The parameters of `elicitation/create`. A missing `mode` stands for a form.
///
/// Source: `client/elicitation#elicitation-requests`, 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// A form to fill in.
    Form(ElicitRequestFormParams),
    /// A page to open; since 2025-11-25.
    Url(ElicitRequestUrlParams),
}

impl ElicitRequestParams {
    /// What the user is told.
    #[must_use]
    pub fn message(&self) -> &str {
        match self {
            Self::Form(form) => &form.message,
            Self::Url(url) => &url.message,
        }
    }
}

impl From<ElicitRequestFormParams> for ElicitRequestParams {
    fn from(form: ElicitRequestFormParams) -> Self {
        Self::Form(form)
    }
}

impl From<ElicitRequestUrlParams> for ElicitRequestParams {
    fn from(url: ElicitRequestUrlParams) -> Self {
        Self::Url(url)
    }
}

impl Encode for ElicitRequestParams {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Form(form) => form.encode(revision, serializer),
            Self::Url(url) => url.encode(revision, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ElicitRequestParams {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let params = match crate::wire::word_of(&raw, "mode")?.as_deref() {
            None | Some("form") => raw.decode().map(Self::Form),
            Some("url") => raw.decode().map(Self::Url),
            Some(mode) => return Err(serde::de::Error::unknown_variant(mode, &["form", "url"])),
        };
        params.map_err(serde::de::Error::custom)
    }
}

wire! {
    /// A form to fill in.
    ///
    /// Source: `client/elicitation#form-mode-elicitation-requests`, 2026-07-28.
    pub struct ElicitRequestFormParams since V2025_06_18 {
        /// `form`, or left out.
        mode: Option<String> = "mode", since V2025_11_25;
        /// What the user is told.
        message: String = "message";
        /// The fields.
        requested_schema: ElicitSchema = "requestedSchema";
        /// Asks for a task instead of the result.
        task: Option<TaskMetadata> = "task", since V2025_11_25, until V2025_11_25;
        /// About the message.
        meta: Option<Meta> = "_meta", until V2025_11_25;
    }
}

impl ElicitRequestFormParams {
    /// A form with these fields.
    #[must_use]
    pub fn new(message: impl Into<String>, requested_schema: ElicitSchema) -> Self {
        Self {
            mode: Some("form".to_owned()),
            message: message.into(),
            requested_schema,
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// A page to open.
    ///
    /// Source: `client/elicitation#url-mode-elicitation-requests`, 2026-07-28.
    pub struct ElicitRequestUrlParams since V2025_11_25 tagged "mode" = "url" {
        /// What the user is told.
        message: String = "message";
        /// The page.
        url: String = "url";
        /// What `notifications/elicitation/complete` will name; required in 2025-11-25.
        elicitation_id: Option<String> = "elicitationId", until V2025_11_25;
        /// Asks for a task instead of the result.
        task: Option<TaskMetadata> = "task", until V2025_11_25;
        /// About the message.
        meta: Option<Meta> = "_meta", until V2025_11_25;
    }
}

impl ElicitRequestUrlParams {
    /// A page to open. The id is for 2025-11-25, which requires one; later revisions leave it out.
    #[must_use]
    pub fn new(
        message: impl Into<String>,
        url: impl Into<String>,
        elicitation_id: impl Into<String>,
    ) -> Self {
        Self {
            message: message.into(),
            url: url.into(),
            elicitation_id: Some(elicitation_id.into()),
            task: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The fields of a form: a JSON Schema of a flat object.
    ///
    /// Source: `client/elicitation#requested-schema`, 2026-07-28.
    #[derive(Default)]
    pub struct ElicitSchema since V2025_06_18 tagged "type" = "object" {
        /// The dialect.
        schema: Option<String> = "$schema", since V2025_11_25;
        /// The fields, in the order in which they are shown.
        properties: Ordered<PrimitiveSchemaDefinition> = "properties";
        /// The fields that have to be filled in.
        required: Option<Vec<String>> = "required";
    }
}

impl ElicitSchema {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a field that may be left empty.
    #[must_use]
    pub fn with_field(
        mut self,
        name: impl Into<String>,
        field: impl Into<PrimitiveSchemaDefinition>,
    ) -> Self {
        self.properties.insert(name, field.into());
        self
    }

    /// Adds a field that has to be filled in.
    #[must_use]
    pub fn with_required(
        mut self,
        name: impl Into<String>,
        field: impl Into<PrimitiveSchemaDefinition>,
    ) -> Self {
        let name = name.into();
        self.required.get_or_insert_default().push(name.clone());
        self.with_field(name, field)
    }
}

wire! {
    /// What the user did. As an embedded answer (2026-07-28) it has no `_meta`.
    ///
    /// Source: `client/elicitation#response-actions`, 2026-07-28.
    pub struct ElicitResult since V2025_06_18 {
        /// What the user did.
        action: ElicitAction = "action";
        /// What the user filled in: an object of texts, numbers, truth values and lists of texts. Only with
        /// `accept`, and not for a page.
        content: Option<RawJson> = "content";
        /// About the message.
        meta: Option<Meta> = "_meta", until V2025_11_25;
    }
}

impl ElicitResult {
    /// The user filled in the form.
    #[must_use]
    pub const fn accept(content: RawJson) -> Self {
        Self { action: ElicitAction::Accept, content: Some(content), meta: None, extra: Extra::new() }
    }

    /// The user agreed to open the page.
    #[must_use]
    pub const fn consent() -> Self {
        Self { action: ElicitAction::Accept, content: None, meta: None, extra: Extra::new() }
    }

    /// The user said no.
    #[must_use]
    pub const fn decline() -> Self {
        Self { action: ElicitAction::Decline, content: None, meta: None, extra: Extra::new() }
    }

    /// The user went away.
    #[must_use]
    pub const fn cancel() -> Self {
        Self { action: ElicitAction::Cancel, content: None, meta: None, extra: Extra::new() }
    }
}

words! {
    /// What a user did with a question.
    ///
    /// Source: `client/elicitation#response-actions`, 2026-07-28.
    pub enum ElicitAction {
        /// Agreed.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Went away.
        Cancel = "cancel",
    }
}

wire! {
    /// The parameters of `notifications/elicitation/complete`.
    ///
    /// Source: `client/elicitation#completion-notifications-for-url-mode-elicitation`, 2025-11-25.
    pub struct ElicitationCompleteNotificationParams since V2025_11_25 until V2025_11_25 {
        /// The elicitation that is done.
        elicitation_id: String = "elicitationId";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ElicitationCompleteNotificationParams {
    /// This elicitation is done.
    #[must_use]
    pub fn new(elicitation_id: impl Into<String>) -> Self {
        Self { elicitation_id: elicitation_id.into(), meta: None, extra: Extra::new() }
    }
}
