//! What completes an argument stands beside it.

use std::collections::BTreeMap;

use hermes::EraChoice;
use hermes::prelude::*;
use hermes::types::{
    CompleteRequestParams, CompletionContext, CompletionReference, PromptReference, ResourceTemplateReference,
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

async fn cities(typed: Completing, _: Context) -> Vec<&'static str> {
    match typed.argument("country") {
        Some("Norway") => typed.among(["Bergen", "Oslo"]),
        Some("Italy") => typed.among(["Bari", "Rome"]),
        _ => typed.among(["Bari", "Bergen", "Oslo", "Rome"]),
    }
}

/// What to take along.
#[prompt]
fn packing(
    #[complete(["Norway", "Italy"])] country: String,
    #[complete(cities)] city: String,
    #[complete(["day", "week"])] span: Option<String>,
) -> String {
    format!("{country} {city} {span:?}")
}

const SIZES: [&str; 3] = ["large", "medium", "small"];
const COLOURS: &[&str] = &["blue", "black"];
static DAYS: [&str; 2] = ["today", "tomorrow"];

fn numbers() -> Vec<String> {
    (1..4).map(|number| number.to_string()).collect()
}

#[prompt]
fn order(
    #[complete(SIZES)] size: String,
    #[complete(COLOURS)] colour: String,
    #[complete(DAYS.iter())] day: String,
    #[complete(numbers())] number: u8,
    #[complete(vec!["x", "y"])] letter: char,
) -> String {
    format!("{size} {colour} {day} {number} {letter}")
}

struct Palette;

#[prompt]
impl Palette {
    fn paint(&self, #[complete(Self::COLOURS)] colour: String) -> String {
        colour
    }
}

impl Palette {
    const COLOURS: [&str; 2] = ["red", "rose"];
}

struct Stations(Vec<&'static str>);

#[hermes::server]
impl Stations {
    /// One station.
    #[resource("stations://{country}/{station}")]
    fn station(
        &self,
        country: String,
        #[complete(Self::stations)]
        #[serde(rename = "station")]
        name: String,
    ) -> String {
        format!("{country} {name}")
    }

    async fn stations(&self, typed: Completing, ctx: Context) -> Result<Vec<String>, ToolError> {
        let country = typed.argument("country").ok_or("say the country first")?;
        assert!(!ctx.is_cancelled());
        let names = self.0.iter().map(|station| format!("{station} ({country})"));
        Ok(typed.among(names))
    }

    /// Closures will do.
    #[prompt]
    fn ask(
        &self,
        #[complete(|typed: Completing, _: Context| async move { vec![format!("{}!", typed.value)] })]
        what: String,
    ) -> String {
        what
    }
}

async fn clients(server: impl Fn() -> Server) -> Result<[Client; 2], ClientError> {
    let client = |era| Client::builder().era(era).connect(hermes::in_memory(server()));
    Ok([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?])
}

/// What is proposed for an argument, with those that are filled in already.
async fn proposed(
    client: &Client,
    reference: CompletionReference,
    (argument, value): (&str, &str),
    filled: &[(&str, &str)],
) -> Result<Vec<String>, ClientError> {
    let arguments: BTreeMap<String, String> =
        filled.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let mut params = CompleteRequestParams::new(reference, argument, value);
    params.context = Some(CompletionContext { arguments: Some(arguments), ..CompletionContext::default() });
    Ok(client.complete(&params).await?.into_value().completion.values)
}

#[tokio::test]
async fn an_argument_is_completed_with_the_earlier_ones_at_hand() -> Outcome {
    for client in clients(|| Server::new("packing", "1.0.0").with(packing)).await? {
        let prompt = || CompletionReference::Prompt(PromptReference::new("packing"));
        for (asked, filled, expected) in [
            (("country", "n"), &[][..], &["Norway"][..]),
            (("city", "B"), &[], &["Bari", "Bergen"]),
            (("city", "B"), &[("country", "Norway")], &["Bergen"]),
            (("city", ""), &[("country", "Italy")], &["Bari", "Rome"]),
            (("span", "w"), &[], &["week"]),
        ] {
            assert_eq!(proposed(&client, prompt(), asked, filled).await?, expected, "{asked:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_list_completes_wherever_it_is_kept() -> Outcome {
    for client in clients(|| Server::new("shop", "1.0.0").with(order).with(Palette)).await? {
        for (prompt, asked, expected) in [
            ("order", ("size", "M"), &["medium"][..]),
            ("order", ("colour", "b"), &["blue", "black"]),
            ("order", ("day", "tom"), &["tomorrow"]),
            ("order", ("number", ""), &["1", "2", "3"]),
            ("order", ("letter", "y"), &["y"]),
            ("palette", ("colour", "ro"), &["rose"]),
        ] {
            let reference = CompletionReference::Prompt(PromptReference::new(prompt));
            assert_eq!(proposed(&client, reference, asked, &[]).await?, expected, "{asked:?}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn a_block_completes_by_its_own_methods_and_by_closures() -> Outcome {
    for client in clients(|| Stations(vec!["Aker", "Blindern"]).into_server()).await? {
        let template = || {
            CompletionReference::Resource(ResourceTemplateReference::new("stations://{country}/{station}"))
        };
        let found = proposed(&client, template(), ("station", "b"), &[("country", "Norway")]).await?;
        assert_eq!(found, ["Blindern (Norway)"]);
        let refused = proposed(&client, template(), ("station", "b"), &[]).await.expect_err("no country");
        assert!(refused.to_string().contains("say the country first"), "{refused}");
        let ask = CompletionReference::Prompt(PromptReference::new("ask"));
        assert_eq!(proposed(&client, ask, ("what", "hi"), &[]).await?, ["hi!"]);
    }
    Ok(())
}

#[tokio::test]
async fn a_completion_comes_and_goes_with_its_component() -> Outcome {
    let server = Server::new("packing", "1.0.0").declare_prompts();
    let handle = server.handle();
    let client = Client::builder().era(EraChoice::Modern).connect(hermes::in_memory(server)).await?;
    let prompt = || CompletionReference::Prompt(PromptReference::new("packing"));
    assert!(proposed(&client, prompt(), ("country", ""), &[]).await.is_err());
    assert!(handle.add(packing));
    assert_eq!(proposed(&client, prompt(), ("country", ""), &[]).await?, ["Norway", "Italy"]);
    assert!(handle.remove(Part::Prompt("packing")));
    assert!(proposed(&client, prompt(), ("country", ""), &[]).await.is_err());
    Ok(())
}
