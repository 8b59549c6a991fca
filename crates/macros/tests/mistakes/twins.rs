use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn now(&self) {}

    #[tool(name = "now")]
    fn later(&self) {}

    #[prompt]
    #[tool]
    fn both(&self) -> String {
        String::new()
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
