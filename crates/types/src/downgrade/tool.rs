//! Tools and their results for older peers.

use super::loss::each;
use super::{Loss, LossKind};
use crate::wire::members_of;
use crate::{CallToolResult, ContentBlock, ListToolsResult, RawJson, Revision, Tool};

/// Structured content, for a peer that cannot have it: taken away, and put in as a text unless there is a
/// text already.
#[must_use]
pub fn structured_content(mut result: CallToolResult, revision: Revision) -> (CallToolResult, Option<Loss>) {
    let loss = copied_as_text(&mut result.structured_content, &mut result.content, revision);
    (result, loss)
}

/// Takes structured content away from a peer that cannot have it.
pub(super) fn copied_as_text(
    structured: &mut Option<RawJson>,
    content: &mut Vec<ContentBlock>,
    revision: Revision,
) -> Option<Loss> {
    let value = structured.as_ref()?;
    let kind = if LossKind::StructuredContent.hits(revision) {
        LossKind::StructuredContent
    } else if LossKind::AnyStructuredContent.hits(revision) && !value.is_object() {
        LossKind::AnyStructuredContent
    } else {
        return None;
    };
    if !content.iter().any(|block| block.as_text().is_some()) {
        content.push(ContentBlock::text(value.get()));
    }
    *structured = None;
    Some(Loss::new(kind, revision).within("structuredContent"))
}

/// An output schema whose root is no object, for a peer that allows only objects: taken away.
#[must_use]
pub fn output_schema(mut tool: Tool, revision: Revision) -> (Tool, Option<Loss>) {
    let hit = LossKind::AnyOutputSchema.hits(revision)
        && !LossKind::StructuredContent.hits(revision)
        && tool.output_schema.as_ref().is_some_and(|schema| !describes_object(schema));
    if !hit {
        return (tool, None);
    }
    tool.output_schema = None;
    (tool, Some(Loss::new(LossKind::AnyOutputSchema, revision).within("outputSchema")))
}

fn describes_object(schema: &RawJson) -> bool {
    let Ok([kind]) = members_of::<serde_json::Error, 1>(schema.as_raw(), ["type"]) else {
        return false;
    };
    kind.is_some_and(|kind| kind.get() == "\"object\"")
}

impl Tool {
    /// The tool as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        let (tool, loss) = output_schema(self, revision);
        (tool, loss.into_iter().collect())
    }
}

impl ListToolsResult {
    /// The page as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let losses = self.downgrade_in_place(revision);
        (self, losses)
    }

    /// The same where it is. Gives what was lost.
    pub fn downgrade_in_place(&mut self, revision: Revision) -> Vec<Loss> {
        let mut losses = Vec::new();
        let tools = std::mem::take(&mut self.tools);
        self.tools = each(tools, "tools", &mut losses, |tool: Tool| tool.downgrade(revision));
        losses
    }
}

impl CallToolResult {
    /// The result as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let losses = self.downgrade_in_place(revision);
        (self, losses)
    }

    /// The same where it is: a result is large to move. Gives what was lost.
    pub fn downgrade_in_place(&mut self, revision: Revision) -> Vec<Loss> {
        let loss = copied_as_text(&mut self.structured_content, &mut self.content, revision);
        let mut losses: Vec<Loss> = loss.into_iter().collect();
        // Almost all blocks are known to every peer, and stay where they are.
        if self.content.iter().any(|block| block.loses(revision)) {
            let content = std::mem::take(&mut self.content);
            self.content =
                each(content, "content", &mut losses, |block: ContentBlock| block.downgrade(revision));
        }
        losses
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).expect(text)
    }

    // spec: R281
    #[test]
    fn structured_content_that_is_no_object_stays_modern() {
        let result = CallToolResult { content: Vec::new(), ..CallToolResult::structured(raw("[1, 2]")) };
        let (modern, losses) = result.clone().downgrade(Revision::V2026_07_28);
        assert_eq!((modern, losses.len()), (result.clone(), 0));
        let (legacy, losses) = result.downgrade(Revision::V2025_11_25);
        assert_eq!(legacy.structured_content, None);
        assert_eq!(legacy.content, [ContentBlock::text("[1, 2]")]);
        assert_eq!(losses[0].kind, LossKind::AnyStructuredContent);
        assert_eq!(losses[0].place, "/structuredContent");
    }

    // spec: R280
    #[test]
    fn objects_reach_those_who_have_structured_content_and_are_not_said_twice() {
        let result = CallToolResult::structured(raw(r#"{"a":1}"#));
        let (same, losses) = result.clone().downgrade(Revision::V2025_06_18);
        assert_eq!((same, losses.len()), (result.clone(), 0));
        let (oldest, losses) = result.downgrade(Revision::V2025_03_26);
        assert_eq!(oldest.content, [ContentBlock::text(r#"{"a":1}"#)]);
        assert_eq!(losses[0].kind, LossKind::StructuredContent);
    }

    #[test]
    fn an_output_schema_without_an_object_at_its_root_stays_modern() {
        for (schema, kept) in [
            (r#"{"type":"object"}"#, true),
            (r#"{"type":"array"}"#, false),
            (r##"{"$ref":"#/$defs/a"}"##, false),
            (r#"{"type":["object","null"]}"#, false),
            ("true", false),
        ] {
            let tool = Tool::new("t", RawJson::empty_object()).with_output_schema(raw(schema));
            let (tool, losses) = tool.downgrade(Revision::V2025_11_25);
            assert_eq!(tool.output_schema.is_some(), kept, "{schema}");
            assert_eq!(losses.is_empty(), kept, "{schema}");
        }
    }
}
