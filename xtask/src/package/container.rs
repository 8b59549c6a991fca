//! The container file: judged, and its steps carried out without an engine.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use super::Packed;
use super::deb_check::Running;
use super::flaw::Flaw;
use super::program::{Program, copy, empty};
use crate::error::{Error, Result, at};
use crate::process::run;
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// The file, from the root of the repository.
const FILE: &str = "packaging/Containerfile";

/// What the file asks for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Steps {
    /// What is copied, from the folder that is built from into the image.
    copies: Vec<(String, String)>,
    /// The numbers of the user and the group.
    user: String,
    variables: Vec<(String, String)>,
    /// What tells whether it is well.
    health: Vec<String>,
    /// What is started.
    command: Vec<String>,
}

/// Judges the container file, by hadolint too if that is installed; makes what an engine would make of it, starts it there as its user, asks it how it is by its
/// own health check, and ends it.
///
/// # Errors
///
/// The file breaks a rule, or a step fails. Changing the root folder needs root.
pub fn container(packed: &Packed) -> Result<()> {
    let file = root().join(FILE);
    let text = fs::read_to_string(&file).map_err(at(&file))?;
    let steps = Steps::read(&text).map_err(Error::Container)?;
    say(&format!("{FILE} keeps the rules"));
    match run(Command::new("hadolint").arg(&file)) {
        Err(Error::Spawn { .. }) => say("hadolint is not installed: only the rules here were asked"),
        judged => judged?,
    }

    let program = Program::ready(packed)?;
    program.stands_alone()?;
    let folder = Workspace::read()?.target().join("dist/container");
    empty(&folder)?;
    for (from, to) in &steps.copies {
        if from != "hermes" {
            return Err(Error::Container(Flaw::Stranger(from.clone())));
        }
        copy(&program.path, &folder.join(to.trim_start_matches('/')))?;
    }
    // With nothing of this machine, not even its environment: the image is made from scratch.
    let within = |words: &[String]| {
        let mut command = Command::new("chroot");
        command.arg(format!("--userspec={}", steps.user)).arg("--groups=").arg(&folder).args(words);
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").stdin(Stdio::null());
        command.envs(steps.variables.iter().map(|(name, value)| (name, value)));
        command
    };
    let line = steps.command.join(" ");
    let child = within(&steps.command).stdout(Stdio::piped()).spawn();
    let mut running = Running(child.map_err(|source| Error::Spawn { command: line.clone(), source })?);
    let unserved = |answer: String| Error::Unserved { command: line.clone(), answer };
    let mut said = String::new();
    if let Some(stdout) = running.0.stdout.take() {
        BufReader::new(stdout).read_line(&mut said).map_err(|error| unserved(error.to_string()))?;
    }
    say(&format!("{line}: {}", said.trim_end()));
    run(&mut within(&steps.health))?;
    run(Command::new("kill").args(["-TERM", &running.0.id().to_string()]))?;
    let status = running.0.wait().map_err(|error| unserved(error.to_string()))?;
    if !status.success() {
        return Err(unserved(status.to_string()));
    }
    fs::remove_dir_all(&folder).map_err(at(&folder))
}

