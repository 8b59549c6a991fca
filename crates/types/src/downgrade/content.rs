//! Content blocks for older peers.

use super::loss::{each, note};
use super::{Loss, LossKind};
use crate::{
    AudioContent, ContentBlock, GetPromptResult, PromptMessage, ResourceLink, Revision, TextContent,
};

/// Sound, for a peer that has none: a text that names the media type and the size.
#[must_use]
pub fn audio(content: AudioContent, revision: Revision) -> (TextContent, Loss) {
    let text = format!("[audio: {}, {} bytes]", content.mime_type, decoded_len(&content.data));
    let text = TextContent { annotations: content.annotations, meta: content.meta, ..TextContent::new(text) };
    (text, Loss::new(LossKind::Audio, revision))
}

/// A link to a resource, for a peer that has none: a text that names the resource and its URI.
#[must_use]
pub fn resource_link(link: ResourceLink, revision: Revision) -> (TextContent, Loss) {
    let name = link.title.as_ref().unwrap_or(&link.name);
    let text = match &link.description {
        Some(description) => format!("[resource {name}: {}] {description}", link.uri),
        None => format!("[resource {name}: {}]", link.uri),
    };
    let text = TextContent { annotations: link.annotations, meta: link.meta, ..TextContent::new(text) };
    (text, Loss::new(LossKind::ResourceLink, revision))
}

/// How many bytes a Base64 text stands for.
const fn decoded_len(base64: &str) -> usize {
    let digits = match base64.as_bytes() {
        [digits @ .., b'=', b'='] | [digits @ .., b'='] | digits => digits.len(),
    };
    digits / 4 * 3 + digits % 4 * 3 / 4
}

impl ContentBlock {
    /// Whether a peer of this revision cannot read the block.
    pub(super) fn loses(&self, revision: Revision) -> bool {
        match self {
            Self::Audio(_) => LossKind::Audio.hits(revision),
            Self::ResourceLink(_) => LossKind::ResourceLink.hits(revision),
            Self::Text(_) | Self::Image(_) | Self::Resource(_) | Self::Unknown(_) => false,
        }
    }

    /// The block as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        if !self.loses(revision) {
            return (self, Vec::new());
        }
        let (text, loss) = match self {
            Self::Audio(content) => audio(content, revision),
            Self::ResourceLink(link) => resource_link(link, revision),
            Self::Text(_) | Self::Image(_) | Self::Resource(_) | Self::Unknown(_) => {
                return (self, Vec::new());
            }
        };
        (Self::Text(text), vec![loss])
    }
}

impl PromptMessage {
    /// The message as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        let mut losses = Vec::new();
        let content = note(self.content.downgrade(revision), "content", &mut losses);
        (Self { content, ..self }, losses)
    }
}

impl GetPromptResult {
    /// The result as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let losses = self.downgrade_in_place(revision);
        (self, losses)
    }

    /// The same where it is. Gives what was lost.
    pub fn downgrade_in_place(&mut self, revision: Revision) -> Vec<Loss> {
        let mut losses = Vec::new();
        let messages = std::mem::take(&mut self.messages);
        self.messages =
            each(messages, "messages", &mut losses, |message: PromptMessage| message.downgrade(revision));
        losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Role;

    #[test]
    fn audio_and_links_become_texts_for_those_who_have_neither() {
        let result = GetPromptResult::new(vec![
            PromptMessage::user("a"),
            PromptMessage::new(Role::User, ContentBlock::resource_link("a://b", "B")),
            PromptMessage::new(Role::User, ContentBlock::audio("AAAA", "audio/mp3")),
        ]);
        let (same, losses) = result.clone().downgrade(Revision::V2025_06_18);
        assert_eq!((same, losses.len()), (result.clone(), 0));
        let (newer, losses) = result.clone().downgrade(Revision::V2025_03_26);
        assert_eq!(newer.messages[1].content.as_text(), Some("[resource B: a://b]"));
        assert_eq!(losses.len(), 1);
        let (oldest, losses) = result.downgrade(Revision::V2024_11_05);
        assert_eq!(oldest.messages[2].content.as_text(), Some("[audio: audio/mp3, 3 bytes]"));
        let places: Vec<&str> = losses.iter().map(|loss| loss.place.as_str()).collect();
        assert_eq!(places, ["/messages/1/content", "/messages/2/content"]);
    }

    #[test]
    fn the_size_of_base64_is_that_of_its_bytes() {
        for (base64, len) in [("", 0), ("Zg==", 1), ("Zm8=", 2), ("Zm9v", 3), ("Zm9vYg", 4), ("=", 0)] {
            assert_eq!(decoded_len(base64), len, "{base64}");
        }
    }
}
