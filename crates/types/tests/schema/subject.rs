//! One type of the model: its full value, and its place in the official schemas.

use hermes_types::tables::TypeTable;
use hermes_types::{Encode, Revision, Table, Wire};
use serde_json::Value;

/// One type of the model, ready to be compared.
pub(crate) struct Subject {
    pub(crate) table: TypeTable,
    /// The full value as a revision spells it.
    pub(crate) encoded: Box<dyn Fn(Revision) -> Value>,
    /// Reads JSON as the type and writes it for a revision.
    pub(crate) again: fn(&Value, Revision) -> Result<Value, serde_json::Error>,
    /// Where the schemas describe it, and since when there.
    places: Vec<(Revision, String)>,
}

/// A type whose full value every revision can say, once the members it lacks are left out.
pub(crate) fn plain<T: Table + Encode + 'static>(full: Value) -> Subject {
    spoken::<T>(full, |full, _| full)
}

/// A type whose full value has to be spoken down.
pub(crate) fn spoken<T: Table + Encode + 'static>(full: Value, downgrade: fn(T, Revision) -> T) -> Subject {
    Subject {
        table: TypeTable::of::<T>(),
        encoded: Box::new(move |revision| {
            let full = serde_json::from_str(&full.to_string())
                .unwrap_or_else(|error| panic!("{}: {error}", T::NAME));
            encoded(&downgrade(full, revision), revision)
        }),
        again: |json, revision| Ok(encoded(&serde_json::from_str::<T>(&json.to_string())?, revision)),
        places: vec![(Revision::V2024_11_05, T::NAME.to_owned())],
    }
}

fn encoded<T: Encode>(value: &T, revision: Revision) -> Value {
    serde_json::to_value(Wire(value, revision)).unwrap_or_else(|error| panic!("{error}"))
}

impl Subject {
    /// The schemas describe it elsewhere than under its name.
    pub(crate) fn at(mut self, place: &str) -> Self {
        self.places = vec![(Revision::V2024_11_05, place.to_owned())];
        self
    }

    /// From some revision on, the schemas describe it there.
    pub(crate) fn then(mut self, since: Revision, place: &str) -> Self {
        self.places.push((since, place.to_owned()));
        self
    }

    /// The parameters of a message: a part of it first, of their own since 2025-11-25.
    pub(crate) fn params_of(self, message: &str) -> Self {
        self.at(&format!("{message}/properties/params"))
            .then(Revision::V2025_11_25, &format!("{message}Params"))
    }

    /// Where the schema of a revision describes it, if it does.
    pub(crate) fn place(&self, revision: Revision) -> &str {
        let known = self.places.iter().rev().find(|(since, _)| *since <= revision);
        known.map_or("", |(_, place)| place)
    }
}
