//! What handlers give, as clients receive it, in both eras.

use std::time::Duration;

use hermes::prelude::*;
use hermes::types::{Annotations, CacheScope, ContentBlock, PromptMessage, Resource, ResourceContents, Role};
use hermes::{Cached, EraChoice, Reply, content};
use serde::{Deserialize, Serialize};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const SKY: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
const WIND: &[u8] = b"RIFF\x24\0\0\0WAVEfmt ";

#[derive(Debug, Deserialize, PartialEq, Serialize, schemars::JsonSchema)]
struct Weather {
    degrees: f64,
}

/// Everything at once.
#[tool]
fn weather() -> Reply<Weather> {
    Reply::new()
        .text("Clear, 21 °C")
        .image(SKY)
        .for_user()
        .audio(WIND)
        .annotated(Annotations::default().with_priority(0.1).with_last_modified("2026-11-30T12:00:00Z"))
        .link(Resource::new("weather://oslo/week", "the week").with_size(12_u64))
        .block(content::text_of("weather://oslo/log", "calm"))
        .block(content::bytes_of("weather://oslo/report", b"%PDF-1.7"))
        .for_model()
        .structured(Weather { degrees: 21.0 })
        .meta("example.com/station", &7)
}

/// Says why it failed, with a picture of it.
#[tool]
fn broken() -> Reply {
    Reply::new().text("the mast is down").image(SKY).failed()
}

#[tool]
fn drawing() -> Reply {
    Reply::new().text("look").image("<svg/>")
}

#[tool]
fn picture() -> Result<ContentBlock, content::UnknownKind> {
    content::image(SKY)
}

#[tool]
fn storm() -> anyhow::Result<String> {
    use anyhow::Context as _;
    Err(std::io::Error::other("no wire")).context("the mast does not answer").context("no weather today")
}

#[prompt]
fn describe() -> anyhow::Result<PromptMessage> {
    Ok(PromptMessage::user(content::image(SKY)?))
}

#[resource("weather://motto")]
fn motto() -> Cached<&'static str> {
    Cached::new("There is no bad weather", Duration::from_secs(60)).public()
}

#[resource("weather://now")]
fn now() -> Result<Cached<Vec<u8>>, ToolError> {
    Ok(Cached::new(SKY.to_vec(), Duration::from_millis(5)))
}

async fn clients() -> Result<[Client; 2], ClientError> {
    let client = |era| {
        let server = Server::new("weather", "1.0.0")
            .with(weather)
            .with(broken)
            .with(drawing)
            .with(picture)
            .with(storm)
            .with(describe)
            .with(motto)
            .with(now);
        Client::builder().era(era).connect(hermes::in_memory(server))
    };
    Ok([client(EraChoice::Legacy).await?, client(EraChoice::Modern).await?])
}

#[tokio::test]
async fn every_kind_of_content_arrives_in_order_with_its_hints() -> Outcome {
    for client in clients().await? {
        let result = client.call("weather", json!({})).await?.into_value();
        let [
            ContentBlock::Text(text),
            ContentBlock::Image(image),
            ContentBlock::Audio(audio),
            ContentBlock::ResourceLink(link),
            ContentBlock::Resource(log),
            ContentBlock::Resource(report),
        ] = result.content.as_slice()
        else {
            return Err(format!("{result:?}").into());
        };
        assert_eq!((text.text.as_str(), &text.annotations), ("Clear, 21 °C", &None));
        assert_eq!((image.mime_type.as_str(), audio.mime_type.as_str()), ("image/png", "audio/wav"));
        let audience = |hints: &Option<Annotations>| hints.as_ref().and_then(|hints| hints.audience.clone());
        assert_eq!(audience(&image.annotations), Some(vec![Role::User]));
        let hints = audio.annotations.as_ref().ok_or("no hints")?;
        assert_eq!(hints.last_modified.as_deref(), Some("2026-11-30T12:00:00Z"));
        assert_eq!((link.name.as_str(), link.size), ("the week", Some(12)));
        assert!(matches!(&log.resource, ResourceContents::Text(it) if it.text == "calm"));
        let ResourceContents::Blob(bytes) = &report.resource else { return Err("no bytes".into()) };
        assert_eq!(bytes.mime_type.as_deref(), Some("application/pdf"));
        assert_eq!(audience(&report.annotations), Some(vec![Role::Assistant]));
        let structured: Weather = result.structured_content.as_ref().ok_or("no structure")?.decode()?;
        assert_eq!(structured, Weather { degrees: 21.0 });
        let meta = result.meta.as_ref().ok_or("no word about itself")?;
        assert_eq!(meta.extra.get("example.com/station").map(RawJson::get), Some("7"));
        let tools = client.list_all_tools().await?;
        let promise =
            tools.values().find(|tool| tool.name == "weather").and_then(|it| it.output_schema.clone());
        assert!(promise.is_some_and(|schema| schema.get().contains("degrees")));
    }
    Ok(())
}

#[tokio::test]
async fn a_failure_may_have_parts_and_a_part_that_cannot_be_made_is_a_failure() -> Outcome {
    for client in clients().await? {
        let result = client.call("broken", json!({})).await?.into_value();
        assert_eq!((result.is_error(), result.content.len()), (true, 2));
        let result = client.call("drawing", json!({})).await?.into_value();
        let said = result.content.first().and_then(ContentBlock::as_text).unwrap_or_default();
        assert!(result.is_error() && said.contains("say their media type, with `image_as`"), "{said}");
    }
    Ok(())
}

#[tokio::test]
async fn an_error_of_anyhow_is_told_with_its_whole_story() -> Outcome {
    for client in clients().await? {
        let result = client.call("storm", json!({})).await?.into_value();
        let said = result.content.first().and_then(ContentBlock::as_text);
        assert_eq!(
            (result.is_error(), said),
            (true, Some("no weather today: the mast does not answer: no wire"))
        );
    }
    Ok(())
}

#[tokio::test]
async fn bytes_are_pictures_in_tools_and_in_prompts() -> Outcome {
    for client in clients().await? {
        let result = client.call("picture", json!({})).await?.into_value();
        let prompt = client.prompt("describe", &std::collections::BTreeMap::new()).await?.into_value();
        let message = prompt.messages.first().ok_or("no message")?;
        assert_eq!(result.content.first(), Some(&message.content));
        assert!(matches!(&message.content, ContentBlock::Image(image) if image.mime_type == "image/png"));
    }
    Ok(())
}

#[tokio::test]
async fn contents_say_how_long_they_may_be_kept() -> Outcome {
    for client in clients().await? {
        let kept = client.revision().is_modern();
        let (motto, now) = (client.read("weather://motto").await?, client.read("weather://now").await?);
        let (motto, now) = (motto.into_value(), now.into_value());
        let said = |ttl: u64| if kept { ttl } else { 0 };
        assert_eq!((motto.ttl_ms, now.ttl_ms), (said(60_000), said(5)));
        let scope = if kept { CacheScope::Public } else { CacheScope::Private };
        assert_eq!((motto.cache_scope, now.cache_scope), (scope, CacheScope::Private));
    }
    Ok(())
}
