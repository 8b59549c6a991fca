//! How many messages a whole run of tests has judged, over all its processes.

use std::fs::OpenOptions;
use std::io::Write as _;

use crate::recorder::Verdict;

/// Names the file to which every recorder adds a line when it is done: the test program, then how many messages of
/// clients and of servers it has judged.
const TALLY: &str = "MCP_JUDGED";

/// Adds what one recorder has judged.
///
/// # Panics
/// The file cannot be written to.
pub(crate) fn add(verdict: Verdict) {
    let Some(file) = std::env::var_os(TALLY) else { return };
    let program = std::env::current_exe().ok();
    let program = program.as_deref().and_then(|path| path.file_stem()).unwrap_or_default();
    let line = format!("{}\t{}\t{}\n", program.display(), verdict.client, verdict.server);
    // One write of one short line: processes that add at once do not mix their lines.
    let added = OpenOptions::new().create(true).append(true).open(&file);
    if let Err(error) = added.and_then(|mut file| file.write_all(line.as_bytes())) {
        // Not a panic: this runs where values are dropped.
        let _ = writeln!(std::io::stderr(), "{}: {error}", file.display());
    }
}
