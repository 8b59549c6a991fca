//! The smallest server of Hermes: one tool over standard input and output.

struct Echo;

#[hermes::server]
impl Echo {
    /// Sends a text back
    #[tool]
    async fn echo(&self, text: String) -> String {
        text
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> hermes::Result<()> {
    Echo.into_server().serve_stdio().await
}
