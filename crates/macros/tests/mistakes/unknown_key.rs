use hermes_macros::server;

struct Weather;

#[server(colour = "blue")]
impl Weather {
    #[tool(readonly)]
    fn temperature(&self) -> i32 {
        20
    }

    #[tool(title)]
    fn pressure(&self) -> i32 {
        1013
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
