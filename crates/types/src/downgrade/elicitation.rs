//! Questions to the user for older peers.

use super::loss::note;
use super::{Loss, LossKind};
use crate::{
    ClientCapabilities, ElicitRequestParams, ElicitSchema, LegacyTitledEnumSchema, Ordered,
    PrimitiveSchemaDefinition, Revision, TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema,
    UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};

/// A choice with titles, in the words of 2025-06-18. Nothing is lost.
#[must_use]
pub fn titled_select(schema: TitledSingleSelectEnumSchema) -> LegacyTitledEnumSchema {
    let (values, names) = schema.one_of.into_iter().map(|option| (option.value, option.title)).unzip();
    LegacyTitledEnumSchema {
        title: schema.title,
        description: schema.description,
        default: schema.default,
        extra: schema.extra,
        ..LegacyTitledEnumSchema::new(values, names)
    }
}

/// A choice of several values, for a peer that has none: a choice of one, whose answer is a text instead of
/// a list.
#[must_use]
pub fn multi_select(
    schema: UntitledMultiSelectEnumSchema,
    revision: Revision,
) -> (UntitledSingleSelectEnumSchema, Loss) {
    let single = UntitledSingleSelectEnumSchema {
        title: schema.title,
        description: schema.description,
        ..UntitledSingleSelectEnumSchema::new(schema.items.values)
    };
    (single, Loss::new(LossKind::MultiSelect, revision))
}

/// A choice of several values with titles, for a peer that has none: a choice of one, whose answer is a text
/// instead of a list.
#[must_use]
pub fn titled_multi_select(
    schema: TitledMultiSelectEnumSchema,
    revision: Revision,
) -> (LegacyTitledEnumSchema, Loss) {
    let single = TitledSingleSelectEnumSchema {
        title: schema.title,
        description: schema.description,
        ..TitledSingleSelectEnumSchema::new(schema.items.any_of)
    };
    (titled_select(single), Loss::new(LossKind::MultiSelect, revision))
}

/// A default that the table will leave out.
fn default_lost<T>(default: &mut Option<T>, revision: Revision, losses: &mut Vec<Loss>) {
    if default.take().is_some() {
        losses.push(Loss::new(LossKind::FieldDefault, revision).within("default"));
    }
}

impl PrimitiveSchemaDefinition {
    /// The field as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        // All that fields have learnt, they have learnt in one revision.
        if !LossKind::MultiSelect.hits(revision) {
            return (self, Vec::new());
        }
        let mut losses = Vec::new();
        let mut field = match self {
            Self::TitledSingleSelect(schema) => Self::LegacyTitled(titled_select(schema)),
            Self::MultiSelect(schema) => {
                let (schema, loss) = multi_select(schema, revision);
                losses.push(loss);
                Self::SingleSelect(schema)
            }
            Self::TitledMultiSelect(schema) => {
                let (schema, loss) = titled_multi_select(schema, revision);
                losses.push(loss);
                Self::LegacyTitled(schema)
            }
            Self::String(_)
            | Self::Number(_)
            | Self::Boolean(_)
            | Self::SingleSelect(_)
            | Self::LegacyTitled(_)
            | Self::Unknown(_) => self,
        };
        match &mut field {
            Self::String(schema) => default_lost(&mut schema.default, revision, &mut losses),
            Self::Number(schema) => default_lost(&mut schema.default, revision, &mut losses),
            Self::SingleSelect(schema) => default_lost(&mut schema.default, revision, &mut losses),
            Self::LegacyTitled(schema) => default_lost(&mut schema.default, revision, &mut losses),
            Self::Boolean(_)
            | Self::TitledSingleSelect(_)
            | Self::MultiSelect(_)
            | Self::TitledMultiSelect(_)
            | Self::Unknown(_) => {}
        }
        (field, losses)
    }
}

impl ElicitSchema {
    /// The form as a peer of this revision can read it, and what it lost.
    #[must_use]
    pub fn downgrade(self, revision: Revision) -> (Self, Vec<Loss>) {
        let mut losses = Vec::new();
        let properties: Ordered<_> = self
            .properties
            .into_iter()
            .map(|(name, field)| {
                let field = note(field.downgrade(revision), &name, &mut losses);
                (name, field)
            })
            .collect();
        let properties = note((properties, std::mem::take(&mut losses)), "properties", &mut losses);
        (Self { properties, ..self }, losses)
    }
}

