//! The Debian package as a machine meets it: installed, started, asked, removed.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::error::{Error, Result, at};
use crate::process::{output, run};
use crate::stage::say;

/// The package's name.
const NAME: &str = "hermes-mcp";

/// Its unit, once it is installed.
const UNIT: &str = "/usr/lib/systemd/system/hermes.service";

/// What stays when the package is removed: what people have set, and what the service has kept.
const STAYS: [&str; 2] = ["/etc/hermes/server.toml", "/var/lib/hermes"];

/// Ends a server with its check.
pub(super) struct Running(pub(super) Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Installs the package, starts the command line of its unit as a user of no importance, asks it for `/health`, ends it,
/// removes the package and looks for what is left.
///
/// # Errors
///
/// Something is not as it has to be. The package is removed then too.
pub(super) fn check(package: &Path) -> Result<()> {
    if Path::new(UNIT).exists() {
        return Err(Error::Installed(NAME));
    }
    let outcome = installed(package);
    let purged = run(Command::new("dpkg").args(["--purge", NAME]));
    outcome.and(purged)?;
    for path in ["/etc/hermes", "/var/lib/hermes", UNIT] {
        if Path::new(path).exists() {
            return Err(Error::Leftover { path: path.into(), after: "purge" });
        }
    }
    say("installed, started, asked, removed, purged: nothing is left");
    Ok(())
}

fn installed(package: &Path) -> Result<()> {
    run(Command::new("dpkg").arg("--install").arg(package))?;
    let listed = output(Command::new("dpkg-query").args(["--listfiles", NAME]))?;
    let files: Vec<&str> = listed.lines().filter(|path| Path::new(path).is_file()).collect();
    run(Command::new("systemd-analyze").args(["verify", "--man=no", UNIT]))?;
    run(Command::new("man").args(["--where", "hermes-call"]))?;
    served()?;
    run(Command::new("dpkg").args(["--remove", NAME]))?;
    for path in files {
        if Path::new(path).exists() && !STAYS.contains(&path) {
            return Err(Error::Leftover { path: path.into(), after: "removal" });
        }
    }
    for path in STAYS {
        if !Path::new(path).exists() {
            return Err(Error::Lost(path.into()));
        }
    }
    Ok(())
}

/// Starts what the unit starts, and asks it.
fn served() -> Result<()> {
    let unit = fs::read_to_string(UNIT).map_err(at(UNIT))?;
    let line = unit.lines().find_map(|line| line.strip_prefix("ExecStart="));
    let line = line.unwrap_or_default();
    let unserved = |answer: String| Error::Unserved { command: line.to_owned(), answer };
    // What systemd makes for StateDirectory.
    fs::create_dir_all("/var/lib/hermes").map_err(at("/var/lib/hermes"))?;
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]);
    command.args(line.split_whitespace()).current_dir("/").stdin(Stdio::null()).stdout(Stdio::piped());
    let child = command.spawn().map_err(|source| Error::Spawn { command: line.to_owned(), source })?;
    let mut running = Running(child);
    let mut said = String::new();
    if let Some(stdout) = running.0.stdout.take() {
        BufReader::new(stdout).read_line(&mut said).map_err(|error| unserved(error.to_string()))?;
    }
    let address = said.split("http://").nth(1).and_then(|rest| rest.split('/').next()).unwrap_or_default();
    let answer = health(address).map_err(|error| unserved(format!("{address}: {error}")))?;
    if !answer.starts_with("HTTP/1.1 200") {
        return Err(unserved(answer));
    }
    say(&format!("{line}: /health at {address} is answered with 200"));
    run(Command::new("kill").args(["-TERM", &running.0.id().to_string()]))?;
    let status = running.0.wait().map_err(|error| unserved(error.to_string()))?;
    if status.success() { Ok(()) } else { Err(unserved(status.to_string())) }
}

fn health(address: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET /health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
