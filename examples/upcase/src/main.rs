//! Everything that a server has, in small: tools, a prompt, resources, lists in pages, and a timer of its own.
//!
//! Try it: `target/debug/upcase`, then `hermes call http://127.0.0.1:4000/mcp upcase text=hello`
#![expect(clippy::print_stdout, reason = "who starts it wants to know where it is")]

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hermes::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How often the timer has gone off. The timer has one clone, the server the other.
#[derive(Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Ticks {
    fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn count_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Serialize, JsonSchema)]
struct Analysis {
    characters: usize,
    words: usize,
    lines: usize,
}

#[derive(Serialize)]
struct Example {
    input: &'static str,
    output: &'static str,
}

/// How a text is to be changed.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Style {
    Formal,
    Funny,
    Short,
}

const fn short() -> Style {
    Style::Short
}

/// Turns a text into capitals.
#[tool(read_only, open_world = false)]
fn upcase(#[schemars(length(min = 1))] text: String) -> String {
    text.to_uppercase()
}

/// Counts what a text is made of.
#[tool(read_only, open_world = false)]
fn analyze_text(text: String) -> Json<Analysis> {
    Json(Analysis {
        characters: text.chars().count(),
        words: text.split_whitespace().count(),
        lines: text.lines().count(),
    })
}

/// Asks for a text to be written anew.
#[prompt]
fn text_transform(
    text: String,
    #[complete(["formal", "funny", "short"])]
    #[serde(default = "short")]
    style: Style,
    /** Have the changes explained? */
    #[serde(default)]
    explain: bool,
) -> String {
    let style = match style {
        Style::Formal => "formally",
        Style::Funny => "so that people laugh",
        Style::Short => "in as few words as possible",
    };
    let explain = if explain { " Explain what you changed." } else { "" };
    format!("Write this anew, {style}.{explain}\n\n{text}")
}

/// What the tools make of a text.
#[resource("upcase://examples", mime = "application/json")]
fn examples() -> Json<[Example; 2]> {
    Json([Example { input: "hello", output: "HELLO" }, Example { input: "stra\u{df}e", output: "STRASSE" }])
}

/// How often the timer has gone off.
#[resource("upcase://ticks", mime = "text/plain")]
fn ticks(ticks: State<Ticks>) -> String {
    ticks.count().to_string()
}

/// Tells everybody who listens, again and again. A handle works from any task, and outlives no server.
async fn timer(server: ServerHandle, ticks: Ticks, period: Duration) {
    let mut timer = tokio::time::interval(period);
    loop {
        timer.tick().await;
        ticks.count_one();
        server.resource_updated("upcase://ticks");
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().unwrap_or_else(|| "127.0.0.1:4000".to_owned());
    let seconds: f64 = arguments.next().map_or(Ok(60.0), |seconds| seconds.parse())?;

    let count = Ticks::default();
    let server = Server::new("upcase", env!("CARGO_PKG_VERSION"))
        .instructions("Changes texts, and says what they are made of.")
        .page_size(NonZeroUsize::MIN)
        .state(count.clone())
        .with(upcase)
        .with(analyze_text)
        .with(text_transform)
        .with(examples)
        .with(ticks);
    tokio::spawn(timer(server.handle(), count, Duration::try_from_secs_f64(seconds)?));

    let bound = StreamableHttp::new(server).bind(address).await?;
    println!("upcase listens on {}", bound.url());
    bound.serve(std::future::pending()).await;
    Ok(())
}
