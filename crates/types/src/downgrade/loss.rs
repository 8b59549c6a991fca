//! What was lost on the way to an older peer.

use std::fmt;

use crate::Revision;
use crate::Revision::{V2025_03_26, V2025_06_18, V2025_11_25, V2026_07_28};

macro_rules! losses {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal, since $since:ident, $words:literal;)*) => {
        /// What an older revision cannot say. The table is in the [module's documentation](super).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum LossKind { $($(#[doc = $doc])* $variant,)* }

        impl LossKind {
            /// All kinds, oldest first.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name in the table.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The first revision that can say it.
            #[must_use]
            pub const fn since(self) -> Revision {
                match self { $(Self::$variant => $since,)* }
            }

            const fn words(self) -> &'static str {
                match self { $(Self::$variant => $words,)* }
            }
        }
    };
}

losses! {
    /// Sound.
    Audio = "audio", since V2025_03_26, "audio content";
    /// A link to a resource.
    ResourceLink = "resource_link", since V2025_06_18, "resource links";
    /// The structured content of a result.
    StructuredContent = "structured_content", since V2025_06_18, "structured content";
    /// A form.
    FormElicitation = "form_elicitation", since V2025_06_18, "elicitation";
    /// The tools that a model may use.
    SamplingTools = "sampling_tools", since V2025_11_25, "tools in sampling";
    /// The use of a tool by a model, or what came of it.
    ToolContent = "tool_content", since V2025_11_25, "tool use in sampling";
    /// A list of blocks from a model.
    SeveralBlocks = "several_blocks", since V2025_11_25, "more than one block from a model";
    /// A choice of several values.
    MultiSelect = "multi_select", since V2025_11_25, "choices of several values";
    /// What is filled in at first, other than yes or no.
    FieldDefault = "field_default", since V2025_11_25, "defaults of such fields";
    /// A page to open.
    UrlElicitation = "url_elicitation", since V2025_11_25, "elicitation by URL";
    /// Structured content that is no object.
    AnyStructuredContent = "any_structured_content", since V2026_07_28, "structured content that is no object";
    /// An output schema whose root is no object.
    AnyOutputSchema = "any_output_schema", since V2026_07_28, "output schemas whose root is no object";
}

impl LossKind {
    /// Whether a peer of this revision cannot be told.
    #[must_use]
    pub fn hits(self, revision: Revision) -> bool {
        revision < self.since()
    }
}

/// Something that a value lost on the way to an older peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    /// What it was.
    pub kind: LossKind,
    /// The revision that cannot say it.
    pub revision: Revision,
    /// Where it stood: a JSON pointer into the message's parameters or result, such as `/content/0`.
    pub place: String,
}

impl Loss {
    /// A loss of the value itself.
    #[must_use]
    pub const fn new(kind: LossKind, revision: Revision) -> Self {
        Self { kind, revision, place: String::new() }
    }

    /// The same loss, seen from outside: `step` is the name or the index of the member it happened in.
    #[must_use]
    pub fn within(mut self, step: impl fmt::Display) -> Self {
        let step = step.to_string().replace('~', "~0").replace('/', "~1");
        self.place = format!("/{step}{}", self.place);
        self
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.place.is_empty() {
            write!(f, "{}: ", self.place)?;
        }
        write!(f, "{} has no {}", self.revision, self.kind.words())
    }
}

/// Passes on a value, and its losses to the list of what holds it.
pub(super) fn note<T>((value, losses): (T, Vec<Loss>), step: impl fmt::Display, all: &mut Vec<Loss>) -> T {
    all.extend(losses.into_iter().map(|loss| loss.within(&step)));
    value
}

/// Speaks down every value of a list.
pub(super) fn each<T>(
    values: Vec<T>,
    step: &str,
    all: &mut Vec<Loss>,
    downgrade: impl Fn(T) -> (T, Vec<Loss>),
) -> Vec<T> {
    let mut losses = Vec::new();
    let values = values
        .into_iter()
        .enumerate()
        .map(|(index, value)| note(downgrade(value), index, &mut losses))
        .collect();
    note((values, losses), step, all)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table in the module's documentation, read and compared, so that it cannot drift.
    #[test]
    fn the_documented_table_is_the_table() {
        let source = include_str!("mod.rs");
        let rows: Vec<(&str, &str)> = source
            .lines()
            .filter_map(|line| line.strip_prefix("//! | `"))
            .filter_map(|line| line.split_once("` | "))
            .map(|(name, rest)| (name, rest.split(' ').next().unwrap_or("")))
            .collect();
        let kinds: Vec<(&str, &str)> =
            LossKind::ALL.iter().map(|kind| (kind.as_str(), kind.since().as_str())).collect();
        assert_eq!(rows, kinds);
    }

    #[test]
    fn a_loss_says_where_it_happened() {
        let loss = Loss::new(LossKind::Audio, Revision::V2024_11_05).within("a/b~c").within(3);
        assert_eq!(loss.to_string(), "/3/a~1b~0c: 2024-11-05 has no audio content");
        assert_eq!(
            Loss::new(LossKind::UrlElicitation, V2025_06_18).to_string(),
            "2025-06-18 has no elicitation by URL"
        );
    }
}
