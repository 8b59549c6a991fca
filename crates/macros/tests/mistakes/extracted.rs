use hermes_macros::server;

struct Shop;

#[server]
impl Shop {
    #[tool]
    fn both(&self, #[extract] #[argument] user: User) {}

    #[tool]
    fn shared(&self, db: &State<User>) {}

    #[tool]
    fn described(&self, #[serde(default)] log: Log) {}

    #[tool]
    fn keyed(&self, #[extract(from = "header")] user: User) {}

    #[tool]
    fn twice(&self, one: Context, two: Context) {}
}

fn main() {}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Server;
pub struct ServerError;
pub struct User;
pub struct State<T>(T);
pub struct Log;
pub struct Context;
