//! Resources: data that a server offers for reading.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serializer};

use crate::wire::{Encode, Extra, members_of};
use crate::{Annotations, CacheScope, Icon, Meta, MetaObject, RawJson, ResultType, Revision};

wire! {
    /// A resource.
    ///
    /// Source: `server/resources#resource`, 2026-07-28.
    pub struct Resource {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// Where it is.
        uri: String = "uri";
        /// What it is, for the model.
        description: Option<String> = "description";
        /// Its media type.
        mime_type: Option<String> = "mimeType";
        /// Its size in bytes, before any encoding.
        size: Option<u64> = "size";
        /// Hints about it.
        annotations: Option<Annotations> = "annotations";
        /// Its icons.
        icons: Option<Vec<Icon>> = "icons", since V2025_11_25;
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl Resource {
    /// A resource at this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            uri: uri.into(),
            description: None,
            mime_type: None,
            size: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { Resource {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what it is.
    with_description => description: String;
    /// Sets the media type.
    with_mime_type => mime_type: String;
    /// Sets the size in bytes.
    with_size => size: u64;
    /// Sets hints about it.
    with_annotations => annotations: Annotations;
    /// Sets its icons.
    with_icons => icons: Vec<Icon>;
    /// Adds anything else.
    with_meta => meta: MetaObject;
} }

wire! {
    /// A pattern for the URIs of resources.
    ///
    /// Source: `server/resources#resource-templates`, 2026-07-28.
    pub struct ResourceTemplate {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title", since V2025_06_18;
        /// The pattern; RFC 6570.
        uri_template: String = "uriTemplate";
        /// What the resources are, for the model.
        description: Option<String> = "description";
        /// The media type, if all have the same.
        mime_type: Option<String> = "mimeType";
        /// Hints about them.
        annotations: Option<Annotations> = "annotations";
        /// Their icons.
        icons: Option<Vec<Icon>> = "icons", since V2025_11_25;
        /// Anything else about them.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl ResourceTemplate {
    /// A pattern; RFC 6570.
    #[must_use]
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            uri_template: uri_template.into(),
            description: None,
            mime_type: None,
            annotations: None,
            icons: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

setters! { ResourceTemplate {
    /// Sets the name to show.
    with_title => title: String;
    /// Says what the resources are.
    with_description => description: String;
    /// Sets the media type.
    with_mime_type => mime_type: String;
    /// Sets hints about them.
    with_annotations => annotations: Annotations;
    /// Sets their icons.
    with_icons => icons: Vec<Icon>;
    /// Adds anything else.
    with_meta => meta: MetaObject;
} }

/// What a resource holds: text or bytes. Told apart by which of the two members is there.
///
/// Source: `server/resources#resource-contents`, 2026-07-28.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResourceContents {
    /// Text.
    Text(TextResourceContents),
    /// Bytes, in Base64.
    Blob(BlobResourceContents),
    /// Neither, as it came.
    Unknown(RawJson),
}

impl ResourceContents {
    /// Text.
    #[must_use]
    pub fn text(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self::Text(TextResourceContents::new(uri, text))
    }

    /// Bytes, already in Base64.
    #[must_use]
    pub fn blob(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self::Blob(BlobResourceContents::new(uri, base64))
    }
}

impl From<TextResourceContents> for ResourceContents {
    fn from(contents: TextResourceContents) -> Self {
        Self::Text(contents)
    }
}

impl From<BlobResourceContents> for ResourceContents {
    fn from(contents: BlobResourceContents) -> Self {
        Self::Blob(contents)
    }
}

impl Encode for ResourceContents {
    fn encode<S: Serializer>(&self, revision: Revision, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(contents) => contents.encode(revision, serializer),
            Self::Blob(contents) => contents.encode(revision, serializer),
            Self::Unknown(raw) => raw.encode(revision, serializer),
        }
    }
}

impl<'de> Deserialize<'de> for ResourceContents {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = RawJson::deserialize(deserializer)?;
        let contents = match members_of(raw.as_raw(), ["text", "blob"])? {
            [Some(_), _] => raw.decode().map(Self::Text),
            [None, Some(_)] => raw.decode().map(Self::Blob),
            [None, None] => return Ok(Self::Unknown(raw)),
        };
        contents.map_err(serde::de::Error::custom)
    }
}

wire! {
    /// Text of a resource.
    ///
    /// Source: `schema#textresourcecontents`, 2026-07-28.
    pub struct TextResourceContents {
        /// Where it is.
        uri: String = "uri";
        /// Its media type.
        mime_type: Option<String> = "mimeType";
        /// The text.
        text: String = "text";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl TextResourceContents {
    /// Text of the resource at this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>, text: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, text: text.into(), meta: None, extra: Extra::new() }
    }
}

setters! { TextResourceContents {
    /// Sets the media type.
    with_mime_type => mime_type: String;
} }

wire! {
    /// Bytes of a resource.
    ///
    /// Source: `schema#blobresourcecontents`, 2026-07-28.
    pub struct BlobResourceContents {
        /// Where it is.
        uri: String = "uri";
        /// Its media type.
        mime_type: Option<String> = "mimeType";
        /// The bytes, in Base64.
        blob: String = "blob";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl BlobResourceContents {
    /// Bytes of the resource at this URI, already in Base64.
    #[must_use]
    pub fn new(uri: impl Into<String>, base64: impl Into<String>) -> Self {
        Self { uri: uri.into(), mime_type: None, blob: base64.into(), meta: None, extra: Extra::new() }
    }
}

setters! { BlobResourceContents {
    /// Sets the media type.
    with_mime_type => mime_type: String;
} }

wire! {
    /// A page of resources.
    ///
    /// Source: `server/resources#listing-resources`, 2026-07-28.
    pub struct ListResourcesResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The resources.
        resources: Vec<Resource> = "resources";
        /// Where the next page begins, if there is one. An empty string is a cursor too.
        next_cursor: Option<String> = "nextCursor";
        /// How long the page may be kept, in milliseconds.
        ttl_ms: u64 = "ttlMs", since V2026_07_28, by crate::wire::millis, or 0;
        /// Who may be given a kept copy.
        cache_scope: CacheScope = "cacheScope", since V2026_07_28, or CacheScope::Private;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ListResourcesResult {
    /// A page, stale at once.
    #[must_use]
    pub fn new(resources: Vec<Resource>) -> Self {
        Self {
            result_type: ResultType::Complete,
            resources,
            next_cursor: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// A page of resource templates.
    ///
    /// Source: `server/resources#resource-templates`, 2026-07-28.
    pub struct ListResourceTemplatesResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The templates.
        resource_templates: Vec<ResourceTemplate> = "resourceTemplates";
        /// Where the next page begins, if there is one. An empty string is a cursor too.
        next_cursor: Option<String> = "nextCursor";
        /// How long the page may be kept, in milliseconds.
        ttl_ms: u64 = "ttlMs", since V2026_07_28, by crate::wire::millis, or 0;
        /// Who may be given a kept copy.
        cache_scope: CacheScope = "cacheScope", since V2026_07_28, or CacheScope::Private;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ListResourceTemplatesResult {
    /// A page, stale at once.
    #[must_use]
    pub fn new(resource_templates: Vec<ResourceTemplate>) -> Self {
        Self {
            result_type: ResultType::Complete,
            resource_templates,
            next_cursor: None,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The parameters of `resources/read`.
    ///
    /// Source: `server/resources#reading-resources`, 2026-07-28.
    pub struct ReadResourceRequestParams {
        /// The resource.
        uri: String = "uri";
        /// Answers to the questions of the result before.
        input_responses: Option<BTreeMap<String, RawJson>> = "inputResponses", since V2026_07_28;
        /// The state of the result before, byte for byte.
        request_state: Option<String> = "requestState", since V2026_07_28;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ReadResourceRequestParams {
    /// Reads the resource at this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), input_responses: None, request_state: None, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// What a resource holds. An empty list never stands for a resource that is not there.
    ///
    /// Source: `server/resources#reading-resources`, 2026-07-28.
    pub struct ReadResourceResult {
        /// Always `complete`.
        result_type: ResultType = "resultType", since V2026_07_28, or ResultType::Complete;
        /// The contents; several for a resource that holds others.
        contents: Vec<ResourceContents> = "contents";
        /// How long they may be kept, in milliseconds.
        ttl_ms: u64 = "ttlMs", since V2026_07_28, by crate::wire::millis, or 0;
        /// Who may be given a kept copy.
        cache_scope: CacheScope = "cacheScope", since V2026_07_28, or CacheScope::Private;
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ReadResourceResult {
    /// These contents, stale at once.
    #[must_use]
    pub fn new(contents: Vec<ResourceContents>) -> Self {
        Self {
            result_type: ResultType::Complete,
            contents,
            ttl_ms: 0,
            cache_scope: CacheScope::Private,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// The parameters of `resources/subscribe`.
    ///
    /// Source: `server/resources#subscriptions`, 2025-11-25.
    pub struct SubscribeRequestParams until V2025_11_25 {
        /// The resource.
        uri: String = "uri";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl SubscribeRequestParams {
    /// Subscribes to the resource at this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Extra::new() }
    }
}

/// The parameters of `resources/unsubscribe`, which are those of `resources/subscribe`.
pub type UnsubscribeRequestParams = SubscribeRequestParams;

wire! {
    /// The parameters of `notifications/resources/updated`.
    ///
    /// Source: `server/resources#subscriptions`, 2026-07-28.
    pub struct ResourceUpdatedNotificationParams {
        /// The resource, or one inside the one that was asked for.
        uri: String = "uri";
        /// About the message.
        meta: Option<Meta> = "_meta";
    }
}

impl ResourceUpdatedNotificationParams {
    /// The resource at this URI changed.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, extra: Extra::new() }
    }
}
