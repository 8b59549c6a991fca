//! Rules that the messages to a model have to keep.

use std::collections::BTreeSet;

use hermes_types::{Role, SamplingMessage, SamplingMessageContentBlock as Block};

use super::error::QuestionError;

/// Checks what clients are entitled to: a message with tool results holds nothing else, and every use of a
/// tool is answered, all of them, by the next message.
///
/// Source: `client/sampling#message-content-constraints`, 2026-07-28.
pub(super) fn check_messages(messages: &[SamplingMessage]) -> Result<(), QuestionError> {
    let mut open: BTreeSet<&str> = BTreeSet::new();
    for (message, SamplingMessage { role, content, .. }) in messages.iter().enumerate() {
        let broken = |rule| Err(QuestionError::NoSampling { message, rule });
        let blocks = content.blocks();
        let results = blocks.iter().filter_map(|block| match block {
            Block::ToolResult(result) => Some(result.tool_use_id.as_str()),
            _ => None,
        });
        let answered: BTreeSet<&str> = results.clone().collect();
        let has_results = !answered.is_empty();
        if has_results && (*role != Role::User || results.count() != blocks.len()) {
            return broken("a message of the user with tool results holds nothing else");
        }
        if answered != open {
            return broken("every use of a tool is answered by the next message, and nothing else is");
        }
        open = blocks
            .iter()
            .filter_map(|block| match block {
                Block::ToolUse(tool_use) => Some(tool_use.id.as_str()),
                _ => None,
            })
            .collect();
    }
    if open.is_empty() {
        return Ok(());
    }
    let rule = "every use of a tool is answered by the next message, and nothing else is";
    Err(QuestionError::NoSampling { message: messages.len().saturating_sub(1), rule })
}
