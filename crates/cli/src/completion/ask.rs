//! Asking a target while somebody waits for a key to do something.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash as _, Hasher as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::answer::{Offered, Question};
use super::candidates::Wish;
use crate::atomic;
use crate::exit::{Exit, Result};
use crate::places;
use crate::session::Session;
use crate::target::Target;
use crate::trace;

/// How long a shell is kept waiting.
pub(super) const LIMIT: Duration = Duration::from_millis(900);

/// How long the other process asks. A server that starts slowly is complete at a later key.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long an answer is taken for true.
const LIFE: Duration = Duration::from_secs(30);

/// The same for an answer that says nothing: the server may be there by now.
const LIFE_OF_NOTHING: Duration = Duration::from_secs(3);

/// How long answers lie about.
const LEFTOVERS: Duration = Duration::from_secs(24 * 60 * 60);

/// How often one looks whether the answer is there.
const GLANCE: Duration = Duration::from_millis(10);

/// Set to `off`, nobody is asked: verbs, flags and names are completed all the same.
const SWITCH: &str = "HERMES_COMPLETE";

/// What a target offers, if it says so in time. `words` are those of the line.
#[expect(
    clippy::disallowed_methods,
    reason = "no runtime is started for a key: this thread has nothing else to do"
)]
pub(super) fn offered(wish: &Wish, words: &[String]) -> Vec<Offered> {
    let kept = match place(wish) {
        Some(place) if std::env::var_os(SWITCH).is_none_or(|switch| switch != "off") => place,
        _ => return Vec::new(),
    };
    if let Some(known) = known(&kept) {
        return known;
    }
    if !is_younger(&asking(&kept), PATIENCE) && spawn(words).is_none() {
        return Vec::new();
    }
    let since = Instant::now();
    while since.elapsed() < LIMIT {
        if let Some(known) = known(&kept) {
            return known;
        }
        thread::sleep(GLANCE);
    }
    Vec::new()
}

/// Starts the other process. It outlives this one, and no signal of the terminal reaches it.
fn spawn(words: &[String]) -> Option<()> {
    let program = std::env::current_exe().ok()?;
    let mut command = Command::new(program);
    command.args(["__complete", "--fill", "fish", "--"]).args(words).env_remove(trace::FILE).process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok().map(drop)
}

/// Asks the target, and keeps what it says.
///
/// # Errors
/// The answer cannot be kept.
///
/// # Cancel safety
/// Nothing is kept then.
pub(crate) async fn fill(words: &[String]) -> Result<Exit> {
    let wish = Wish::at(words).and_then(|wish| Some((place(&wish)?, wish)));
    let Some((place, wish)) = wish else { return Ok(Exit::Ok) };
    let unkept = |error: std::io::Error| {
        crate::exit::Failure::new(Exit::Output, format!("cannot write to {}: {error}", place.display()))
    };
    let folder = place.parent().unwrap_or(&place);
    atomic::folder(folder).map_err(unkept)?;
    tidy(folder);
    atomic::replace(&asking(&place), "").map_err(unkept)?;
    let asked = tokio::time::timeout(PATIENCE, ask(wish)).await;
    let answer = serde_json::to_string(&asked.unwrap_or_default()).unwrap_or_default();
    let kept = atomic::replace(&place, &answer).map_err(unkept);
    // The next one may ask again; if this cannot be removed, it is too old soon.
    let _ = fs::remove_file(asking(&place));
    kept.map(|()| Exit::Ok)
}

async fn ask(wish: Wish) -> Vec<Offered> {
    let Wish { question, reach, mut flags } = wish;
    flags.timeout = Some(PATIENCE);
    let Ok((target, _)) = Target::resolve(reach, &flags) else { return Vec::new() };
    let Ok(mut session) = Box::pin(Session::open(&target, &flags)).await else { return Vec::new() };
    let answer = Question::ask(&question, &mut session).await;
    session.close().await;
    answer
}

/// The file that keeps an answer: one for each question to each target, as the line and the surroundings name it.
fn place(wish: &Wish) -> Option<PathBuf> {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    wish.question.hash(&mut hasher);
    wish.reach.words.first().hash(&mut hasher);
    std::env::current_dir().ok().hash(&mut hasher);
    std::env::var_os("HERMES_CONFIG").hash(&mut hasher);
    // Other headers or inputs may be offered something else. They are secrets, and only their hash is kept.
    format!("{:?}", wish.flags).hash(&mut hasher);
    Some(places::cache()?.join("completions").join(format!("{:016x}.json", hasher.finish())))
}

/// What says that somebody is asking.
fn asking(place: &Path) -> PathBuf {
    place.with_extension("asking")
}

fn known(place: &Path) -> Option<Vec<Offered>> {
    if !is_younger(place, LIFE) {
        return None;
    }
    let kept: Vec<Offered> = serde_json::from_str(&fs::read_to_string(place).ok()?).ok()?;
    (!kept.is_empty() || is_younger(place, LIFE_OF_NOTHING)).then_some(kept)
}

fn is_younger(path: &Path, limit: Duration) -> bool {
    let written = fs::metadata(path).and_then(|file| file.modified());
    written.is_ok_and(|written| SystemTime::now().duration_since(written).is_ok_and(|age| age < limit))
}

/// Removes what nobody has looked for.
fn tidy(folder: &Path) {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    for old in files.filter(|file| !is_younger(file, LEFTOVERS)) {
        // Another process may have done it.
        let _ = fs::remove_file(old);
    }
}
