//! What tools, resources and prompts say.

use serde_json::Value;

use super::json::pretty;
use super::measure::{base64_size, size};
use super::screen::{Screen, style};
use hermes::types::{
    CallToolResult, ContentBlock, GetPromptResult, RawJson, ReadResourceResult, ResourceContents,
    ResourceLink,
};

/// The result of a tool: its content, or its structured content where the text says nothing else.
pub(crate) fn call_result(screen: Screen, result: &CallToolResult) -> String {
    let Some(structured) = &result.structured_content else {
        return blocks(screen, &result.content);
    };
    let value: Option<Value> = structured.decode().ok();
    let repeats =
        |block: &ContentBlock| block.as_text().is_some_and(|text| serde_json::from_str(text).ok() == value);
    let others: Vec<ContentBlock> = result.content.iter().filter(|block| !repeats(block)).cloned().collect();
    let mut text = blocks(screen, &others);
    if !others.iter().any(|block| block.as_text().is_some()) {
        text.push_str(&ended(screen.clean(&pretty(structured.get())).as_ref()));
    }
    text
}

/// The contents of a resource.
pub(crate) fn read_result(screen: Screen, result: &ReadResourceResult) -> String {
    let named = result.contents.len() > 1;
    result.contents.iter().map(|contents| resource(screen, contents, named)).collect()
}

/// The messages of a prompt, each under its role.
pub(crate) fn prompt_result(screen: Screen, result: &GetPromptResult) -> String {
    let mut text = String::new();
    if let Some(description) = &result.description {
        text.push_str(&ended(&screen.paint(style::FAINT, &screen.clean(description))));
    }
    for message in &result.messages {
        let role = format!("{}:", screen.clean(message.role.as_str()));
        text.push_str(&ended(&screen.paint(style::NAME, &role)));
        text.push_str(&block(screen, &message.content));
    }
    text
}

/// Text as it is, everything else in a line about it. Ends with a line end.
pub(crate) fn blocks(screen: Screen, blocks: &[ContentBlock]) -> String {
    blocks.iter().map(|it| block(screen, it)).collect()
}

fn block(screen: Screen, block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(content) => ended(&screen.clean(&content.text)),
        ContentBlock::Image(content) => blob(screen, "image", &content.mime_type, &content.data),
        ContentBlock::Audio(content) => blob(screen, "audio", &content.mime_type, &content.data),
        ContentBlock::ResourceLink(content) => link(screen, content),
        ContentBlock::Resource(content) => resource(screen, &content.resource, true),
        ContentBlock::Unknown(raw) => unknown(screen, raw),
        _ => about(screen, &["content of an unknown kind"]),
    }
}

fn blob(screen: Screen, kind: &str, mime_type: &str, data: &str) -> String {
    about(screen, &[kind, mime_type, &size(base64_size(data))])
}

fn link(screen: Screen, link: &ResourceLink) -> String {
    let bytes = link.size.and_then(|bytes| usize::try_from(bytes).ok()).map(size);
    let title = link.title.as_deref().unwrap_or(&link.name);
    about(
        screen,
        &[
            "link",
            &link.uri,
            title,
            link.mime_type.as_deref().unwrap_or_default(),
            bytes.as_deref().unwrap_or_default(),
        ],
    )
}

fn resource(screen: Screen, contents: &ResourceContents, named: bool) -> String {
    match contents {
        ResourceContents::Text(text) => {
            let heading = about(screen, &["text", &text.uri, text.mime_type.as_deref().unwrap_or_default()]);
            let heading = if named { heading } else { String::new() };
            heading + &ended(&screen.clean(&text.text))
        }
        ResourceContents::Blob(blob) => {
            let mime_type = blob.mime_type.as_deref().unwrap_or_default();
            about(screen, &["blob", &blob.uri, mime_type, &size(base64_size(&blob.blob))])
        }
        ResourceContents::Unknown(raw) => unknown(screen, raw),
        _ => about(screen, &["contents of an unknown kind"]),
    }
}

fn unknown(screen: Screen, raw: &RawJson) -> String {
    ended(&screen.clean(&pretty(raw.get())))
}

