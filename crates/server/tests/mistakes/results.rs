use hermes_server::{Completing, Context, Server, ToolError};
use hermes_types::{Prompt, Resource};

#[derive(serde::Serialize)]
struct Weather {
    degrees: i32,
}

fn main() {
    Server::new("weather", "1")
        .tool("weather", |(): (), _: Context| async { Weather { degrees: 20 } })
        .tool("failing", |(): (), _: Context| async { Ok::<_, std::fmt::Error>("fine") })
        .tool("checked", |(): (), _: Context| async { Ok::<_, ToolError>(Weather { degrees: 20 }) })
        .resource(Resource::new("weather://now", "now"), |_| async { Weather { degrees: 20 } })
        .prompt(Prompt::new("weather"), |(): (), _: Context| async { Weather { degrees: 20 } })
        .complete_prompt("weather", "city", |_: Completing, _: Context| async { Weather { degrees: 20 } });
}
