use hermes_server::{Completing, Component, Context, IntoToolError};
use hermes_types::Prompt;

struct Broken;

// What an attribute writes for a method that returns `Result<String, Broken>`.
fn called() -> Result<String, hermes_server::ToolError> {
    Err::<String, Broken>(Broken).map_err(IntoToolError::into_tool_error)
}

fn plain() -> Vec<String> {
    Vec::new()
}

async fn sizes(_: Completing) -> Vec<String> {
    Vec::new()
}

fn main() {
    drop(called());
    let prompt = Component::prompt(Prompt::new("order"), |(): (), _: Context| async { "" });
    drop(prompt.complete("size", sizes));
    drop(hermes_server::Server::new("demo", "0.1.0").with(plain));
}
