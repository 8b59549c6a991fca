//! The server that all conversations are held with.

use std::process::ExitCode;
use std::sync::Arc;

use hermes::prelude::*;
use hermes::types::{LoggingLevel, Prompt, Resource, ResourceTemplate};
use hermes::{Completing, Elicited};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

#[derive(Deserialize, JsonSchema)]
struct Empty {}

#[derive(Deserialize, JsonSchema)]
struct Text {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    a: i64,
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    id: String,
}

pub(crate) fn server() -> Server {
    let cancelled = Arc::new(Notify::new());
    let waiting = Arc::clone(&cancelled);
    Server::new("grid", "1.0.0")
        .instructions("Say anything.")
        .tool("add", |Add { a, b }, _: Context| async move {
            a.checked_add(b).map(|sum| Json(Sum { sum })).ok_or_else(|| ToolError::new("too large"))
        })
        .tool("echo", |Text { text }, _: Context| async move { text })
        .tool("fail", |Empty {}, _: Context| async { Err::<String, _>(ToolError::new("it fails")) })
        .tool("greet", |Empty {}, ctx: Context| async move {
            match ctx.elicit::<Named>("Who are you?").await? {
                Elicited::Accepted(Named { name }) => Ok(format!("Hello, {name}")),
                _ => Err(ToolError::new("nobody")),
            }
        })
        .tool("log", |Text { text }, ctx: Context| async move {
            ctx.log(LoggingLevel::Warning, &text);
            "logged"
        })
        .tool("steps", |Empty {}, ctx: Context| async move {
            for step in 1..=3 {
                ctx.progress(f64::from(step), Some(3.0), Some("working"));
            }
            "done"
        })
        .tool("stuck", move |Empty {}, ctx: Context| {
            let cancelled = Arc::clone(&cancelled);
            async move {
                ctx.log(LoggingLevel::Warning, "stuck");
                let told = Told(cancelled);
                std::future::pending::<()>().await;
                drop(told);
                "never"
            }
        })
        .tool("await_cancelled", move |Empty {}, _: Context| {
            let waiting = Arc::clone(&waiting);
            async move {
                waiting.notified().await;
                "it was cancelled"
            }
        })
        .tool("toggle", |Empty {}, ctx: Context| async move {
            let server = ctx.server();
            if !server.remove_tool("extra") {
                server.add_tool("extra", |Empty {}, _: Context| async { "extra" });
            }
            "toggled"
        })
        .tool("touch", |Empty {}, ctx: Context| async move {
            ctx.server().resource_updated("grid://note");
            "touched"
        })
        .resource(Resource::new("grid://note", "note").with_mime_type("text/plain"), |_| async { "A note" })
        .template(ResourceTemplate::new("grid://item/{id}", "item"), |Item { id }, _: Context| async move {
            format!("Item {id}")
        })
        .prompt(
            Prompt::new("welcome"),
            |Named { name }, _: Context| async move { format!("Welcome {name}.") },
        )
        .complete_prompt("welcome", "name", |Completing { value, .. }, _: Context| async move {
            let names = ["Ada", "Alan", "Grace"];
            names.into_iter().filter(|name| name.starts_with(&value)).map(str::to_owned).collect::<Vec<_>>()
        })
}

/// Tells when it is dropped.
struct Told(Arc<Notify>);

impl Drop for Told {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}

/// Serves standard input and output.
pub(crate) fn over_stdio() -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let served = runtime.map(|runtime| runtime.block_on(server().serve_stdio()));
    if matches!(served, Ok(Ok(()))) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
