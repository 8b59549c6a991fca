use hermes_macros::server;

struct Weather;

#[server]
impl Weather {
    #[tool]
    fn distance(&self, (x, y): (i32, i32), _: u8) -> i32 {
        x + y
    }
}

fn main() {}
