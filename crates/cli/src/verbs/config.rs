//! `hermes config`: the files that servers have names in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;
use hermes::servers::{Entry, Surroundings};
use serde::Serialize;
use serde_json::Value;

use crate::args::{Config, ConfigAdd, ConfigImport, Flags, Whose};
use crate::config::{Document, HostProgram, Named, Servers, entry, missing_program, own, project};
use crate::configured::{Configured, from_environment};
use crate::exit::{Exit, Failure, Result};
use crate::hint;
use crate::output::{note, print, print_json, report};
use crate::render::{Row, Screen, style, table};
use crate::target::DEMO;

/// A file of servers, for machines.
#[derive(Serialize)]
struct File {
    /// Whose it is: `project`, `own`, or another program.
    of: String,
    file: String,
    /// Why it cannot be read.
    error: Option<String>,
    servers: Vec<Server>,
}

/// A server in it. Nothing in it is a secret.
#[derive(Serialize)]
struct Server {
    name: String,
    reach: String,
    env: Vec<String>,
    headers: Vec<String>,
    disabled: bool,
    error: Option<String>,
}

/// What has become of a file.
#[derive(Serialize)]
struct Changed<'a> {
    file: String,
    added: Vec<&'a str>,
    removed: Vec<&'a str>,
    skipped: Vec<&'a str>,
}

/// Does what is said about files of servers.
///
/// # Errors
/// It cannot be done.
pub(crate) fn run(what: &Config, flags: &Flags) -> Result<Exit> {
    match what {
        Config::List => list(flags),
        Config::Add(add) => self::add(add, flags),
        Config::Remove { name, whose } => remove(name, *whose, flags),
        Config::Import(wanted) => import(wanted, flags),
        Config::Check { files } => check(files, flags),
    }
}

/// The file that is changed.
fn place(whose: Whose, flags: &Flags) -> Result<PathBuf> {
    if whose.project {
        return Ok(project());
    }
    let named = flags.config.clone().or_else(from_environment);
    named.or_else(own).ok_or_else(|| {
        Failure::usage("there is no home folder to keep servers in")
            .with_hint("--config FILE names a file".to_owned())
    })
}

fn list(flags: &Flags) -> Result<Exit> {
    let surroundings = Configured::surroundings(flags);
    let ours = Configured::candidates(flags)?.into_iter().map(|path| {
        let of = if own().as_ref() == Some(&path) { "own" } else { "project" };
        (of.to_owned(), path.clone(), Servers::read(&path))
    });
    let theirs = HostProgram::value_variants().iter().filter_map(|host| {
        let read = Servers::of_host(*host);
        let path = match &read {
            Ok(servers) => servers.as_ref()?.path.clone(),
            Err(_) => PathBuf::new(),
        };
        Some((host.name(), path, read))
    });
    let files: Vec<File> =
        ours.chain(theirs).filter_map(|(of, path, read)| file(&of, &path, read, &surroundings)).collect();
    let problems: Vec<Failure> =
        files.iter().filter_map(|file| file.error.as_deref()).map(Failure::usage).collect();
    let exit = problems.first().map_or(Exit::Ok, Failure::exit);
    if flags.json {
        print_json(&serde_json::json!({ "files": files }))?;
        problems.iter().for_each(report);
        return Ok(exit);
    }
    if files.is_empty() {
        print("There are no files of servers here.\n")?;
    }
    let screen = Screen::stdout();
    let sections = files.iter().filter(|file| file.error.is_none()).map(|file| {
        let heading = screen.paint(style::HEADING, &file.of);
        let rows = table(screen, &file.servers.iter().map(row).collect::<Vec<_>>());
        format!("{heading} {}\n{rows}", file.file)
    });
    print(&sections.collect::<Vec<_>>().join("\n"))?;
    problems.iter().for_each(report);
    Ok(exit)
}

fn file(of: &str, path: &Path, read: Result<Option<Servers>>, around: &Surroundings) -> Option<File> {
    let shown = path.display().to_string();
    let failed = |failure: &Failure| File {
        of: of.to_owned(),
        file: shown.clone(),
        error: Some(failure.to_string()),
        servers: Vec::new(),
    };
    let servers = match read {
        Ok(servers) => servers?,
        Err(failure) => return Some(failed(&failure)),
    };
    let entries = match servers.entries(around) {
        Ok(entries) => entries,
        Err(failure) => return Some(failed(&failure)),
    };
    let server = |named: Named<'_>| Server {
        name: named.name.to_owned(),
        reach: named.reach(),
        env: named.names_in("env"),
        headers: named.names_in("headers"),
        disabled: named.is_disabled(),
        error: entries.entry(named.name).and_then(Entry::error).map(ToString::to_string),
    };
    Some(File { of: of.to_owned(), file: shown, error: None, servers: servers.all().map(server).collect() })
}

