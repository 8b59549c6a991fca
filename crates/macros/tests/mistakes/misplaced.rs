use hermes_macros::{server, tool};

#[server]
struct Weather;

impl Weather {
    #[tool]
    fn temperature(&self) -> i32 {
        20
    }
}

#[server]
impl Default for Weather {
    fn default() -> Self {
        Self
    }
}

struct Silent;

#[server]
impl Silent {
    fn serve(&self) {}
}

struct Mute;

#[server]
impl Mute {
    fn nothing(&self) {}
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
