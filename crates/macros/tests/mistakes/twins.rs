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
