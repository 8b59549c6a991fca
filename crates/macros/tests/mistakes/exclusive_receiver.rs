use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn forget(&mut self) {}

    #[tool]
    fn consume(self) {}
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
