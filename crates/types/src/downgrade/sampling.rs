//! Conversations with a model for older peers.

use super::content::audio;
use super::loss::{each, note};
use super::tool::copied_as_text;
use super::{Loss, LossKind};
use crate::{
    ContentBlock, CreateMessageRequestParams, CreateMessageResult, Revision, SamplingContent,
    SamplingMessage, SamplingMessageContentBlock, TextContent, ToolResultContent, ToolUseContent,
};

/// The use of a tool, for a peer that has none: a text that names the tool and its arguments.
#[must_use]
pub fn tool_use(content: ToolUseContent, revision: Revision) -> (TextContent, Loss) {
    let text = format!("[tool {}: {}]", content.name, content.input.get());
    let text = TextContent { meta: content.meta, ..TextContent::new(text) };
    (text, Loss::new(LossKind::ToolContent, revision))
}

/// What a tool said, for a peer that has no tools: its texts, or else its structured content.
#[must_use]
pub fn tool_result(content: ToolResultContent, revision: Revision) -> (TextContent, Loss) {
    let texts: Vec<&str> = content.content.iter().filter_map(ContentBlock::as_text).collect();
    let said = match (&content.structured_content, texts.is_empty()) {
        (Some(value), true) => value.get().to_owned(),
        _ => texts.join("\n"),
    };
    let outcome = if content.is_error == Some(true) { "tool error" } else { "tool result" };
    let text = TextContent { meta: content.meta, ..TextContent::new(format!("[{outcome}: {said}]")) };
    (text, Loss::new(LossKind::ToolContent, revision))
}

impl ToolResultContent {
    /// What the tool said as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let mut losses: Vec<Loss> =
            copied_as_text(&mut self.structured_content, &mut self.content, revision).into_iter().collect();
        self.content =
            each(self.content, "content", &mut losses, |block: ContentBlock| block.downgrade(revision));
        (self, losses)
    }
}

impl SamplingMessageContentBlock {
    /// The block as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        let (text, loss) = match self {
            Self::Audio(content) if LossKind::Audio.hits(revision) => audio(content, revision),
            Self::ToolUse(content) if LossKind::ToolContent.hits(revision) => tool_use(content, revision),
            Self::ToolResult(content) if LossKind::ToolContent.hits(revision) => {
                tool_result(content, revision)
            }
            Self::ToolResult(content) => {
                let (content, losses) = content.downgrade(revision);
                return (Self::ToolResult(content), losses);
            }
            Self::Text(_) | Self::Image(_) | Self::Audio(_) | Self::ToolUse(_) | Self::Unknown(_) => {
                return (self, Vec::new());
            }
        };
        (Self::Text(text), vec![loss])
    }
}

impl SamplingContent {
    /// Speaks down the blocks; a list stays a list.
    fn downgrade_blocks(self, revision: Revision, all: &mut Vec<Loss>) -> Self {
        match self {
            Self::One(block) => Self::One(note(block.downgrade(revision), "content", all)),
            Self::Many(blocks) => {
                Self::Many(each(blocks, "content", all, |block: SamplingMessageContentBlock| {
                    block.downgrade(revision)
                }))
            }
        }
    }
}

impl SamplingMessage {
    /// The message as a peer of this revision can read it, and what it lost. Where one message has one
    /// block, several blocks become as many messages by the same side.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Vec<Self>, Vec<Loss>) {
        let mut losses = Vec::new();
        let Self { role, content, meta, extra } = self;
        let messages = match content.downgrade_blocks(revision, &mut losses) {
            SamplingContent::Many(blocks) if LossKind::SeveralBlocks.hits(revision) => blocks
                .into_iter()
                .map(|block| Self {
                    role: role.clone(),
                    content: SamplingContent::One(block),
                    meta: meta.clone(),
                    extra: extra.clone(),
                })
                .collect(),
            content @ (SamplingContent::One(_) | SamplingContent::Many(_)) => {
                vec![Self { role, content, meta, extra }]
            }
        };
        (messages, losses)
    }
}

impl CreateMessageRequestParams {
    /// The request as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let mut losses = Vec::new();
        let mut messages = Vec::new();
        for (index, message) in self.messages.into_iter().enumerate() {
            let (said, lost) = message.downgrade(revision);
            messages.extend(said);
            losses.extend(lost.into_iter().map(|loss| loss.within(index).within("messages")));
        }
        self.messages = messages;
        if let Some(tools) = self.tools.take() {
            if LossKind::SamplingTools.hits(revision) {
                self.tool_choice = None;
                losses.push(Loss::new(LossKind::SamplingTools, revision).within("tools"));
            } else {
                self.tools = Some(each(tools, "tools", &mut losses, |tool| tool.downgrade(revision)));
            }
        }
        (self, losses)
    }
}

