//! From values to text for people.

mod measure;
mod screen;
mod table;

pub(crate) use measure::{base64_size, size};
pub(crate) use screen::{Screen, style};
pub(crate) use table::{Row, table};