fn row(server: &Server) -> Row {
    let screen = Screen::stdout();
    let mut notes: Vec<String> = Vec::new();
    for (kind, names) in [("variables", &server.env), ("headers", &server.headers)] {
        if !names.is_empty() {
            notes.push(format!("{kind}: {}", names.join(", ")));
        }
    }
    if server.disabled {
        notes.push("disabled".to_owned());
    }
    Row::new(screen.clean(&server.name))
        .with(style::PLAIN, screen.clean(&server.reach))
        .with(style::FAINT, screen.clean(&notes.join("; ")))
        .with(style::BAD, screen.clean(server.error.as_deref().unwrap_or_default()))
}

fn add(add: &ConfigAdd, flags: &Flags) -> Result<Exit> {
    let name = usable(&add.name)?;
    let words: Vec<String> = add.command.iter().map(unicode).collect::<Result<_>>()?;
    let words = match (&add.address, words.as_slice()) {
        (Some(address), []) => vec![address.clone()],
        (None, [_, ..]) => words,
        _ => {
            let message = "a server is an address, or a command after --";
            return Err(Failure::usage(message).with_hint(
                "hermes config add NAME URL, or hermes config add NAME -- COMMAND ARGS...".to_owned(),
            ));
        }
    };
    let is_address = add.address.is_some();
    if is_address && !["http://", "https://", "ws://", "wss://"].iter().any(|it| words[0].starts_with(it)) {
        let message = format!("\"{}\" is no address of a server", words[0]);
        return Err(Failure::usage(message).with_hint("a command follows --".to_owned()));
    }
    if is_address && !add.env.is_empty() {
        return Err(Failure::usage("--env has no use for a server at an address"));
    }
    if !is_address && !flags.headers.is_empty() {
        return Err(Failure::usage("--header has no use for a command"));
    }
    let path = place(add.whose, flags)?;
    let document = Document::make(&path)?;
    if document.has(name) && !add.force {
        return Err(Failure::usage(format!("there is a server \"{name}\" in {} already", path.display()))
            .with_hint("--force puts the new one in its place".to_owned()));
    }
    document.set(name, &entry(&words, &add.env, &flags.headers))?;
    document.write()?;
    changed(
        &Changed { file: shown(&path), added: vec![name], removed: Vec::new(), skipped: Vec::new() },
        flags,
    )
}

/// A name that a command line can use.
fn usable(name: &str) -> Result<&str> {
    let why = if name == DEMO {
        "is the server that is built in"
    } else if cannot_be_typed(name) {
        "cannot be typed as a target"
    } else if name.contains("://") || name.starts_with("unix:") || name.starts_with("tcp:") {
        "is an address"
    } else {
        return Ok(name);
    };
    Err(Failure::usage(format!("no server can be called \"{name}\": that {why}")))
}

fn cannot_be_typed(name: &str) -> bool {
    name.is_empty() || name.starts_with('-') || name.contains(char::is_control)
}

fn unicode(word: &OsString) -> Result<String> {
    let told = || Failure::usage(format!("{} is no text (UTF-8), and cannot be kept", word.display()));
    word.to_str().map(str::to_owned).ok_or_else(told)
}

fn remove(name: &str, whose: Whose, flags: &Flags) -> Result<Exit> {
    let path = place(whose, flags)?;
    let document = Document::open(&path)?;
    if !document.remove(name) {
        let servers = Servers::read(&path)?;
        let names: Vec<String> =
            servers.iter().flat_map(Servers::all).map(|named| named.name.to_owned()).collect();
        let offer = hint::offer(name, names.iter().map(String::as_str));
        return Err(
            Failure::usage(format!("there is no server \"{name}\" in {}", path.display())).with_hint(offer)
        );
    }
    document.write()?;
    changed(
        &Changed { file: shown(&path), added: Vec::new(), removed: vec![name], skipped: Vec::new() },
        flags,
    )
}

