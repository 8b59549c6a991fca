//! Servers that run as our own children, and how they end.
//!
//! ```text
//!             spawn                 asked to close (or the client was dropped)
//!   Command ---------> running ------------------------------------------------+
//!                         |                                                    v
//!                         | exits by itself                    stdin closed, `Grace::eof` to exit
//!                         |                                                    | still there
//!                         |                                                    v
//!                         |                               SIGTERM to its group, `Grace::term` to exit
//!                         |                                                    | still there
//!                         v                                                    v
//!                      reaped <------------------------------------ SIGKILL to its group
//!                         |
//!                         v
//!   what it left in its group: SIGTERM, `Grace::term`, SIGKILL; nothing left: no signal at all
//! ```
//!
//! Every child leads a process group of its own, so that what it starts (the `node` behind an `npx`) ends with
//! it. A task owns the child until it is reaped: dropping a client leaves neither a process nor a zombie. Should
//! our own process be killed, a guard process ends the groups that are left.
//!
//! Sources: `basic/transports/stdio#shutdown` (2026-07-28), `basic/lifecycle#stdio` (2025-11-25).

mod close;
mod command;
mod guard;
mod spawn;
mod stderr;

pub use command::{Command, Environment, Grace};
pub use spawn::{ProgramFlaw, SpawnError};

pub(crate) use close::Child;
pub(crate) use command::OnStderr;
pub(crate) use spawn::spawn;
