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

#[cfg(test)]
mod tests {
    use hermes_types::{RawJson, SamplingContent, ToolResultContent, ToolUseContent};

    use super::*;

    fn uses(id: &str) -> Block {
        Block::ToolUse(ToolUseContent::new(id, "t", RawJson::empty_object()))
    }

    fn result(id: &str) -> Block {
        Block::ToolResult(ToolResultContent::new(id, Vec::new()))
    }

    fn says(role: Role, blocks: Vec<Block>) -> SamplingMessage {
        SamplingMessage::new(role, SamplingContent::Many(blocks))
    }

    fn broken(messages: &[SamplingMessage]) -> Option<usize> {
        match check_messages(messages) {
            Err(QuestionError::NoSampling { message, .. }) => Some(message),
            Err(other) => panic!("{other}"),
            Ok(()) => None,
        }
    }

    // spec: R348, R349
    #[test]
    fn every_use_of_a_tool_is_answered_by_the_next_message_and_by_nothing_else() {
        use Role::{Assistant, User};
        let question = || says(User, vec![Block::text("?")]);
        let two_uses = || says(Assistant, vec![Block::text("wait"), uses("a"), uses("b")]);
        assert_eq!(broken(&[]), None);
        assert_eq!(broken(&[question(), two_uses(), says(User, vec![result("b"), result("a")])]), None);
        // Only one is answered.
        assert_eq!(broken(&[question(), two_uses(), says(User, vec![result("a")])]), Some(2));
        // Something is said before the answer, or beside it.
        assert_eq!(broken(&[two_uses(), question()]), Some(1));
        assert_eq!(
            broken(&[two_uses(), says(User, vec![result("a"), result("b"), Block::text("!")])]),
            Some(1)
        );
        // Nobody asked, the model answers itself, or nothing follows.
        assert_eq!(broken(&[says(User, vec![result("a")])]), Some(0));
        assert_eq!(broken(&[two_uses(), says(Assistant, vec![result("a"), result("b")])]), Some(1));
        assert_eq!(broken(&[question(), two_uses()]), Some(1));
    }
}
