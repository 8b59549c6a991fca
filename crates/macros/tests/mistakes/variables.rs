use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[resource("weather://{city}/{day}")]
    fn forecast(&self, city: String) -> String {
        city
    }

    #[resource("weather://all")]
    fn all(&self, city: String) -> String {
        city
    }

    #[resource("weather://{?city}")]
    fn query(&self, city: String) -> String {
        city
    }

    #[resource]
    fn nowhere(&self) -> String {
        String::new()
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