impl CreateMessageResult {
    /// The answer as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        let mut losses = Vec::new();
        let content = match self.content.downgrade_blocks(revision, &mut losses) {
            SamplingContent::Many(blocks) if LossKind::SeveralBlocks.hits(revision) => {
                if blocks.len() != 1 {
                    losses.push(Loss::new(LossKind::SeveralBlocks, revision).within("content"));
                }
                SamplingContent::One(single(blocks))
            }
            content @ (SamplingContent::One(_) | SamplingContent::Many(_)) => content,
        };
        (Self { content, ..self }, losses)
    }
}

/// One block for several: the texts as one, or else the first.
fn single(mut blocks: Vec<SamplingMessageContentBlock>) -> SamplingMessageContentBlock {
    if blocks.len() == 1
        && let Some(block) = blocks.pop()
    {
        return block;
    }
    let texts: Vec<&str> = blocks
        .iter()
        .filter_map(|block| match block {
            SamplingMessageContentBlock::Text(content) => Some(content.text.as_str()),
            SamplingMessageContentBlock::Image(_)
            | SamplingMessageContentBlock::Audio(_)
            | SamplingMessageContentBlock::ToolUse(_)
            | SamplingMessageContentBlock::ToolResult(_)
            | SamplingMessageContentBlock::Unknown(_) => None,
        })
        .collect();
    let text = SamplingMessageContentBlock::text(texts.join("\n"));
    if texts.is_empty() { blocks.into_iter().next().unwrap_or(text) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageContent, RawJson, Role, Tool, ToolChoice};

    fn many() -> SamplingContent {
        SamplingContent::Many(vec![
            "a".into(),
            ToolUseContent::new("1", "look", RawJson::empty_object()).into(),
            "b".into(),
        ])
    }

    #[test]
    fn several_blocks_to_a_model_become_several_messages() {
        let request = CreateMessageRequestParams::new(vec![SamplingMessage::user(many())], 10)
            .with_tools(vec![Tool::new("look", RawJson::empty_object())])
            .with_tool_choice(ToolChoice::default());
        let (same, losses) = request.clone().downgrade(Revision::V2025_11_25);
        assert_eq!((same, losses.len()), (request.clone(), 0));

        let (older, losses) = request.downgrade(Revision::V2025_06_18);
        let expected = [
            SamplingMessage::user("a"),
            SamplingMessage::user("[tool look: {}]"),
            SamplingMessage::user("b"),
        ];
        assert_eq!((older.messages.as_slice(), older.tools, older.tool_choice), (&expected[..], None, None));
        let lost: Vec<_> = losses.iter().map(|loss| (loss.kind.as_str(), loss.place.as_str())).collect();
        assert_eq!(lost, [("tool_content", "/messages/0/content/1"), ("sampling_tools", "/tools")]);
    }

    #[test]
    fn several_blocks_from_a_model_become_one() {
        let image = || SamplingMessageContentBlock::from(ImageContent::new("AA==", "image/png"));
        for (content, expected, lost) in [
            (SamplingContent::Many(vec!["a".into(), image(), "b".into()]), "a\nb".into(), 1),
            (SamplingContent::Many(vec![image(), image()]), image(), 1),
            (SamplingContent::Many(vec![image()]), image(), 0),
            (SamplingContent::Many(Vec::new()), "".into(), 1),
            (SamplingContent::One("a".into()), "a".into(), 0),
        ] {
            let (result, losses) = CreateMessageResult::new("m", content).downgrade(Revision::V2025_06_18);
            assert_eq!((result.content, losses.len()), (SamplingContent::One(expected), lost));
        }
    }

    #[test]
    fn what_a_tool_said_reaches_those_without_tools_as_a_text() {
        let said = ToolResultContent::new("1", vec![ContentBlock::text("x"), ContentBlock::text("y")]);
        let failed = ToolResultContent {
            is_error: Some(true),
            structured_content: Some(RawJson::null()),
            ..ToolResultContent::new("1", Vec::new())
        };
        assert_eq!(tool_result(said, Revision::V2025_06_18).0.text, "[tool result: x\ny]");
        assert_eq!(tool_result(failed.clone(), Revision::V2025_06_18).0.text, "[tool error: null]");

        let message = SamplingMessage::new(Role::User, failed);
        let (messages, losses) = message.downgrade(Revision::V2025_11_25);
        assert!(
            matches!(&messages[0].content, SamplingContent::One(SamplingMessageContentBlock::ToolResult(said))
            if said.structured_content.is_none() && said.content == [ContentBlock::text("null")])
        );
        assert_eq!(losses[0].place, "/content/structuredContent");
    }
}
