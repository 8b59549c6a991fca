//! How a server is served, said by whoever operates it: in a file, in the environment, or with flags.
//!
//! ```text
//! flags ──set──▶ Settings ──or──▶ Settings ──http(server)──▶ StreamableHttp
//!                  ▲   ▲                └─────server(server)─▶ Server
//!     from_env ────┘   └──── read: server.toml
//! ```
//!
//! Each [`Key`] has one name everywhere: `max-sessions` in a file, `HERMES_MAX_SESSIONS` in the environment, `--max-sessions`
//! where a program has flags. A mistake says where it is, down to the line and the key, and what to write instead.

mod apply;
mod error;
mod file;
mod key;
#[expect(clippy::module_inception, reason = "the type that the module is about")]
mod settings;
mod value;

pub use error::{Place, SettingsError};
pub use key::Key;
pub use settings::Settings;
pub use value::{Kind, parse_time};
