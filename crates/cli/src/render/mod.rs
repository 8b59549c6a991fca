//! From values to text for people.

mod content;
mod json;
mod list;
mod measure;
mod news;
mod screen;
mod table;

pub(crate) use content::{call_result, prompt_result, read_result};
pub(crate) use json::pretty;
pub(crate) use list::{Offer, offer};
pub(crate) use measure::size;
pub(crate) use news::told;
pub(crate) use screen::{Screen, style};
pub(crate) use table::{Row, table};
