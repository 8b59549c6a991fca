//! Results as this server sends them: in the modern era every one says who the server is.

use hermes_types::{
    CallToolResult, DiscoverResult, EmptyResult, Encode, Implementation, InitializeResult,
    InputRequiredResult, ListToolsResult, Meta,
};

/// A result with a `_meta`.
pub(crate) trait Stamp: Encode {
    /// Its `_meta`.
    fn meta(&mut self) -> &mut Option<Meta>;

    /// Adds who the server is, unless it says so already.
    fn stamp(&mut self, server: &Implementation) {
        self.meta().get_or_insert_default().server_info.get_or_insert_with(|| server.clone());
    }
}

macro_rules! stamps {
    ($($ty:ty),*) => {$(
        impl Stamp for $ty {
            fn meta(&mut self) -> &mut Option<Meta> {
                &mut self.meta
            }
        }
    )*};
}

stamps!(CallToolResult, DiscoverResult, EmptyResult, InitializeResult, InputRequiredResult, ListToolsResult);
