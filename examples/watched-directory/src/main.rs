//! The files of a folder as resources, and news of them as they come, change and go.
//!
//! Try it: `hermes list -- target/debug/watched-directory docs`

mod folder;

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;
use hermes::prelude::*;
use hermes::types::Resource;
use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::Notify;

use folder::{Change, Folder, Snapshot};

/// A file as a resource of the server.
fn component(folder: &Arc<Folder>, name: &str) -> Component {
    let (folder, name) = (Arc::clone(folder), name.to_owned());
    let resource = Resource::new(uri(&name), name.clone()).with_mime_type("text/plain");
    Component::resource(resource, move |_| {
        let (folder, name) = (Arc::clone(&folder), name.clone());
        async move {
            let gone = |_| ToolError::refuse(Fault::resource_not_found(&uri(&name)));
            tokio::fs::read_to_string(folder.path(&name)).await.map_err(gone)
        }
    })
}

fn uri(name: &str) -> String {
    format!("docs://{name}")
}

/// Brings the server up to what the folder holds whenever it was woken. What the system says of single files is not
/// relied on: it may come twice, late or joined, and a look at the folder is cheap.
async fn follow(server: ServerHandle, folder: Arc<Folder>, woken: Arc<Notify>) {
    let mut known = Snapshot::default();
    loop {
        match folder.look() {
            Ok(now) => {
                for change in known.changes(&now) {
                    match change {
                        Change::Came(name) => drop(server.add(component(&folder, name))),
                        Change::Changed(name) => server.resource_updated(uri(name)),
                        Change::Went(name) => drop(server.remove(Part::Resource(&uri(name)))),
                    }
                }
                known = now;
            }
            Err(error) => tracing::warn!(%error, "the folder cannot be read"),
        }
        woken.notified().await;
    }
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let path = std::env::args().nth(1).map(PathBuf::from).context("usage: watched-directory FOLDER")?;
    let folder =
        Arc::new(Folder::new(&path).with_context(|| format!("{} cannot be served", path.display()))?);

    // A waking that nobody waits for yet is kept, so that no change falls between two looks.
    let woken = Arc::new(Notify::new());
    let wake = Arc::clone(&woken);
    let mut watcher = RecommendedWatcher::new(move |_| wake.notify_one(), notify::Config::default())?;
    watcher.watch(folder.root(), RecursiveMode::NonRecursive)?;

    let server = Server::new("docs", env!("CARGO_PKG_VERSION")).declare_resources();
    tokio::spawn(follow(server.handle(), folder, woken));
    Ok(server.serve_stdio().await?)
}
