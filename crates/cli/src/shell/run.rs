//! The shell from its beginning to its end: at a terminal, or in a script.

use std::io::{IsTerminal as _, Write as _, stderr, stdin, stdout};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hermes::{Event, Events};
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines, Stdin};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::candidates::Candidates;
use super::catalogue::Catalogue;
use super::command::{Line, parse};
use super::history;
use super::keyboard::{Keyboard, Purpose, Typed};
use super::link::{GONE, Link};
use super::perform::Flow;
use super::roots::Roots;
use super::start::Shell;
use super::terminal::Restored;
use super::words::{commands, goes_on};
use crate::args::{self, Flags};
use crate::console::Console;
use crate::exit::{Exit, Failure, Result};
use crate::output::print;
use crate::render::{Screen, style};
use crate::signals::Signals;
use crate::target::Target;

/// Ctrl-C so soon before a line is there was typed after it, and is meant for what the line asks.
const JUST_NOW: Duration = Duration::from_millis(500);

/// Runs the shell.
///
/// # Errors
/// At a terminal, that the terminal is gone, or that somebody ends the program. In a script, the first command that failed.
pub(crate) async fn run(shell: args::Conversation, flags: &Flags) -> Result<Exit> {
    let (target, rest) = Target::resolve(shell.reach, flags)?;
    if let Some(word) = rest.first() {
        return Err(Failure::usage(format!("hermes shell does not know what to do with \"{word}\""))
            .with_hint("-c 'COMMAND' carries a command out".to_owned()));
    }
    let roots = Roots::of(flags.roots.iter().map(std::path::PathBuf::as_path))?;
    let candidates = Candidates { catalogue: Catalogue::default(), roots };
    let is_typed = shell.commands.is_empty() && stdin().is_terminal() && stdout().is_terminal();
    let keyboard = if is_typed { Some(keyboard(&candidates)?) } else { None };
    let console = match &keyboard {
        Some(keyboard) if stderr().is_terminal() => {
            let above = keyboard.above();
            Console::above(flags.verbose, move |text| above.say(text))
        }
        _ => Console::new(flags.verbose),
    };
    console.trace(flags.trace);
    let this = Shell {
        target,
        flags: flags.clone(),
        console,
        keyboard: keyboard.clone(),
        interrupt: Arc::new(Notify::new()),
        candidates,
        level: None,
        link: None,
    };
    match keyboard {
        Some(keyboard) => {
            let _restored = Restored::later();
            at_terminal(this, &keyboard).await
        }
        None => Signals::listen().interrupt(Box::pin(script(this, &shell.commands))).await,
    }
}

fn keyboard(candidates: &Candidates) -> Result<Keyboard> {
    let (runtime, candidates) = (Handle::current(), candidates.clone());
    let complete = Box::new(move |line: &str| runtime.block_on(candidates.of(line)));
    Keyboard::take(Screen::stdout(), history::file(), complete)
        .map_err(|error| Failure::usage(format!("the terminal cannot be used: {error}")))
}

/// Carries out the commands, or else the lines of standard input, up to the first one that fails.
async fn script(mut shell: Shell, given: &[String]) -> Result<Exit> {
    shell.connect().await?;
    let outcome = if given.is_empty() {
        let mut lines = BufReader::new(tokio::io::stdin()).lines();
        loop {
            match next(&mut lines).await? {
                None => break Ok(Exit::Ok),
                Some(command) => match step(&mut shell, &command).await {
                    Ok(Flow::On(Exit::Ok)) => {}
                    Ok(Flow::On(exit)) => break Ok(exit),
                    Ok(Flow::Leave) => break Ok(Exit::Ok),
                    Err(failure) => break Err(failure),
                },
            }
        }
    } else {
        let mut outcome = Ok(Exit::Ok);
        for line in given.iter().flat_map(|given| commands(given)) {
            match step(&mut shell, line).await {
                Ok(Flow::On(Exit::Ok)) => continue,
                Ok(Flow::On(exit)) => outcome = Ok(exit),
                Ok(Flow::Leave) => {}
                Err(failure) => outcome = Err(failure),
            }
            break;
        }
        outcome
    };
    shell.leave().await;
    outcome
}

/// The next command: a line, or as many as it goes on over. At the end of the input it is whatever is there.
async fn next(lines: &mut Lines<BufReader<Stdin>>) -> Result<Option<String>> {
    let unreadable = |error| Failure::usage(format!("standard input cannot be read: {error}"));
    let Some(mut command) = lines.next_line().await.map_err(unreadable)? else { return Ok(None) };
    while goes_on(&command) {
        let Some(line) = lines.next_line().await.map_err(unreadable)? else { break };
        command.push('\n');
        command.push_str(&line);
    }
    Ok(Some(command))
}

async fn step(shell: &mut Shell, line: &str) -> Result<Flow> {
    match parse(line)? {
        Some(line) => Box::pin(shell.perform(line)).await,
        None => Ok(Flow::On(Exit::Ok)),
    }
}

