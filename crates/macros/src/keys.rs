//! What stands in an attribute's parentheses: `key`, `key = value`.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Expr, ExprLit, Ident, Lit, LitStr, Token, parse_quote};

/// The keys of one attribute, each at most once and each known to it.
pub(crate) struct Keys(Vec<Key>);

struct Key {
    name: Ident,
    value: Option<Expr>,
}

impl Parse for Key {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.call(Ident::parse_any)?;
        let value = if input.parse::<Option<Token![=]>>()?.is_some() { Some(input.parse()?) } else { None };
        Ok(Self { name, value })
    }
}

impl Keys {
    /// An attribute without parentheses.
    pub(crate) const NONE: Self = Self(Vec::new());

    /// Reads the keys of `attribute`, which knows `known`.
    ///
    /// # Errors
    /// A key is unknown or comes twice, or the tokens are no keys.
    pub(crate) fn parse(input: ParseStream<'_>, attribute: &str, known: &[&str]) -> syn::Result<Self> {
        if input.peek(LitStr) {
            let message =
                format!("{attribute} takes keys: write `name = \"…\"`, or what this text is instead");
            return Err(input.error(message));
        }
        let keys = Punctuated::<Key, Token![,]>::parse_terminated(input)?;
        let mut seen: Vec<Key> = Vec::new();
        for key in keys {
            if !known.iter().any(|known| key.name == known) {
                let known: Vec<String> = known.iter().map(|known| format!("`{known}`")).collect();
                let message = format!("{attribute} has no `{}`; it knows {}", key.name, known.join(", "));
                return Err(syn::Error::new(key.name.span(), message));
            }
            if seen.iter().any(|earlier| earlier.name == key.name) {
                let message = format!("`{}` is said twice: keep one", key.name);
                return Err(syn::Error::new(key.name.span(), message));
            }
            seen.push(key);
        }
        Ok(Self(seen))
    }

    fn find(&self, name: &str) -> Option<&Key> {
        self.0.iter().find(|key| key.name == name)
    }

    /// The value of a key that needs one.
    ///
    /// # Errors
    /// The key has no value.
    pub(crate) fn value(&self, name: &str) -> syn::Result<Option<Expr>> {
        let Some(key) = self.find(name) else { return Ok(None) };
        match &key.value {
            Some(value) => Ok(Some(value.clone())),
            None => {
                Err(syn::Error::new(key.name.span(), format!("`{name}` needs a value: write `{name} = …`")))
            }
        }
    }

    /// The value of a key that has to be known while compiling.
    ///
    /// # Errors
    /// The key has no value, or one that is no literal text.
    pub(crate) fn literal(&self, name: &str) -> syn::Result<Option<LitStr>> {
        match self.value(name)? {
            None => Ok(None),
            Some(Expr::Lit(ExprLit { lit: Lit::Str(text), .. })) => Ok(Some(text)),
            Some(other) => Err(syn::Error::new_spanned(
                other,
                format!("`{name}` is a literal text: write `{name} = \"…\"`"),
            )),
        }
    }

    /// The value of a `bool`, `true` when the key stands alone, and where it stands.
    pub(crate) fn flag(&self, name: &str) -> Option<(Span, Expr)> {
        let key = self.find(name)?;
        Some((key.name.span(), key.value.clone().unwrap_or_else(|| parse_quote!(true))))
    }
}
