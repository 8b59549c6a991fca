//! The model compared with the official schemas and examples of all revisions.

mod definitions;
mod examples;
mod folder;
mod full;
mod kinds;
mod members;
mod messages;
mod subject;
mod subjects;
