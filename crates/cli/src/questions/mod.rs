//! What a server may ask: forms, a model's reply, folders.

mod answers;
mod dialogue;
mod form;
mod host;
mod root;
mod terminal;

pub(crate) use answers::Answers;
pub(crate) use dialogue::{Dialogue, Reply};
pub(crate) use form::Form;
pub(crate) use host::Host;
pub(crate) use root::Folder;
pub(crate) use terminal::{Answer, Terminal};
