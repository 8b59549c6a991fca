//! Marks outside of a server block.

use proc_macro2::{Span, TokenStream};

/// Refuses a mark that no server block has consumed; the method stays, so that this is the only error.
pub(crate) fn refuse(mark: &str, method: TokenStream) -> TokenStream {
    let message = format!(
        "`#[{mark}]` marks methods of an `impl` block that stands under `#[hermes::server]`: put that above the block"
    );
    let mut tokens = syn::Error::new(Span::call_site(), message).into_compile_error();
    tokens.extend(method);
    tokens
}
