//! `hermes shell`: a conversation with a server, typed line by line.
//!
//! ```text
//! keyboard ──line──▶ words ──▶ command ──▶ perform ──▶ session ──▶ server
//!    ▲  ▲                                     │
//!    │  └── candidates ◀── place              └──▶ standard output, pictures
//!    └───── what is said above the line: notifications, logs, questions
//! ```
//!
//! [`words`] takes a line apart, [`command`] makes sense of it, [`perform`] and [`requests`] carry it out. [`place`] says
//! what stands at the cursor, [`candidates`] what it may be completed to, from what [`catalogue`] knows. [`keyboard`] is
//! the only one who reads the terminal.

mod asking;
mod candidates;
mod catalogue;
mod command;
mod fields;
mod help;
mod history;
mod keyboard;
mod link;
mod names;
mod perform;
mod pictures;
mod place;
mod requests;
mod roots;
mod run;
mod sixel;
mod start;
mod state;
mod terminal;
mod words;

pub(crate) use run::run;
