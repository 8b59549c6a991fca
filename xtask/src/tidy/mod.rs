//! The rules that no lint holds.
//!
//! | rule | holds |
//! |---|---|
//! | `arrows` | which crate may depend on which |
//! | `features` | `cfg(feature)` stands on a module or an import: code is compiled whole or not at all |
//! | `ledger` | each rule of the specification is shown by a test or has a reason, never both: see [`crate::ledger`] |
//! | `layout` | `lib.rs` and `mod.rs` name modules and hold no logic |
//! | `links` | a relative link in a page leads to a file, and to a heading in it; the guide's lead somewhere in the library's documentation too |
//! | `llms` | the texts for language models are those of the guides: see `crate::llms` |
//! | `manifest` | tables are sorted; versions and lints come from the workspace |
//! | `packed` | what a crate takes in when it is built lies within its package |
//! | `parity` | each row of docs/hermes-parity.md is filled in, and the tests that it names exist: see `crate::parity` |
//! | `size` | a source file of a crate stays under 800 lines, its tests apart; from 400 on there is a warning |
//! | `tests` | no test is ignored |
//! | `troubles` | every public error has its entry in docs/troubleshooting.md |
//! | `words` | no unfinished work, no path of one machine, text ends with a newline |

mod arrows;
mod check;
mod links;
mod manifest;
mod packed;
mod rust;
mod troubles;
mod words;

pub use crate::finding::{Finding, Severity};
pub use check::{check, run};
