//! The server that is killed.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::time::Duration;

use hermes::http::StreamableHttp;
use hermes::{Context, FileStore, Server};
use serde::{Deserialize, Serialize};

use crate::folder::Folder;

/// What it serves that can be subscribed to.
pub(crate) const NOTE: &str = "note://1";

#[derive(Deserialize, schemars::JsonSchema)]
struct Order {
    key: String,
    ms: u64,
}

#[derive(Deserialize, schemars::JsonSchema)]
struct Nothing {}

/// How often a session has called `visit`.
#[derive(Default, Serialize, Deserialize)]
struct Visits(AtomicU64);

/// Serves until it is killed.
#[expect(clippy::print_stdout, reason = "whoever started it waits for the address")]
pub(crate) async fn serve(folder: &Folder) {
    let store = FileStore::open(folder.store()).expect("the store opens, however its last process ended");
    let http = StreamableHttp::new(server(folder)).store(store).await.expect("it can be read");
    let bound = http.bind(folder.address.as_str()).await.expect("the address is free");
    println!("{}", bound.url());
    bound.serve(std::future::pending()).await;
}

#[expect(clippy::disallowed_methods, reason = "to take a while is what the tool is asked for")]
fn server(folder: &Folder) -> Server {
    let folder = Arc::new(Folder::of_child().unwrap_or_else(|| panic!("no child: {folder:?}")));
    Server::new("mortal", "0.1.0")
        .keep_session_data::<Visits>("visits")
        .tool("work", move |order: Order, _: Context| {
            let folder = Arc::clone(&folder);
            async move {
                folder.run(&order.key);
                tokio::time::sleep(Duration::from_millis(order.ms)).await;
                order.key
            }
        })
        .tool("visit", |_: Nothing, ctx: Context| async move {
            (ctx.session_data::<Visits>().0.fetch_add(1, SeqCst) + 1).to_string()
        })
        .tool("change", |_: Nothing, ctx: Context| async move { ctx.server().resource_updated(NOTE) })
        .resource(hermes::types::Resource::new(NOTE, "note"), |_| async { "a note" })
}