/// One line in brackets: `[image, image/png, 1.2 kB]`.
fn about(screen: Screen, parts: &[&str]) -> String {
    let parts: Vec<_> = parts.iter().filter(|part| !part.is_empty()).map(|part| screen.clean(part)).collect();
    ended(&screen.paint(style::FAINT, &format!("[{}]", parts.join(", "))))
}

fn ended(text: &str) -> String {
    if text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCREEN: Screen = Screen::file(80);

    fn called(json: &str) -> String {
        call_result(SCREEN, &serde_json::from_str(json).expect(json))
    }

    #[test]
    fn text_comes_out_as_it_is() {
        assert_eq!(called(r#"{"content":[{"type":"text","text":"5"}]}"#), "5\n");
        assert_eq!(called(r#"{"content":[{"type":"text","text":"a\u001b[1mb\n"}]}"#), "a\u{1b}[1mb\n");
        assert_eq!(called(r#"{"content":[]}"#), "");
    }

    #[test]
    fn blobs_are_summarised_with_kind_type_and_size() {
        assert_eq!(
            called(
                r#"{"content":[
                    {"type":"image","data":"QUFB","mimeType":"image/png"},
                    {"type":"audio","data":"QQ==","mimeType":"audio/wav"},
                    {"type":"resource_link","uri":"demo://x","name":"x","mimeType":"text/plain","size":2048},
                    {"type":"resource","resource":{"uri":"demo://b","blob":"QUE=","mimeType":"image/gif"}},
                    {"type":"resource","resource":{"uri":"demo://t","text":"hello"}}
                ]}"#
            ),
            "[image, image/png, 3 bytes]\n\
             [audio, audio/wav, 1 byte]\n\
             [link, demo://x, x, text/plain, 2.0 kB]\n\
             [blob, demo://b, image/gif, 2 bytes]\n\
             [text, demo://t]\nhello\n"
        );
    }

    #[test]
    fn structured_content_shows_where_no_text_says_more() {
        assert_eq!(
            called(r#"{"content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5}}"#),
            "5\n"
        );
        for content in [r#"{"type":"text","text":"{ \"sum\": 5 }"}"#, ""] {
            let json = format!(r#"{{"content":[{content}],"structuredContent":{{"sum":5}}}}"#);
            assert_eq!(called(&json), "{\n  \"sum\": 5\n}\n");
        }
        assert_eq!(
            called(
                r#"{"content":[{"type":"image","data":"","mimeType":"image/png"}],"structuredContent":{"n":18446744073709551616}}"#
            ),
            "[image, image/png, 0 bytes]\n{\n  \"n\": 18446744073709551616\n}\n"
        );
    }

    #[test]
    fn content_of_an_unknown_kind_is_shown_as_json() {
        assert_eq!(
            called(r#"{"content":[{"type":"hologram","x":1}]}"#),
            "{\n  \"type\": \"hologram\",\n  \"x\": 1\n}\n"
        );
    }

    #[test]
    fn one_text_of_a_resource_stands_alone_and_several_are_named() {
        let read = |json: &str| read_result(SCREEN, &serde_json::from_str(json).expect(json));
        assert_eq!(read(r#"{"contents":[{"uri":"demo://a","text":"A","mimeType":"text/plain"}]}"#), "A\n");
        assert_eq!(
            read(r#"{"contents":[{"uri":"demo://a","text":"A"},{"uri":"demo://b","text":"B"}]}"#),
            "[text, demo://a]\nA\n[text, demo://b]\nB\n"
        );
    }

    #[test]
    fn messages_of_a_prompt_stand_under_their_role() {
        let json = r#"{"description":"Greets","messages":[
            {"role":"user","content":{"type":"text","text":"Hi"}},
            {"role":"assistant","content":{"type":"text","text":"Hello"}}]}"#;
        let text = prompt_result(SCREEN, &serde_json::from_str(json).expect(json));
        assert_eq!(text, "Greets\nuser:\nHi\nassistant:\nHello\n");
    }
}
