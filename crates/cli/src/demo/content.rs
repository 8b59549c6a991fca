//! The demo's tools that answer with something else than text.

use hermes::types::{ContentBlock, Resource, TextResourceContents};
use hermes::{Server, ToolDef};

use super::asset::{CHIME, LOGO, base64};
use super::resources::{GREETING, GREETING_URI};
use super::tools::Nothing;

/// Adds the tools to the server.
pub(super) fn register(server: Server) -> Server {
    server
        .tool(
            ToolDef::new("image").title("Image").description("Sends a picture").read_only(),
            |Nothing {}, _| async { ContentBlock::image(base64(LOGO), "image/png") },
        )
        .tool(
            ToolDef::new("audio").title("Audio").description("Sends a sound").read_only(),
            |Nothing {}, _| async { ContentBlock::audio(base64(CHIME), "audio/wav") },
        )
        .tool(
            ToolDef::new("embedded").title("Embedded").description("Sends a resource along").read_only(),
            |Nothing {}, _| async {
                let greeting = TextResourceContents::new(GREETING_URI, GREETING);
                ContentBlock::resource(greeting.with_mime_type("text/plain"))
            },
        )
        .tool(
            ToolDef::new("link").title("Link").description("Points to a resource").read_only(),
            |Nothing {}, _| async {
                let link = Resource::new(GREETING_URI, "greeting").with_mime_type("text/plain");
                ContentBlock::ResourceLink(link.into())
            },
        )
}
