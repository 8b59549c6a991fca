//! Which model a server would like.

use crate::wire::Extra;

wire! {
    /// Which model a server would like; the client decides.
    ///
    /// Source: `client/sampling#model-preferences`, 2026-07-28.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Names, the best first.
        hints: Option<Vec<ModelHint>> = "hints";
        /// How much a low price matters, from 0 to 1.
        cost_priority: Option<f64> = "costPriority";
        /// How much speed matters, from 0 to 1.
        speed_priority: Option<f64> = "speedPriority";
        /// How much capability matters, from 0 to 1.
        intelligence_priority: Option<f64> = "intelligencePriority";
    }
}

impl ModelPreferences {
    /// Which of a host's models the hints ask for: the first hint that is a part of a name decides. `None` when none
    /// is; then the priorities help.
    ///
    /// ```
    /// use hermes_types::{ModelHint, ModelPreferences};
    ///
    /// let mut wanted = ModelPreferences::default();
    /// wanted.hints = Some(vec![ModelHint::new("sonnet"), ModelHint::new("claude")]);
    /// assert_eq!(wanted.hinted(["claude-opus-4", "gpt-5"]), Some("claude-opus-4"));
    /// assert_eq!(wanted.hinted(["gpt-5"]), None);
    /// ```
    ///
    /// Source: `client/sampling#model-preferences`, 2026-07-28.
    #[must_use]
    pub fn hinted<'m>(&self, models: impl IntoIterator<Item = &'m str>) -> Option<&'m str> {
        let models: Vec<&str> = models.into_iter().collect();
        let mut hints = self.hints.iter().flatten().filter_map(|hint| hint.name.as_deref());
        hints.find_map(|hint| models.iter().find(|model| !hint.is_empty() && model.contains(hint))).copied()
    }
}

wire! {
    /// A model's name, or a part of it.
    ///
    /// Source: `schema#modelhint`, 2026-07-28.
    #[derive(Default)]
    pub struct ModelHint {
        /// The part.
        name: Option<String> = "name";
    }
}

impl ModelHint {
    /// A model's name, or a part of it.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: Some(name.into()), extra: Extra::new() }
    }
}
