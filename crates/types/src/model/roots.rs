//! Roots: the places that a client lets a server work in.

use crate::wire::Extra;
use crate::{Meta, MetaObject};

wire! {
    /// A place that a server may work in.
    ///
    /// Source: `client/roots#root`, 2026-07-28.
    pub struct Root {
        /// Where it is; a `file:` URI.
        uri: String = "uri";
        /// The name to show.
        name: Option<String> = "name";
        /// Anything else about it.
        meta: Option<MetaObject> = "_meta", since V2025_06_18;
    }
}

impl Root {
    /// The place at this URI.
    #[must_use]
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None, extra: Extra::new() }
    }
}

setters! { Root {
    /// Sets the name to show.
    with_name => name: String;
} }

wire! {
    /// The result of `roots/list`. As an embedded answer (2026-07-28) it has no `_meta`.
    ///
    /// Source: `client/roots#listing-roots`, 2026-07-28.
    #[derive(Default)]
    pub struct ListRootsResult {
        /// The places.
        roots: Vec<Root> = "roots";
        /// About the message.
        meta: Option<Meta> = "_meta", until V2025_11_25;
    }
}

impl ListRootsResult {
    /// These places.
    #[must_use]
    pub const fn new(roots: Vec<Root>) -> Self {
        Self { roots, meta: None, extra: Extra::new() }
    }
}
