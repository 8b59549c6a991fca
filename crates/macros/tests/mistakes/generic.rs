use hermes_macros::server;

struct Weather;
struct Of<T>(T);

#[server]
impl Weather {
    #[tool]
    fn show<T: ToString>(&self, value: T) -> String {
        value.to_string()
    }
}

#[server]
impl<T> Of<T> {
    #[tool]
    fn nothing(&self) {}
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
