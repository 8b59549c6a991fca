//! The server that crashes.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hermes::{Server, ToolDef};
use hermes_testkit::dice::Dice;
use tokio::io::{AsyncWrite, Stdout, stdin, stdout};

use crate::folder::Folder;

/// What it says last.
pub(crate) const LAST_WORDS: &str = "the end has come";

/// Serves until the end of its input, or of its life.
pub(crate) fn serve(folder: &Folder) {
    let life = folder.begin();
    let mut dice = Dice::new(folder.seed.wrapping_add(life));
    let bytes = if dice.chance(10) { u64::MAX } else { dice.between(0, 2500) };
    let crashing =
        Crashing { folder: folder.clone(), left: bytes, manner: dice.between(0, 2), stdout: stdout() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        // Its client has gone, or it crashes.
        let _ = server(folder).serve(stdin(), crashing).await;
    });
    // Standard input may still be read, by a thread that nobody ends.
    runtime.shutdown_background();
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Order {
    key: String,
    ms: u64,
    bytes: u32,
}

#[expect(clippy::disallowed_methods, reason = "to take a while is what the tool is asked for")]
fn server(folder: &Folder) -> Server {
    let tool = |folder: Folder| {
        move |order: Order, _| {
            let folder = folder.clone();
            async move {
                folder.run(&order.key);
                if order.ms > 0 {
                    tokio::time::sleep(Duration::from_millis(order.ms)).await;
                }
                answer(&order.key, order.bytes)
            }
        }
    };
    Server::new("crashing", "0.1.0")
        .tool(ToolDef::new("work").description("Runs, which is counted"), tool(folder.clone()))
        .tool(
            ToolDef::new("look").description("The same, and changes nothing").read_only(),
            tool(folder.clone()),
        )
}

/// What a call is answered with, and no other.
pub(crate) fn answer(key: &str, bytes: u32) -> String {
    format!("{key}:{}", "x".repeat(bytes as usize))
}

/// Standard output that ends the process at a byte.
struct Crashing {
    folder: Folder,
    left: u64,
    manner: u64,
    stdout: Stdout,
}

impl Crashing {
    #[expect(clippy::print_stderr, reason = "its last words")]
    fn crash(&self) -> ! {
        self.folder.crash();
        eprintln!("{LAST_WORDS}");
        match self.manner {
            0 => std::process::abort(),
            1 => std::process::exit(3),
            _ => std::process::exit(0),
        }
    }
}

impl AsyncWrite for Crashing {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        if most == 0 {
            // What was written before has to be out. A calm server lives on.
            std::task::ready!(Pin::new(&mut self.stdout).poll_flush(cx))?;
            if !self.folder.is_calm() {
                self.crash();
            }
            self.left = u64::MAX;
            return self.poll_write(cx, bytes);
        }
        let written = std::task::ready!(Pin::new(&mut self.stdout).poll_write(cx, &bytes[..most]))?;
        self.left -= written as u64;
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stdout).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stdout).poll_shutdown(cx)
    }
}