/// Carries out what is typed, until somebody leaves.
async fn at_terminal(mut shell: Shell, keyboard: &Keyboard) -> Result<Exit> {
    let mut signals = Signals::listen();
    shell.note("help shows the commands, Tab completes, Ctrl-D leaves");
    attend(&mut shell, None, &mut signals).await?;
    let mut interrupts = 0;
    let mut interrupted_at: Option<Instant> = None;
    // What is there of the next line.
    let mut begun = String::new();
    loop {
        // Before the prompt is made, so that an end that it does not show yet is heard of.
        let events = shell.link.as_ref().map(|link| link.client().events());
        let line = keyboard.line(prompt(&shell), Purpose::Command(std::mem::take(&mut begun)));
        tokio::pin!(line);
        let typed = tokio::select! {
            typed = &mut line => typed,
            // Never the first one: it has no end.
            () = overhear(&mut shell) => continue,
            failure = told_to_end(&mut signals, &mut interrupted_at) => return Err(failure),
            () = gone(events) => {
                keyboard.recall();
                line.await
            }
        };
        match typed.map_err(|error| Failure::new(Exit::HungUp, format!("the terminal failed: {error}")))? {
            Typed::End => break,
            // The prompt that stands there is not true any more: what was typed goes on under the next one.
            Typed::Recalled(typed) => {
                begun = typed;
                continue;
            }
            Typed::Interrupted => {
                interrupts += 1;
                if interrupts > 1 {
                    shell.note("exit or Ctrl-D leaves");
                }
                continue;
            }
            Typed::Line(line) => {
                if obey(&mut shell, &line, &mut signals, &mut interrupted_at).await? == Flow::Leave {
                    break;
                }
            }
        }
        interrupts = 0;
    }
    shell.leave().await;
    Ok(Exit::Ok)
}

/// Carries out what was typed: a command, or all that were pasted, each shown before its turn. Ctrl-C takes back the rest.
async fn obey(
    shell: &mut Shell,
    typed: &str,
    signals: &mut Signals,
    interrupted_at: &mut Option<Instant>,
) -> Result<Flow> {
    for (at, line) in commands(typed).into_iter().enumerate() {
        if at > 0 {
            print(&format!("{}{line}\n", Screen::stdout().paint(style::NAME, &prompt(shell))))?;
        }
        match parse(line) {
            Ok(None) => {}
            Ok(Some(_)) if interrupted_at.take().is_some_and(|at| at.elapsed() < JUST_NOW) => {
                wipe();
                shell.console.report(&Failure::new(Exit::Interrupted, "interrupted"));
                break;
            }
            Ok(Some(line)) => match attend(shell, Some(line), signals).await? {
                Flow::Leave => return Ok(Flow::Leave),
                Flow::On(Exit::Interrupted) => break,
                Flow::On(_) => {}
            },
            Err(failure) => shell.console.report(&failure),
        }
    }
    Ok(Flow::On(Exit::Ok))
}

/// Shows what the server says by itself.
async fn overhear(shell: &mut Shell) {
    match &mut shell.link {
        Some(link) => link.session.overhear().await,
        None => std::future::pending().await,
    }
}

/// Waits until a server that was there is gone for good.
async fn gone(events: Option<Events>) {
    if let Some(mut events) = events {
        while let Some(event) = events.next().await {
            if matches!(event, Event::GaveUp(_) | Event::Ended(_)) {
                return;
            }
        }
    }
    // It was gone before, and the prompt says so.
    std::future::pending::<()>().await;
}

fn prompt(shell: &Shell) -> String {
    let is_there = shell.link.as_ref().is_some_and(Link::is_there);
    (if is_there { "mcp> " } else { "mcp (no server: r or q)> " }).to_owned()
}

/// Carries out a line, or greets the server, so that Ctrl-C ends that and nothing else.
async fn attend(shell: &mut Shell, line: Option<Line>, signals: &mut Signals) -> Result<Flow> {
    let (console, interrupt) = (shell.console.clone(), Arc::clone(&shell.interrupt));
    let work = async {
        match line {
            Some(line) => Box::pin(shell.perform(line)).await,
            None => Box::pin(shell.greet()).await.map(|()| Flow::On(Exit::Ok)).map_err(|it| it.or_hint(GONE)),
        }
    };
    let interrupted = interrupt.notified();
    tokio::pin!(interrupted);
    let outcome = tokio::select! {
        () = &mut interrupted => Ok(Flow::On(Exit::Interrupted)),
        failure = signals.ending() => match failure.exit() {
            Exit::Interrupted => {
                console.settle();
                wipe();
                Err(failure)
            }
            _ => return Err(failure),
        },
        outcome = Box::pin(work) => outcome,
    };
    // An answer that is taken back ends the work as well, in its own words, and that may be seen first.
    let outcome = if interrupted.as_mut().enable() {
        Err(Failure::new(Exit::Interrupted, "interrupted"))
    } else {
        outcome
    };
    console.settle();
    Ok(outcome.unwrap_or_else(|failure| {
        console.report(&failure);
        Flow::On(failure.exit())
    }))
}

/// Takes away the `^C` that the terminal shows by itself.
fn wipe() {
    // A terminal that is gone shows nothing.
    let _ = write!(stderr(), "\r  \r");
}

/// Waits until somebody else ends the program. An interrupt ends nothing while a line is being typed; when it came is noted.
async fn told_to_end(signals: &mut Signals, interrupted_at: &mut Option<Instant>) -> Failure {
    loop {
        let failure = signals.ending().await;
        if failure.exit() != Exit::Interrupted {
            return failure;
        }
        *interrupted_at = Some(Instant::now());
    }
}
