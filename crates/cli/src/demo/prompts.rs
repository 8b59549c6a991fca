//! The demo's prompts.

use hermes::types::{GetPromptResult, Prompt, PromptMessage};
use hermes::{Completing, Context, Server};
use schemars::JsonSchema;
use serde::Deserialize;

use super::resources::beginning_with;

/// The languages that `review` completes to. Any other works as well.
const LANGUAGES: [&str; 12] = [
    "c",
    "elixir",
    "erlang",
    "go",
    "haskell",
    "java",
    "javascript",
    "kotlin",
    "python",
    "ruby",
    "rust",
    "typescript",
];

#[derive(Deserialize, JsonSchema)]
struct Greet {
    /// Whom to greet
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// The code to look at
    code: String,
    /// The language it is written in
    language: Option<String>,
}

/// Adds the prompts to the server.
pub(super) fn register(server: Server) -> Server {
    server
        .prompt(
            Prompt::new("greet").with_title("Greet").with_description("Greets somebody"),
            |Greet { name }, _: Context| async move { format!("Please greet {name} in one friendly sentence.") },
        )
        .prompt(
            Prompt::new("review").with_title("Review").with_description("Asks for a review of some code"),
            |review: Review, _: Context| async move { ask_for_review(&review) },
        )
        .complete_prompt("review", "language", |Completing { value, .. }, _: Context| async move {
            beginning_with(&value, &LANGUAGES)
        })
}

fn ask_for_review(Review { code, language }: &Review) -> GetPromptResult {
    let language = language.as_deref().unwrap_or_default();
    let request = match language {
        "" => "Please review this code:".to_owned(),
        language => format!("Please review this code in {language}:"),
    };
    GetPromptResult::new(vec![PromptMessage::user(format!("{request}\n\n```{language}\n{code}\n```"))])
        .with_description("A review of some code")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_review_names_the_language_if_there_is_one() {
        let text = |language: Option<&str>| {
            let review = Review { code: "1".into(), language: language.map(str::to_owned) };
            let result = ask_for_review(&review);
            result.messages.first().and_then(|message| message.content.as_text()).map(str::to_owned)
        };
        assert_eq!(
            text(Some("rust")).as_deref(),
            Some("Please review this code in rust:\n\n```rust\n1\n```")
        );
        assert_eq!(text(None).as_deref(), Some("Please review this code:\n\n```\n1\n```"));
    }
}
