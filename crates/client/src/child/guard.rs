//! No survivor when our own process is killed.
//!
//! SIGKILL leaves us no time to end our children, and a server that does not mind the end of its stdin would run
//! for ever. One small process per client process watches over that: `/bin/sh` with the script `guard.sh`, started
//! with the first child, in a process group of its own, deaf to the signals of a terminal. It holds one end of a
//! pipe whose other end only we hold, so the pipe ends when we do, whatever the reason. Then it ends every process
//! group that was written to it and not taken back. Why it is not the parent-death signal of Linux stands in
//! `decisions/0005-child-processes.md`.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use rustix::process::Pid;

const SCRIPT: &str = include_str!("guard.sh");

static GUARD: Mutex<Guard> = Mutex::new(Guard { process: None, watched: BTreeSet::new() });

struct Guard {
    process: Option<std::process::Child>,
    watched: BTreeSet<i32>,
}

/// Ends this group when we are gone.
///
/// # Errors
/// There is no guard and none can be started.
pub(super) fn watch(group: Pid) -> io::Result<()> {
    with(|guard| {
        let group = group.as_raw_pid();
        guard.watched.insert(group);
        guard.say('+', group)
    })
}

/// The group is gone: its number may soon stand for another one.
pub(super) fn forget(group: Pid) {
    // A guard that cannot be told has nothing to forget.
    let _ = with(|guard| {
        let group = group.as_raw_pid();
        guard.watched.remove(&group);
        guard.say('-', group)
    });
}

/// Ends this group now: SIGTERM, and SIGKILL a second later.
///
/// # Errors
/// There is no guard and none can be started.
pub(super) fn end(group: Pid) -> io::Result<()> {
    with(|guard| {
        let group = group.as_raw_pid();
        guard.watched.remove(&group);
        guard.say('!', group)
    })
}

fn with<T>(act: impl FnOnce(&mut Guard) -> T) -> T {
    act(&mut GUARD.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Guard {
    fn say(&mut self, what: char, group: i32) -> io::Result<()> {
        let line = format!("{what}{group}\n");
        if self.write(&line).is_ok() {
            return Ok(());
        }
        // There is none yet, or somebody has killed it.
        self.start()?;
        let known: String = self.watched.iter().map(|group| format!("+{group}\n")).collect();
        self.write(&known)?;
        if what == '+' { Ok(()) } else { self.write(&line) }
    }

    /// Lines are short and the guard reads at once, so this never waits.
    fn write(&self, lines: &str) -> io::Result<()> {
        let stdin = self.process.as_ref().and_then(|process| process.stdin.as_ref());
        stdin.ok_or(io::ErrorKind::NotConnected)?.write_all(lines.as_bytes())
    }

    fn start(&mut self) -> io::Result<()> {
        if let Some(mut dead) = self.process.take() {
            drop(dead.stdin.take());
            let _ = dead.try_wait();
        }
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", SCRIPT, "mcp-child-guard"])
            .process_group(0)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        self.process = Some(command.spawn()?);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::Child;

    use super::*;

    fn sleeper() -> (Child, i32) {
        let child = Command::new("sleep").arg("600").process_group(0).spawn().expect("started");
        let group = i32::try_from(child.id()).expect("a number");
        (child, group)
    }

    #[test]
    fn a_guard_ends_what_it_watches_when_we_are_gone_and_forgets_what_it_is_told_to() {
        let mut guard = Guard { process: None, watched: BTreeSet::new() };
        let (mut watched, group) = sleeper();
        let (mut forgotten, other) = sleeper();
        let (mut ended, now) = sleeper();
        for (what, group) in [('+', other), ('+', group), ('+', now), ('-', other), ('!', now)] {
            guard.say(what, group).expect("said");
        }
        assert_eq!(ended.wait().expect("reaped").signal(), Some(15), "at once");
        assert!(watched.try_wait().expect("known").is_none());

        let mut process = guard.process.take().expect("a guard");
        drop(process.stdin.take());
        assert!(process.wait().expect("reaped").success());
        assert_eq!(watched.wait().expect("reaped").signal(), Some(15));
        assert!(forgotten.try_wait().expect("known").is_none());
        forgotten.kill().expect("killed");
        forgotten.wait().expect("reaped");
    }

    #[test]
    fn a_guard_that_was_killed_is_replaced_by_one_that_knows_as_much() {
        let mut guard = Guard { process: None, watched: BTreeSet::new() };
        let (mut first, group) = sleeper();
        guard.watched.insert(group);
        guard.say('+', group).expect("said");
        let process = guard.process.as_mut().expect("a guard");
        process.kill().expect("killed");
        process.wait().expect("reaped");

        let (mut second, group) = sleeper();
        guard.watched.insert(group);
        guard.say('+', group).expect("said to another guard");
        drop(guard.process.as_mut().and_then(|process| process.stdin.take()));
        assert_eq!(first.wait().expect("reaped").signal(), Some(15));
        assert_eq!(second.wait().expect("reaped").signal(), Some(15));
    }
}
