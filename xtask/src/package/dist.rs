//! The archive, its checksum, and the folder that a container is built from.

use std::fs;
use std::process::Command;

use super::Packed;
use super::program::{Program, copy, empty};
use crate::error::{Result, at};
use crate::process::{output, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// What goes along, from the root of the repository.
const ALONG: [&str; 7] = [
    "CHANGELOG.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "docs/command-line.md",
    "packaging/hermes.service",
    "packaging/server.toml",
];

/// Makes `hermes-VERSION-TARGET.tar.gz` below `target/dist`, `SHA256SUMS`, and `image/`. The same program gives the same
/// archive, byte by byte.
///
/// # Errors
///
/// The program cannot be built, or something cannot be written.
pub fn dist(packed: &Packed) -> Result<()> {
    let program = Program::ready(packed)?;
    let folder = Workspace::read()?.target().join("dist");
    let name = format!("hermes-{}-{}", program.version, program.target);
    let tree = folder.join(&name);
    empty(&tree)?;
    copy(&program.path, &tree.join("hermes"))?;
    program.pages(&tree)?;
    for file in ALONG {
        let within = file.rsplit('/').next().unwrap_or(file);
        copy(&root().join(file), &tree.join(within))?;
    }
    let image = folder.join("image");
    empty(&image)?;
    copy(&program.path, &image.join("hermes"))?;

    let archive = format!("{name}.tar.gz");
    let mut tar = Command::new("tar");
    tar.current_dir(&folder).args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0"]);
    // Without a name and a time in its head.
    run(tar.args([
        "--mode=u+rw,go+r-w",
        "--use-compress-program=gzip -9n",
        "--create",
        "--file",
        &archive,
        &name,
    ]))?;
    let sums = output(Command::new("sha256sum").current_dir(&folder).arg(&archive))?;
    let file = folder.join("SHA256SUMS");
    fs::write(&file, &sums).map_err(at(&file))?;
    say(sums.trim_end());
    Ok(())
}
