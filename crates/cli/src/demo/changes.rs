//! The demo's tools that change what the server offers.

use std::sync::Arc;

use hermes::types::ToolAnnotations;
use hermes::{Context, Server, ToolDef};

use super::resources::COUNTER_URI;
use super::state::State;
use super::tools::Nothing;

/// The tool that comes and goes.
const EXTRA: &str = "extra";

/// Adds the tools to the server.
pub(super) fn register(server: Server, state: &Arc<State>) -> Server {
    let state = Arc::clone(state);
    let changing = || ToolAnnotations::default().with_read_only(false).with_destructive(false);
    server
        .tool(
            ToolDef::new("toggle")
                .title("Toggle")
                .description("Adds the tool extra, or removes it again; the list of tools changes")
                .annotations(changing()),
            |Nothing {}, ctx: Context| async move { toggle(&ctx) },
        )
        .tool(
            ToolDef::new("touch")
                .title("Touch")
                .description("Increments the resource demo://counter; who watches it hears of it")
                .annotations(changing()),
            move |Nothing {}, ctx: Context| {
                let count = state.touch();
                ctx.server().resource_updated(COUNTER_URI);
                async move { count }
            },
        )
}

fn toggle(ctx: &Context) -> &'static str {
    let server = ctx.server();
    if server.remove_tool(EXTRA) {
        return "extra is gone";
    }
    let def = ToolDef::new(EXTRA).title("Extra").description("Is there only now and then").read_only();
    server.add_tool(def, |Nothing {}, _| async { "extra" });
    "extra is there"
}
