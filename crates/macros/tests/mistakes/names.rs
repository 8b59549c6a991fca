use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn größe(&self) {}

    #[tool(name = "current weather")]
    fn current(&self) {}

    #[tool(name = "")]
    fn nameless(&self) {}

    #[prompt(name = "what to pack")]
    fn pack(&self) -> String {
        String::new()
    }

    #[resource("stations")]
    fn stations(&self) -> String {
        String::new()
    }

    #[resource("my_weather://all")]
    fn all(&self) -> String {
        String::new()
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
