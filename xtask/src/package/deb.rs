//! The Debian package, made of a folder by `dpkg-deb`.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Packed;
use super::deb_check;
use super::program::{Program, copy, empty};
use crate::error::{Result, at};
use crate::process::{output, run};
use crate::stage::say;
use crate::workspace::{Workspace, root};

/// Makes the package below `target/dist`; with `check`, also installs it, runs it, and removes it again.
///
/// # Errors
///
/// It cannot be made, or does not do what it has to.
pub fn deb(packed: &Packed, check: bool) -> Result<()> {
    let program = Program::ready(packed)?;
    let folder = Workspace::read()?.target().join("dist");
    let package = pack(&program, &folder)?;
    say(&format!("made {}", package.display()));
    if check { deb_check::check(&package) } else { Ok(()) }
}

fn pack(program: &Program, folder: &Path) -> Result<PathBuf> {
    let tree = folder.join("deb");
    empty(&tree)?;
    let packaging = root().join("packaging");
    copy(&program.path, &tree.join("usr/bin/hermes"))?;
    copy(&packaging.join("hermes.service"), &tree.join("usr/lib/systemd/system/hermes.service"))?;
    copy(&packaging.join("server.toml"), &tree.join("etc/hermes/server.toml"))?;
    let pages = folder.join("deb-pages");
    empty(&pages)?;
    program.pages(&pages)?;
    for page in files(&pages.join("man"))? {
        let name = page.file_name().unwrap_or_default().to_string_lossy().into_owned();
        copy(&page, &tree.join("usr/share/man/man1").join(&name))?;
        run(Command::new("gzip").arg("-9n").arg(tree.join("usr/share/man/man1").join(&name)))?;
    }
    for (from, to) in [
        ("hermes", "usr/share/bash-completion/completions/hermes"),
        ("hermes.fish", "usr/share/fish/vendor_completions.d/hermes.fish"),
        ("_hermes", "usr/share/zsh/vendor-completions/_hermes"),
    ] {
        copy(&pages.join("completions").join(from), &tree.join(to))?;
    }
    let doc = tree.join("usr/share/doc/hermes-mcp");
    for file in ["CHANGELOG.md", "README.md"] {
        copy(&root().join(file), &doc.join(file))?;
    }
    let licence = fs::read_to_string(root().join("LICENSE-MIT")).map_err(at("LICENSE-MIT"))?;
    let copyright = format!(
        "Licensed as MIT or Apache-2.0, as you like. Debian has the latter in\n/usr/share/common-licenses/Apache-2.0.\n\n{licence}"
    );
    let file = doc.join("copyright");
    fs::write(&file, copyright).map_err(at(&file))?;
    modes(&tree)?;

    // In kibibytes, of what is installed.
    let size =
        output(Command::new("du").args(["--summarize", "--apparent-size", "--block-size=1K"]).arg(&tree))?;
    let size = size.split_whitespace().next().unwrap_or("0").to_owned();
    let architecture = output(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    let control = tree.join("DEBIAN");
    for file in files(&packaging.join("deb"))? {
        let name = file.file_name().unwrap_or_default().to_owned();
        copy(&file, &control.join(name))?;
    }
    let file = control.join("control");
    let text = fs::read_to_string(&file).map_err(at(&file))?;
    let text = text.replace("@VERSION@", &program.version).replace("@ARCHITECTURE@", &architecture);
    fs::write(&file, text.replace("@SIZE@", &size)).map_err(at(&file))?;
    modes(&control)?;
    for file in ["postinst", "prerm", "postrm"] {
        mode(&control.join(file), 0o755)?;
    }

    let package = folder.join(format!("hermes-mcp_{}_{architecture}.deb", program.version));
    let mut command = Command::new("dpkg-deb");
    // Compressed as every dpkg reads it, and with the same times whenever it is made.
    command.env("SOURCE_DATE_EPOCH", "0").args(["--root-owner-group", "-Zxz", "--build"]);
    run(command.arg(&tree).arg(&package))?;
    Ok(package)
}

/// Everybody may read, and what is a program may be run, whatever the umask of whoever packs.
fn modes(folder: &Path) -> Result<()> {
    mode(folder, 0o755)?;
    for path in files(folder)? {
        if path.is_dir() {
            modes(&path)?;
        } else {
            let is_program = path.parent().is_some_and(|folder| folder.ends_with("bin"));
            mode(&path, if is_program { 0o755 } else { 0o644 })?;
        }
    }
    Ok(())
}

fn mode(path: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(at(path))
}

/// What is in a folder, by name.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let listed = fs::read_dir(folder).map_err(at(folder))?;
    let mut files = listed.map(|entry| Ok(entry.map_err(at(folder))?.path())).collect::<Result<Vec<_>>>()?;
    files.sort();
    Ok(files)
}
