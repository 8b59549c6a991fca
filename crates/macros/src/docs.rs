//! Documentation comments, as text.

use syn::{Attribute, Expr, ExprLit, Lit, Meta};

/// The text of the documentation, its lines as they stand; nothing when there is none.
///
/// # Errors
/// A part of it is no literal text, so that it cannot be read here.
pub(crate) fn text(attributes: &[Attribute]) -> syn::Result<Option<String>> {
    let mut text = String::new();
    for attribute in attributes.iter().filter(|it| it.path().is_ident("doc")) {
        let Meta::NameValue(doc) = &attribute.meta else { continue };
        let Expr::Lit(ExprLit { lit: Lit::Str(literal), .. }) = &doc.value else {
            let message = "this documentation cannot be read by `#[hermes::server]`: write it out, or say it with `description = …` (for the block: `instructions = …`) below a `//` comment";
            return Err(syn::Error::new_spanned(attribute, message));
        };
        // A block comment is one attribute with several lines.
        for line in literal.value().lines() {
            text.push_str(line.strip_prefix(' ').unwrap_or(line).trim_end());
            text.push('\n');
        }
        if literal.value().is_empty() {
            text.push('\n');
        }
    }
    let text = text.trim();
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// The first paragraph, on one line.
pub(crate) fn first_paragraph(text: &str) -> String {
    let lines: Vec<&str> = text.lines().take_while(|line| !line.trim().is_empty()).collect();
    lines.join(" ")
}

#[cfg(test)]
mod tests {
    use syn::parse_quote;

    use super::*;

    #[test]
    fn documentation_keeps_its_lines_and_loses_the_space_before_them() -> syn::Result<()> {
        let item: syn::ItemFn = parse_quote! {
            /// First.
            /// Still first.
            ///
            ///   indented
            fn a() {}
        };
        let text = text(&item.attrs)?.unwrap_or_default();
        assert_eq!(text, "First.\nStill first.\n\n  indented");
        assert_eq!(first_paragraph(&text), "First. Still first.");
        Ok(())
    }

    #[test]
    fn documentation_from_elsewhere_is_refused() {
        let item: syn::ItemFn = parse_quote! { #[doc = include_str!("a.md")] fn a() {} };
        assert!(text(&item.attrs).is_err_and(|error| error.to_string().contains("write it out")));
    }
}
