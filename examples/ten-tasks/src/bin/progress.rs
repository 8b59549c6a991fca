//! A tool that tells how far it is.

use hermes::prelude::*;

/// Copies files.
#[tool]
async fn copy(files: Vec<String>, bar: ProgressBar) -> String {
    let bar = bar.of(files.len() as u32);
    for (file, done) in files.iter().zip(1_u32..) {
        bar.tell(done, file);
    }
    "done".to_owned()
}

#[tokio::main]
async fn main() -> hermes::Result {
    Server::new("progress", "1.0.0").with(copy).serve_stdio().await
}
