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