impl ElicitRequestParams {
    /// The question as a peer of this revision can read it, and what it lost.
    ///
    /// # Errors
    /// The revision cannot ask such a question at all.
    pub fn downgrade(self, revision: Revision) -> Result<(Self, Vec<Loss>), Loss> {
        match self {
            Self::Form(_) if LossKind::FormElicitation.hits(revision) => {
                Err(Loss::new(LossKind::FormElicitation, revision))
            }
            Self::Url(_) if LossKind::UrlElicitation.hits(revision) => {
                Err(Loss::new(LossKind::UrlElicitation, revision))
            }
            Self::Url(_) => Ok((self, Vec::new())),
            Self::Form(mut form) => {
                let mut losses = Vec::new();
                form.requested_schema =
                    note(form.requested_schema.downgrade(revision), "requestedSchema", &mut losses);
                Ok((Self::Form(form), losses))
            }
        }
    }
}

impl ClientCapabilities {
    /// The capabilities as a peer of this revision can read them, and what they lost.
    ///
    /// 2025-06-18 takes any elicitation capability for one of forms, so a client that only opens pages has
    /// none there.
    #[must_use]
    pub fn downgrade(mut self, revision: Revision) -> (Self, Vec<Loss>) {
        let only_pages = self.elicitation.as_ref().is_some_and(|elicitation| !elicitation.allows_form());
        if only_pages && LossKind::UrlElicitation.hits(revision) {
            self.elicitation = None;
            return (self, vec![Loss::new(LossKind::UrlElicitation, revision).within("elicitation")]);
        }
        (self, Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BooleanSchema, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitationCapability, EnumOption,
        JsonObject, StringSchema,
    };

    fn form() -> ElicitRequestParams {
        let titled = vec![EnumOption::new("r", "Red"), EnumOption::new("g", "Green")];
        let schema = ElicitSchema::new()
            .with_field("name", StringSchema { default: Some("n".to_owned()), ..StringSchema::default() })
            .with_field("sure", BooleanSchema { default: Some(true), ..BooleanSchema::default() })
            .with_field("one", TitledSingleSelectEnumSchema::new(titled.clone()))
            .with_field("some", UntitledMultiSelectEnumSchema::new(vec!["r".to_owned()]))
            .with_field("titled", TitledMultiSelectEnumSchema::new(titled));
        ElicitRequestFormParams::new("?", schema).into()
    }

    #[test]
    fn fields_are_said_in_the_words_of_the_older_revision() {
        assert_eq!(form().downgrade(Revision::V2025_11_25), Ok((form(), Vec::new())));
        let Ok((ElicitRequestParams::Form(older), losses)) = form().downgrade(Revision::V2025_06_18) else {
            panic!("2025-06-18 has forms");
        };
        let legacy = LegacyTitledEnumSchema::new(
            vec!["r".to_owned(), "g".to_owned()],
            vec!["Red".to_owned(), "Green".to_owned()],
        );
        let fields = &older.requested_schema.properties;
        assert_eq!(fields.get("name"), Some(&StringSchema::default().into()));
        assert_eq!(fields.get("one"), Some(&legacy.clone().into()));
        assert_eq!(
            fields.get("some"),
            Some(&UntitledSingleSelectEnumSchema::new(vec!["r".to_owned()]).into())
        );
        assert_eq!(fields.get("titled"), Some(&legacy.into()));
        let lost: Vec<_> = losses.iter().map(|loss| (loss.kind.as_str(), loss.place.as_str())).collect();
        assert_eq!(
            lost,
            [
                ("field_default", "/requestedSchema/properties/name/default"),
                ("multi_select", "/requestedSchema/properties/some"),
                ("multi_select", "/requestedSchema/properties/titled"),
            ]
        );
    }

    #[test]
    fn a_question_that_cannot_be_asked_is_refused() {
        let url: ElicitRequestParams = ElicitRequestUrlParams::new("m", "https://a.example/", "e").into();
        assert!(url.clone().downgrade(Revision::V2025_11_25).is_ok());
        let kind = |result: Result<_, Loss>| result.expect_err("no such question").kind;
        assert_eq!(kind(url.downgrade(Revision::V2025_06_18)), LossKind::UrlElicitation);
        assert_eq!(kind(form().downgrade(Revision::V2025_03_26)), LossKind::FormElicitation);
    }

    // spec: R360
    #[test]
    fn a_client_that_only_opens_pages_claims_no_forms() {
        let only_pages = ElicitationCapability { url: Some(JsonObject::new()), ..Default::default() };
        let client = ClientCapabilities { elicitation: Some(only_pages), ..ClientCapabilities::default() };
        assert_eq!(client.clone().downgrade(Revision::V2025_11_25), (client.clone(), Vec::new()));
        let (older, losses) = client.downgrade(Revision::V2025_06_18);
        assert_eq!((older, losses.len()), (ClientCapabilities::default(), 1));
    }
}
