//! From the command line to the verb, and from its outcome to the exit.

use std::time::Duration;

use hermes::telemetry::Instrument as _;
use tokio::runtime::Builder;

use super::call::Call;
use super::complete::Complete;
use super::info::Info;
use super::list::List;
use super::listen::Listen;
use super::ping::Ping;
use super::prompt::Fill;
use super::read::Read;
use super::words::Words;
use super::{completions, config, configured, man};
use crate::args::{Cli, Demo, Flags, Reach, Verb};
use crate::completion;
use crate::demo;
use crate::exit::{Exit, Failure, Result};
use crate::new;
use crate::session::Session;
use crate::shell;
use crate::signals::Signals;
use crate::target::Target;
use crate::telemetry::Telemetry;

/// How long what was said last may take to be sent to a server that does not answer in time.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Does what the command line says.
///
/// # Errors
/// Why it cannot be done.
pub(crate) fn run(cli: Cli) -> Result<Exit> {
    match cli.verb {
        Verb::Completions { shell } => return completions::run(shell),
        Verb::Config(what) => return config::run(&what, &cli.flags),
        Verb::New(new) => return new::make(&new),
        Verb::CompleteWord(asked) if !asked.fill => return completions::answer(&asked),
        Verb::Man(manual) => return man::run(&manual),
        _ => {}
    }
    let telemetry = Telemetry::begin(&cli.verb, &cli.flags)?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::usage(format!("the program cannot start: {error}")))?;
    let span = Telemetry::span(&cli.verb);
    let outcome = runtime.block_on(Box::pin(talk(cli.verb, &cli.flags)).instrument(span));
    let outcome = runtime.block_on(telemetry.finish()).and(outcome);
    // A thread that waits for somebody to type does not hold up the end.
    runtime.shutdown_background();
    outcome
}

async fn talk(verb: Verb, flags: &Flags) -> Result<Exit> {
    match verb {
        Verb::Demo(demo) if demo.stdio => Signals::listen().interrupt(demo::serve()).await,
        Verb::Demo(demo) if demo.show => Signals::listen().interrupt(demo::converse(flags.era)).await,
        Verb::Demo(Demo { socket: Some(address), .. }) => demo::share(&address).await,
        Verb::Demo(demo) => demo::listen(demo.http, demo.serving).await,
        Verb::List(list) if list.reach.words.is_empty() && list.reach.command.is_empty() => {
            configured::run(flags)
        }
        Verb::List(list) => {
            let parse = |words| List::parse(words, list.watch);
            with(list.reach, flags, "list", parse, async |s, w: List| w.run(s).await).await
        }
        Verb::Call(mut call) => {
            let reach = std::mem::take(&mut call.reach);
            let parse = |words| Call::parse(words, &call, flags.json);
            with(reach, flags, "call", parse, async |s, w: Call| w.run(s).await).await
        }
        Verb::Read(read) => {
            let parse = |words| Read::parse(words, &read.output, read.watch, flags.json);
            with(read.reach, flags, "read", parse, async |s, w: Read| w.run(s).await).await
        }
        Verb::Prompt(mut prompt) => {
            let reach = std::mem::take(&mut prompt.reach);
            let parse = |words| Fill::parse(words, &prompt, flags.json);
            with(reach, flags, "prompt", parse, async |s, w: Fill| w.run(s).await).await
        }
        Verb::Complete(reach) => {
            with(reach, flags, "complete", Complete::parse, async |s, w: Complete| w.run(s).await).await
        }
        Verb::Ping(reach) => with(reach, flags, "ping", Ping::parse, async |s, w: Ping| w.run(s).await).await,
        Verb::Info(reach) => with(reach, flags, "info", Info::parse, async |s, w: Info| w.run(s)).await,
        Verb::Listen(reach) => {
            with(reach, flags, "listen", Listen::parse, async |s, w: Listen| w.run(s).await).await
        }
        Verb::Shell(conversation) => shell::run(conversation, flags).await,
        Verb::CompleteWord(asked) => completion::fill(&asked.words).await,
        Verb::Completions { shell } => completions::run(shell),
        Verb::Config(what) => config::run(&what, flags),
        Verb::New(new) => new::make(&new),
        Verb::Man(manual) => man::run(&manual),
    }
}

/// Connects, carries out a wish, and takes leave. Everything on the command line is looked at before.
async fn with<W>(
    reach: Reach,
    flags: &Flags,
    verb: &'static str,
    parse: impl FnOnce(Words) -> Result<W>,
    carry_out: impl AsyncFnOnce(&mut Session, W) -> Result<Exit>,
) -> Result<Exit> {
    let (target, words) = Target::resolve(reach, flags)?;
    let wish = parse(Words::new(verb, target.clone(), words))?;
    let mut signals = Signals::listen();
    // Too large to be carried about within the others.
    let opened = signals.interrupt(Box::pin(Session::open(&target, flags))).await;
    let mut session = opened.map_err(|failure| failure.at(target.address().as_deref()))?;
    // An interrupt drops the wish, which takes back what was sent for it; then the server hears of the end.
    let outcome = signals.interrupt(Box::pin(carry_out(&mut session, wish))).await;
    // A server that has kept somebody waiting is not waited for again: it is ended in the background.
    let patience = match &outcome {
        Err(failure) if failure.exit() == Exit::Timeout => LAST_WORDS,
        _ => Duration::MAX,
    };
    let left = signals.interrupt(async {
        // Its end is seen to all the same.
        let _ = tokio::time::timeout(patience, session.close()).await;
        Ok(())
    });
    left.await.and(outcome).map_err(|failure| failure.at(target.address().as_deref()))
}
