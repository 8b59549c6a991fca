use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn distance(&self, (x, y): (i32, i32), _: u8) -> i32 {
        x + y
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
