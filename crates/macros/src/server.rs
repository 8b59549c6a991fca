//! The `impl` block as a whole.

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser as _;
use syn::spanned::Spanned as _;
use syn::{
    Expr, GenericArgument, ImplItem, Item, ItemImpl, Lifetime, LitStr, PathArguments, Type, parse_quote,
};

use crate::docs;
use crate::emit;
use crate::keys::Keys;
use crate::method::Flaws;
use crate::offer::{Kind, Offer};

const KEYS: [&str; 5] = ["name", "version", "title", "description", "instructions"];

/// The methods that are added to the type.
const ADDED: [&str; 2] = ["into_server", "serve"];

/// What the server says about itself.
pub(crate) struct About {
    pub(crate) name: LitStr,
    pub(crate) version: Expr,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) instructions: Option<Expr>,
}

/// The block without its marks, and the methods that make a server of it; or the block and what is wrong.
pub(crate) fn expand(keys: TokenStream, item: &TokenStream) -> TokenStream {
    let mut block = match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Impl(block)) => block,
        Ok(_) => {
            let message = "`#[hermes::server]` stands above an `impl` block, the one with the server's methods: move it there";
            let error = syn::Error::new(proc_macro2::Span::call_site(), message).into_compile_error();
            return quote!(#item #error);
        }
        Err(error) => return error.into_compile_error(),
    };
    let added = take(keys, &mut block).unwrap_or_else(|error| {
        // What calls the methods is not at fault, and is not to be told that they are missing.
        let stand_ins = emit::stand_ins(&block, ADDED);
        let error = error.into_compile_error();
        quote!(#error #stand_ins)
    });
    quote!(#block #added)
}

fn take(keys: TokenStream, block: &mut ItemImpl) -> syn::Result<TokenStream> {
    let mut flaws = Flaws::default();
    flaws.add(check_block(block));
    let about = flaws.add(About::read(keys, block));
    let mut offers = Vec::new();
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        if ADDED.iter().any(|added| function.sig.ident == added) {
            let message = format!(
                "`#[hermes::server]` adds a method `{}` to the type: give this one another name",
                function.sig.ident
            );
            flaws.add::<()>(Err(syn::Error::new(function.sig.ident.span(), message)));
        }
        offers.extend(Offer::take(function).and_then(|offer| flaws.add(offer)));
    }
    flaws.add(check_names(&offers));
    let Some(about) = flaws.or(about)? else { return Ok(TokenStream::new()) };
    if offers.is_empty() {
        let message =
            "the block offers nothing: mark its methods with `#[tool]`, `#[prompt]` or `#[resource(\"…\")]`";
        return Err(syn::Error::new_spanned(&block.self_ty, message));
    }
    Ok(emit::added(&block.self_ty, &about, &offers))
}

impl About {
    fn read(keys: TokenStream, block: &ItemImpl) -> syn::Result<Self> {
        let keys = (|input: syn::parse::ParseStream<'_>| Keys::parse(input, "`#[hermes::server]`", &KEYS))
            .parse2(keys)?;
        let name = match keys.literal("name")? {
            Some(name) => name,
            None => LitStr::new(&kebab(&type_name(&block.self_ty)), block.self_ty.span()),
        };
        let version = match keys.value("version")? {
            Some(version) => version,
            None => parse_quote!(::core::env!("CARGO_PKG_VERSION")),
        };
        let (mut description, mut instructions) = (keys.value("description")?, keys.value("instructions")?);
        if (description.is_none() || instructions.is_none())
            && let Some(text) = docs::text(&block.attrs)?
        {
            let first = docs::first_paragraph(&text);
            description.get_or_insert_with(|| parse_quote!(#first));
            instructions.get_or_insert_with(|| parse_quote!(#text));
        }
        Ok(Self { name, version, title: keys.value("title")?, description, instructions })
    }
}

fn check_block(block: &ItemImpl) -> syn::Result<()> {
    if let Some((path, _)) = &block.trait_ {
        let message =
            "a server is made of a type's own methods: write `impl Type`, not `impl Trait for Type`";
        return Err(syn::Error::new_spanned(path, message));
    }
    let concrete = "a server is made of one concrete type: remove the generic parameters, or write out the types that you serve, as in `impl Type<u8>`";
    if !block.generics.params.is_empty() {
        return Err(syn::Error::new_spanned(&block.generics, concrete));
    }
    match lifetime(&block.self_ty) {
        Some(lifetime) => {
            let message = "a server outlives what it could borrow: let it own its data, or use `'static`";
            Err(syn::Error::new_spanned(lifetime, message))
        }
        None => Ok(()),
    }
}

/// A lifetime in the type that is not `'static`.
pub(crate) fn lifetime(ty: &Type) -> Option<&Lifetime> {
    let Type::Path(path) = ty else { return None };
    path.path.segments.iter().find_map(|segment| {
        let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::Lifetime(lifetime) if lifetime.ident != "static" => Some(lifetime),
            _ => None,
        })
    })
}

/// Refuses two offers that a client could not tell apart.
///
/// Methods under a condition may share a name: at most one of them may be there.
fn check_names(offers: &[Offer]) -> syn::Result<()> {
    let mut flaws = Flaws::default();
    for (index, offer) in offers.iter().enumerate() {
        let (what, name) = known_by(offer);
        let twin = |other: &&Offer| {
            let (kind, other_name) = known_by(other);
            kind == what && other_name.value() == name.value() && other.conditions.is_empty()
        };
        if offer.conditions.is_empty() && offers.iter().take(index).any(|other| twin(&other)) {
            let message = format!(
                "a second {what} `{}`: the second would be left out; give one another name",
                name.value()
            );
            flaws.add::<()>(Err(syn::Error::new(name.span(), message)));
        }
    }
    flaws.or(())
}

/// What clients tell offers of one kind apart by.
fn known_by(offer: &Offer) -> (&'static str, &LitStr) {
    match &offer.kind {
        Kind::Tool(_) => ("tool", &offer.name),
        Kind::Prompt => ("prompt", &offer.name),
        Kind::Resource(place) | Kind::Template(place) => ("resource", &place.uri),
    }
}

pub(crate) fn type_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|it| it.ident.to_string()).unwrap_or_default(),
        _ => "server".to_owned(),
    }
}

/// `HttpWeather` becomes `http-weather`, `HTTPWeather` too.
pub(crate) fn kebab(name: &str) -> String {
    let mut kebab = String::new();
    let mut letters = name.chars().peekable();
    let mut before: Option<char> = None;
    while let Some(letter) = letters.next() {
        let starts = letter.is_uppercase()
            && before.is_some_and(|before| {
                !before.is_uppercase() || letters.peek().is_some_and(|next| next.is_lowercase())
            });
        if starts || letter == '_' {
            kebab.push('-');
        }
        kebab.extend(letter.to_lowercase().filter(|letter| *letter != '_'));
        before = Some(letter);
    }
    kebab
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_gives_its_name_to_the_server() {
        for (name, expected) in [
            ("Weather", "weather"),
            ("HTTPWeather", "http-weather"),
            ("CityMap2D", "city-map2-d"),
            ("x", "x"),
        ] {
            assert_eq!(kebab(name), expected);
        }
    }
}
