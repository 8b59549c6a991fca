//! Speaking down: values that an older revision cannot say, and what becomes of them.
//!
//! The tables of the model leave out the *members* that a revision lacks. What is left are the *values*
//! that it lacks: sound, a link, a list where one thing is expected. Each has a function here that returns
//! the changed value and says what was lost; the `downgrade` methods of the message types apply them.
//!
//! | loss | first revision that can say it | what an older peer gets |
//! |---|---|---|
//! | `audio` | 2025-03-26 | a text that names the media type and the size |
//! | `resource_link` | 2025-06-18 | a text that names the resource and its URI |
//! | `structured_content` | 2025-06-18 | a text with the JSON, unless there is a text already |
//! | `form_elicitation` | 2025-06-18 | nothing: the question cannot be asked |
//! | `sampling_tools` | 2025-11-25 | nothing: the model is asked without tools |
//! | `tool_content` | 2025-11-25 | a text that names the tool and its arguments or results |
//! | `several_blocks` | 2025-11-25 | the texts as one, or else the first block |
//! | `multi_select` | 2025-11-25 | a choice of one |
//! | `field_default` | 2025-11-25 | an empty field |
//! | `url_elicitation` | 2025-11-25 | nothing: the question cannot be asked, the capability is not declared |
//! | `any_structured_content` | 2026-07-28 | a text with the JSON, unless there is a text already |
//! | `any_output_schema` | 2026-07-28 | nothing: the tool has no output schema |
//!
//! A choice with titles is no loss: [`titled_select`] says the same in the words of 2025-06-18. Nor is a
//! message to a model with several blocks, which becomes several messages.
//!
//! ```
//! use hermes_types::{CallToolResult, ContentBlock, Revision};
//!
//! let result = CallToolResult::new(vec![ContentBlock::audio("UklGRg==", "audio/wav")]);
//! let (result, losses) = result.downgrade(Revision::V2024_11_05);
//! assert_eq!(result.content[0].as_text(), Some("[audio: audio/wav, 4 bytes]"));
//! assert_eq!(losses[0].to_string(), "/content/0: 2024-11-05 has no audio content");
//! ```

mod content;
mod elicitation;
mod loss;
mod sampling;
mod tool;

pub use content::{audio, resource_link};
pub use elicitation::{multi_select, titled_multi_select, titled_select};
pub use loss::{Loss, LossKind};
pub use sampling::{tool_result, tool_use};
pub use tool::{output_schema, structured_content};
