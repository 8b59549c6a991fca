#![allow(unused_variables)]

use hermes_macros::{prompt, resource, server, tool};

#[tool]
fn named(#[schemars(min = 1)] &count: &u8) {}

#[tool]
fn any(what: impl ToString) {}

#[tool(name = NAME)]
fn computed() {}

#[tool(title = "A", title = "B")]
fn twice() {}

#[tool = "add"]
fn assigned() {}

#[prompt("review")]
fn literal() {}

#[resource(uri = "a://b")]
fn keyed() {}

#[resource("a://{name}")]
fn schemed(#[schemars(length(min = 1))] name: String) {}

#[tool]
fn dashed(#[cfg(unix)] path: String) {}

#[server]
struct Weather;

struct Clock;

#[server]
impl Clock {
    fn now(&self) {}
}

struct Waiter;

#[server]
impl Waiter {
    #[tool]
    fn serve(&self) {}
}

struct Desk;

#[server]
impl Desk {
    #[tool]
    fn consume(self) {}

    #[tool]
    fn borrowed(&self) -> Option<&str> {
        None
    }

    #[tool]
    fn itself(&self, other: Vec<Self>) {}
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
