use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn temperature(city: String) -> String {
        city
    }
}

fn main() {}