impl Steps {
    /// Reads the file, or says which rule it breaks.
    fn read(text: &str) -> std::result::Result<Self, Flaw> {
        let mut steps = Self::default();
        let mut start: Option<Vec<String>> = None;
        let mut arguments = Vec::new();
        let mut port = None;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        for (number, line) in lines.enumerate() {
            let (instruction, rest) = line.split_once(' ').unwrap_or((line, ""));
            let rest = rest.trim();
            match instruction {
                "FROM" if number == 0 && rest == "scratch" => {}
                "FROM" => return Err(Flaw::Base(line.to_owned())),
                "COPY" => {
                    let mut words = rest.split_whitespace().filter(|word| !word.starts_with("--"));
                    match (words.next(), words.next(), words.next()) {
                        (Some(from), Some(to), None) if to.starts_with('/') => {
                            steps.copies.push((from.to_owned(), to.to_owned()));
                        }
                        _ => return Err(Flaw::Copy(line.to_owned())),
                    }
                }
                "USER" => rest.clone_into(&mut steps.user),
                "ENV" => match rest.split_once('=') {
                    Some((name, value)) => steps.variables.push((name.to_owned(), value.to_owned())),
                    None => return Err(Flaw::Variable(line.to_owned())),
                },
                "EXPOSE" => port = Some(rest.to_owned()),
                "HEALTHCHECK" => match rest.split_once("CMD ") {
                    Some((_, words)) => steps.health = exec(line, words)?,
                    None => return Err(Flaw::NoHealth),
                },
                "ENTRYPOINT" => start = Some(exec(line, rest)?),
                "CMD" => arguments = exec(line, rest)?,
                _ => return Err(Flaw::Needless(line.to_owned())),
            }
        }
        let mut numbers = steps.user.split(':').map(str::parse::<u32>);
        if !matches!((numbers.next(), numbers.next(), numbers.next()), (Some(Ok(1..)), Some(Ok(1..)), None)) {
            return Err(Flaw::User);
        }
        let address = steps.variables.iter().find(|(name, _)| name == "HERMES_HTTP");
        let served =
            address.and_then(|(_, address)| address.rsplit_once(':')).map(|(_, port)| port.to_owned());
        if served.is_none() || served != port {
            return Err(Flaw::Port);
        }
        if steps.health.is_empty() {
            return Err(Flaw::NoHealth);
        }
        steps.command = start.ok_or(Flaw::NoStart)?;
        steps.command.append(&mut arguments);
        Ok(steps)
    }
}

/// The words of a command; there is no shell to make them of a text.
fn exec(line: &str, words: &str) -> std::result::Result<Vec<String>, Flaw> {
    serde_json::from_str(words).map_err(|_| Flaw::Shell(line.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "# Of one program.\nFROM scratch\nCOPY --chmod=0555 hermes /hermes\nUSER 65532:65532\nENV HERMES_HTTP=0.0.0.0:8000\nEXPOSE 8000\nHEALTHCHECK --timeout=5s CMD [\"/hermes\", \"ping\"]\nENTRYPOINT [\"/hermes\"]\nCMD [\"demo\"]\n";

    #[test]
    fn the_steps_of_a_file_are_what_it_says() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let steps = Steps::read(GOOD).expect("it keeps the rules");
        assert_eq!(steps.copies, [("hermes".to_owned(), "/hermes".to_owned())]);
        assert_eq!(steps.user, "65532:65532");
        assert_eq!((steps.command, steps.health), (words(&["/hermes", "demo"]), words(&["/hermes", "ping"])));
    }

    #[test]
    fn a_file_that_breaks_a_rule_is_told_which() {
        let shell = "ENTRYPOINT /hermes";
        for (good, bad, flaw) in [
            ("FROM scratch", "FROM debian:12", Flaw::Base("FROM debian:12".to_owned())),
            ("USER 65532:65532", "USER 0:0", Flaw::User),
            ("USER 65532:65532", "USER hermes", Flaw::User),
            ("EXPOSE 8000", "EXPOSE 80", Flaw::Port),
            ("ENTRYPOINT [\"/hermes\"]", shell, Flaw::Shell(shell.to_owned())),
            ("ENTRYPOINT [\"/hermes\"]", "# none", Flaw::NoStart),
            ("CMD [\"demo\"]", "RUN true", Flaw::Needless("RUN true".to_owned())),
            ("HEALTHCHECK --timeout=5s CMD [\"/hermes\", \"ping\"]", "# none", Flaw::NoHealth),
            ("HEALTHCHECK --timeout=5s CMD [\"/hermes\", \"ping\"]", "HEALTHCHECK NONE", Flaw::NoHealth),
        ] {
            assert_eq!(Steps::read(&GOOD.replace(good, bad)), Err(flaw), "{bad}");
        }
    }

    #[test]
    fn the_container_file_keeps_the_rules() {
        let text = fs::read_to_string(root().join(FILE)).expect("the file");
        assert_eq!(Steps::read(&text).map(|steps| steps.command.join(" ")), Ok("/hermes demo".to_owned()));
    }
}
