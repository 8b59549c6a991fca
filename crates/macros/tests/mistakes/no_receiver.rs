use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn temperature(city: String) -> String {
        city
    }
}

fn main() {
    // There is nothing wrong with this.
    let _: Server = Weather.into_server();
    drop(Weather.serve());
}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