fn import(wanted: &ConfigImport, flags: &Flags) -> Result<Exit> {
    let hosts = match wanted.host {
        Some(host) => vec![host],
        None => HostProgram::value_variants().to_vec(),
    };
    let mut sources = Vec::new();
    let mut exit = Exit::Ok;
    for host in hosts {
        match (Servers::of_host(host), wanted.host) {
            (Ok(Some(servers)), _) => sources.push(servers),
            (Ok(None), Some(host)) => {
                return Err(Failure::usage(format!("{} keeps no servers on this machine", host.name()))
                    .with_hint("hermes config list shows who does".to_owned()));
            }
            (Ok(None), None) => {}
            (Err(failure), Some(_)) => return Err(failure),
            // The others can be had all the same.
            (Err(failure), None) => {
                report(&failure);
                exit = failure.exit();
            }
        }
    }
    for name in &wanted.names {
        if sources.iter().all(|servers| servers.find(name).is_none()) {
            let names: Vec<&str> = sources.iter().flat_map(Servers::all).map(|named| named.name).collect();
            return Err(Failure::usage(format!("there is no server \"{name}\" to copy"))
                .with_hint(hint::offer(name, names)));
        }
        usable(name)?;
    }
    let path = place(wanted.whose, flags)?;
    let document = Document::make(&path)?;
    let (mut added, mut skipped): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for named in sources.iter().flat_map(Servers::all) {
        let Named { name, value } = named;
        if !wanted.names.is_empty() && !wanted.names.iter().any(|wanted| wanted == name) {
            continue;
        }
        // Of two programs that have the name, the first one counts.
        let taken = added.contains(&name) || (document.has(name) && !wanted.force);
        let why = match usable(name) {
            Err(failure) => Some(failure.to_string()),
            Ok(_) if named.reach().is_empty() => Some(format!("{name} has neither a command nor an address")),
            Ok(_) if taken => {
                Some(format!("{name} is in {} already; --force takes the other one", path.display()))
            }
            Ok(_) => None,
        };
        if let Some(why) = why {
            note("skipped", style::WARNING, &why);
            skipped.push(name);
            continue;
        }
        document.set(name, value)?;
        added.push(name);
    }
    if !added.is_empty() {
        document.write()?;
    }
    changed(&Changed { file: shown(&path), added, removed: Vec::new(), skipped }, flags)?;
    Ok(exit)
}

/// Says what has become of a file.
fn changed(change: &Changed<'_>, flags: &Flags) -> Result<Exit> {
    if flags.json {
        print_json(change)?;
        return Ok(Exit::Ok);
    }
    let mut text = String::new();
    for (what, names) in [("added", &change.added), ("removed", &change.removed)] {
        for name in names {
            text.push_str(&format!("{what} {name}\n"));
        }
    }
    note("file", style::FAINT, &change.file);
    print(&Screen::stdout().clean(&text))?;
    Ok(Exit::Ok)
}

fn check(files: &[PathBuf], flags: &Flags) -> Result<Exit> {
    let surroundings = Configured::surroundings(flags);
    let looked = if files.is_empty() { Configured::candidates(flags)? } else { files.to_vec() };
    let (mut problems, mut count) = (Vec::<Value>::new(), 0_usize);
    for path in &looked {
        let mut say = |server: Option<&str>, problem: &str| {
            problems.push(serde_json::json!({ "file": shown(path), "server": server, "problem": problem }));
        };
        match Servers::of_file(path) {
            Ok(None) if files.is_empty() => {}
            Ok(None) => say(None, "there is no such file"),
            Err(failure) => say(None, &failure.to_string()),
            Ok(Some(servers)) => {
                count += servers.all().count();
                match servers.entries(&Configured::around(path, &surroundings)) {
                    Ok(entries) => {
                        for entry in entries.entries() {
                            problem(entry).iter().for_each(|problem| say(Some(entry.name()), problem));
                        }
                    }
                    Err(failure) => say(None, &failure.to_string()),
                }
                for named in servers.all().filter(|named| !named.is_disabled()) {
                    if let Some(command) = named.value["command"].as_str().and_then(missing_program) {
                        say(Some(named.name), &format!("the command `{command}` is not in PATH"));
                    }
                }
            }
        }
    }
    if flags.json {
        print_json(&serde_json::json!({ "servers": count, "problems": problems }))?;
    } else if problems.is_empty() {
        let servers = if count == 1 { "server" } else { "servers" };
        print(&format!("{count} {servers}, nothing wrong\n"))?;
    } else {
        for problem in &problems {
            let text = |member: &str| problem[member].as_str().unwrap_or_default();
            let known = text("problem").contains(text("file"));
            let server =
                problem["server"].as_str().map(|name| format!("server {name:?}: ")).unwrap_or_default();
            let place = if known { String::new() } else { format!("{}: {server}", text("file")) };
            report(&Failure::usage(format!("{place}{}", text("problem"))));
        }
    }
    Ok(if problems.is_empty() { Exit::Ok } else { Exit::Usage })
}

/// What is wrong with a server, apart from its command.
fn problem(entry: &Entry) -> Option<String> {
    if cannot_be_typed(entry.name()) {
        return Some("this name cannot be typed as a target: give the server another one".to_owned());
    }
    if let Some(error) = entry.error() {
        return Some(error.to_string());
    }
    // What is left out needs no folder either.
    let cwd = entry.cwd().filter(|cwd| !entry.is_disabled() && !cwd.is_dir())?;
    let folder = cwd.display();
    Some(match cwd.exists() {
        true => format!("{folder} is no folder: change `cwd`"),
        false => format!("the folder {folder} is not there: make it, or change `cwd`"),
    })
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
