//! What tools, prompts and models say: text, pictures, sound, resources.

use crate::wire::Extra;
use crate::{Icon, MetaObject, Resource, ResourceContents};

union! {
    /// A piece of content in a tool's result or a prompt's message.
    ///
    /// A kind that nobody here knows stays as it came and spoils nothing around it.
    ///
    /// ```
    /// use hermes_types::{ContentBlock, RawJson};
    ///
    /// let raw = RawJson::parse(r#"[{"type":"text","text":"a"},{"type":"hologram","x":1}]"#)?;
    /// let blocks: Vec<ContentBlock> = raw.decode()?;
    /// assert_eq!(blocks[0].as_text(), Some("a"));
    /// assert!(matches!(blocks[1], ContentBlock::Unknown(_)));
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    ///
    /// Source: `server/tools#tool-result`, 2026-07-28.
    pub enum ContentBlock by "type", else kept {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound; since 2025-03-26.
        Audio(AudioContent) = "audio",
        /// A link to a resource; since 2025-06-18.
        ResourceLink(ResourceLink) = "resource_link",
        /// The contents of a resource.
        Resource(EmbeddedResource) = "resource",
    }
}

impl ContentBlock {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }

    /// A picture: Base64 data and a media type.
    #[must_use]
    pub fn image(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Image(ImageContent::new(data, mime_type))
    }

    /// Sound: Base64 data and a media type.
    #[must_use]
    pub fn audio(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self::Audio(AudioContent::new(data, mime_type))
    }

    /// A link to a resource.
    #[must_use]
    pub fn resource_link(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self::ResourceLink(ResourceLink::new(uri, name))
    }

    /// The contents of a resource.
    #[must_use]
    pub fn resource(contents: impl Into<ResourceContents>) -> Self {
        Self::Resource(EmbeddedResource::new(contents))
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(content) => Some(&content.text),
            Self::Image(_)
            | Self::Audio(_)
            | Self::ResourceLink(_)
            | Self::Resource(_)
            | Self::Unknown(_) => None,
        }
    }
}

impl From<&str> for ContentBlock {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for ContentBlock {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

wire! {
    /// Text.
    ///
    /// Source: `server/tools#text-content`, 2026-07-28.
    pub struct TextContent tagged "type" = "text" {
        /// The text.
        text: String = "text";
        /// Hints about it.
        annotations: Option<Annotations> = "annotations";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl TextContent {
    /// A text.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), annotations: None, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// A picture.
    ///
    /// Source: `server/tools#image-content`, 2026-07-28.
    pub struct ImageContent tagged "type" = "image" {
        /// Its data, in Base64.
        data: String = "data";
        /// Its media type.
        mime_type: String = "mimeType";
        /// Hints about it.
        annotations: Option<Annotations> = "annotations";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl ImageContent {
    /// Base64 data and a media type.
    #[must_use]
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// Sound.
    ///
    /// Source: `server/tools#audio-content`, 2026-07-28.
    pub struct AudioContent since V2025_03_26 tagged "type" = "audio" {
        /// Its data, in Base64.
        data: String = "data";
        /// Its media type.
        mime_type: String = "mimeType";
        /// Hints about it.
        annotations: Option<Annotations> = "annotations";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl AudioContent {
    /// Base64 data and a media type.
    #[must_use]
    pub fn new(data: impl Into<String>, mime_type: impl Into<String>) -> Self {
        Self {
            data: data.into(),
            mime_type: mime_type.into(),
            annotations: None,
            meta: None,
            extra: Extra::new(),
        }
    }
}

wire! {
    /// A link to a resource, which need not be in the server's list.
    ///
    /// Source: `server/tools#resource-links`, 2026-07-28.
    pub struct ResourceLink since V2025_06_18 tagged "type" = "resource_link" {
        /// The name for programs.
        name: String = "name";
        /// The name to show.
        title: Option<String> = "title";
        /// Where it is.
        uri: String = "uri";
        /// What it is.
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
        meta: Option<MetaObject> = "_meta";
    }
}

impl ResourceLink {
    /// A link to this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Resource::new(uri, name).into()
    }
}

impl From<Resource> for ResourceLink {
    fn from(resource: Resource) -> Self {
        let Resource { name, title, uri, description, mime_type, size, annotations, icons, meta, extra } =
            resource;
        Self { name, title, uri, description, mime_type, size, annotations, icons, meta, extra }
    }
}

wire! {
    /// The contents of a resource inside a message.
    ///
    /// Source: `server/tools#embedded-resources`, 2026-07-28.
    pub struct EmbeddedResource tagged "type" = "resource" {
        /// The contents.
        resource: ResourceContents = "resource";
        /// Hints about it.
        annotations: Option<Annotations> = "annotations";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl EmbeddedResource {
    /// These contents.
    #[must_use]
    pub fn new(contents: impl Into<ResourceContents>) -> Self {
        Self { resource: contents.into(), annotations: None, meta: None, extra: Extra::new() }
    }
}

wire! {
    /// Hints about whom something is for and how much it matters.
    ///
    /// Source: `server/resources#annotations`, 2026-07-28.
    #[derive(Default)]
    pub struct Annotations {
        /// Whom it is for.
        audience: Option<Vec<Role>> = "audience";
        /// How much it matters, from 0 (not at all) to 1 (needed).
        priority: Option<f64> = "priority";
        /// When it last changed; ISO 8601.
        last_modified: Option<String> = "lastModified", since V2025_06_18;
    }
}

setters! { Annotations {
    /// Sets whom it is for.
    with_audience => audience: Vec<Role>;
    /// Sets how much it matters, from 0 to 1.
    with_priority => priority: f64;
    /// Sets when it last changed; ISO 8601.
    with_last_modified => last_modified: String;
} }

words! {
    /// Who says something, or whom it is for.
    ///
    /// Source: `schema#role`, 2026-07-28.
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}
