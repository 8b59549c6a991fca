use hermes_server::{Context, IntoComponent, Server, Tool, ToolError};

struct Search;

struct User;

async fn whoami((): (), ctx: Context) -> Result<(), ToolError> {
    let _: User = ctx.extract().await?;
    Ok(())
}

#[derive(serde::Deserialize)]
struct Unschemed {
    word: String,
}

struct Find;

impl Tool for Find {
    type Args = Unschemed;
    type Output = String;

    async fn call(&self, args: Unschemed, _: Context) -> String {
        args.word
    }
}

// What `Server::with` takes.
fn with<M>(_: impl IntoComponent<M>) {}

fn main() {
    with(Search);
    with("search");
    with(Find);
    let _ = Server::new("demo", "0.1.0").tool("whoami", whoami);
}
