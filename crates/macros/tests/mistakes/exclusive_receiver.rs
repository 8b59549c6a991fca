use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn forget(&mut self) {}

    #[tool]
    fn consume(self) {}
}

fn main() {}
