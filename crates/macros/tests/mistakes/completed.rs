#![allow(unused_variables)]

use hermes_macros::server;

struct Travel;

#[server]
impl Travel {
    #[tool]
    fn book(&self, #[complete(["Oslo", "Rome"])] city: String) {}

    #[prompt]
    fn pack(&self, #[complete] city: String) -> String {
        city
    }

    #[prompt]
    fn plan(&self, #[complete(cities)] #[complete(["Oslo"])] city: String) -> String {
        city
    }

    #[resource("travel://{city}")]
    fn city(&self, #[completed(cities)] city: String) -> String {
        city
    }

    #[prompt]
    fn tell(&self, #[complete(cities)] log: Log) {}
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
pub struct Log;
