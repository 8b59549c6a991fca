#![allow(unused_variables)]

use std::collections::HashMap;

use hermes_macros::{prompt, server};

#[prompt]
fn summary(notes: Vec<String>, tone: Option<[u8; 3]>, options: HashMap<String, bool>) -> String {
    String::new()
}

struct Desk;

#[server]
impl Desk {
    #[prompt]
    fn plan(&self, days: (u8, u8), city: String) -> String {
        city
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
pub struct Component;
pub trait IntoComponent {
    fn into_component(self) -> Component;
}
