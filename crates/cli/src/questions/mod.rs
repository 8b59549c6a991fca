//! What a server may ask: forms, a model's reply, folders.

mod answers;
mod dialogue;
mod form;
mod host;
mod root;

pub(crate) use answers::Answers;
pub(crate) use host::Host;
pub(crate) use root::Folder;
