use hermes_macros::server;

struct Weather {
    name: String,
}

#[server]
impl Weather {
    #[tool]
    fn temperature(&self, city: &str, days: &[u8]) -> usize {
        city.len() + days.len()
    }

    #[tool]
    fn name(&self) -> &str {
        &self.name
    }
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
