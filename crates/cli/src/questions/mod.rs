//! What a server may ask: forms, a model's reply, folders.

mod answers;
mod dialogue;
mod form;
mod root;

pub(crate) use answers::Answers;
pub(crate) use dialogue::{Dialogue, Reply};
pub(crate) use form::Form;
pub(crate) use root::Folder;
