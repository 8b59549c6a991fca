//! The demo's tools that compute, wait, report and fail.

use std::borrow::Cow;
use std::panic;
use std::sync::{Arc, Once};
use std::time::Duration;

use hermes::{Context, IntoToolResult, Json, Server, ToolDef, ToolError};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use tokio::time::sleep;

use super::state::State;
use hermes::types::{CallToolResult, LoggingLevel, RawJson};

/// The largest text that `big` makes: 64 MiB.
const MAX_BIG: u32 = 67_108_864;

/// No arguments.
#[derive(Deserialize, JsonSchema)]
pub(super) struct Nothing {}

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text to send back
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first integer
    a: Int64,
    /// The second integer
    b: Int64,
}

/// An integer as it was written, to say exactly what is wrong when it has more than 64 bits.
#[derive(Deserialize)]
#[serde(transparent)]
struct Int64(RawJson);

impl Int64 {
    fn read(&self, name: &str) -> Result<i64, ToolError> {
        self.0.get().parse().map_err(|_| {
            ToolError::new(format!(
                "the argument `{name}` does not fit into 64 bits: {} is not between {} and {}",
                self.0.get(),
                i64::MIN,
                i64::MAX
            ))
        })
    }
}

impl JsonSchema for Int64 {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        i64::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        i64::json_schema(generator)
    }
}

/// The result of `add`: the number as text, and structured.
#[derive(Serialize, JsonSchema)]
struct Sum {
    /// The two integers together
    sum: i64,
}

impl IntoToolResult for Sum {
    fn into_tool_result(self) -> Result<CallToolResult, ToolError> {
        Ok(CallToolResult::text(self.sum.to_string()).with_structured_content(RawJson::encode(&self)?))
    }

    fn output_schema() -> Option<RawJson> {
        Json::<Self>::output_schema()
    }
}

#[derive(Deserialize, JsonSchema)]
struct Sleep {
    /// How long, in milliseconds
    ms: u64,
}

#[derive(Deserialize, JsonSchema)]
struct Progress {
    /// How many notes to send
    n: u32,
    /// The time between them, in milliseconds
    #[serde(default = "Progress::interval_ms")]
    interval_ms: u64,
}

impl Progress {
    const fn interval_ms() -> u64 {
        20
    }
}

#[derive(Deserialize, JsonSchema)]
struct Log {
    /// How severe it is
    level: Level,
    /// What to say
    message: String,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl From<Level> for LoggingLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Debug => Self::Debug,
            Level::Info => Self::Info,
            Level::Notice => Self::Notice,
            Level::Warning => Self::Warning,
            Level::Error => Self::Error,
            Level::Critical => Self::Critical,
            Level::Alert => Self::Alert,
            Level::Emergency => Self::Emergency,
        }
    }
}

#[derive(Deserialize, JsonSchema)]
struct Big {
    /// How many letters x to send, at most 64 MiB of them
    #[schemars(range(max = MAX_BIG))]
    bytes: u32,
}

#[derive(Deserialize, JsonSchema)]
struct Fail {
    /// What to fail with
    message: String,
}

/// Adds the tools to the server.
pub(super) fn register(server: Server, state: &Arc<State>) -> Server {
    let (sleeping, counting) = (Arc::clone(state), Arc::clone(state));
    server
        .tool(
            ToolDef::new("echo").title("Echo").description("Sends a text back").read_only(),
            |Echo { text }, _| async move { text },
        )
        .tool(
            ToolDef::new("add").title("Add").description("Adds two 64-bit integers, exactly").read_only(),
            |Add { a, b }, _| async move { add(&a, &b) },
        )
        .tool(
            ToolDef::new("sleep").title("Sleep").description("Waits, then says that it is done").read_only(),
            move |Sleep { ms }, ctx| {
                let sleeping = sleeping.start();
                async move {
                    pause(&ctx, Duration::from_millis(ms)).await?;
                    sleeping.done();
                    Ok::<_, ToolError>("done")
                }
            },
        )
        .tool(
            ToolDef::new("counters")
                .title("Counters")
                .description("Tells how many sleeps were started, done and cancelled")
                .read_only(),
            move |Nothing {}, _| {
                let counters = counting.counters();
                async move { Json(counters) }
            },
        )
        .tool(
            ToolDef::new("progress")
                .title("Progress")
                .description("Reports progress step by step, then says that it is done")
                .read_only(),
            progress,
        )
        .tool(
            ToolDef::new("log").title("Log").description("Sends a log message").read_only(),
            |Log { level, message }, ctx: Context| async move {
                ctx.log_from("demo", level.into(), &message);
                "logged"
            },
        )
        .tool(
            ToolDef::new("big").title("Big").description("Sends a long text").read_only(),
            |Big { bytes }, _| async move { "x".repeat(usize::try_from(bytes).unwrap_or(usize::MAX)) },
        )
        .tool(
            ToolDef::new("fail")
                .title("Fail")
                .description("Fails with a message, as a tool error")
                .read_only(),
            |Fail { message }, _| async move { Err::<(), _>(ToolError::new(message)) },
        )
        .tool(
            ToolDef::new("panic").title("Panic").description("Panics; the server goes on").read_only(),
            |Nothing {}, _| async move { crash() },
        )
}

fn add(a: &Int64, b: &Int64) -> Result<Sum, ToolError> {
    let (a, b) = (a.read("a")?, b.read("b")?);
    let sum = a.checked_add(b).ok_or_else(|| {
        ToolError::new(format!("the sum of `a` and `b` does not fit into 64 bits: {a} and {b}"))
    })?;
    Ok(Sum { sum })
}

async fn progress(Progress { n, interval_ms }: Progress, ctx: Context) -> Result<&'static str, ToolError> {
    let interval = Duration::from_millis(interval_ms);
    for step in 1..=n {
        pause(&ctx, interval).await?;
        ctx.progress(f64::from(step), Some(f64::from(n)), None);
    }
    Ok("done")
}

/// Waits, but gives up at once when the server shuts down and would not wait so long.
async fn pause(ctx: &Context, time: Duration) -> Result<(), ToolError> {
    let mut waiting = std::pin::pin!(sleep(time));
    let left = tokio::select! {
        () = &mut waiting => return Ok(()),
        left = ctx.closing() => left,
    };
    let missing = waiting.deadline().saturating_duration_since(tokio::time::Instant::now());
    if missing > left {
        return Err(ToolError::new("the server shuts down"));
    }
    waiting.await;
    Ok(())
}

/// What the tool panics with.
const ASKED: &str = "the demo tool was asked to panic";

/// Keeps that panic off the screen of whoever asked for it: the error of the call says it. Any other is told as before.
pub(crate) fn hush() {
    static HUSHED: Once = Once::new();
    HUSHED.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if panic.payload().downcast_ref::<&str>() != Some(&ASKED) {
                others(panic);
            }
        }));
    });
}

/// This is what the tool is for: it shows that a panic ends one call only.
fn crash() {
    panic::panic_any(ASKED);
}
