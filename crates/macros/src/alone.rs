//! A mark above a function, or above a block of one method: a component by itself.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{Attribute, Ident, ImplItem, ImplItemFn, Item, ItemFn, ItemImpl, LitStr, parse_quote};

use crate::docs;
use crate::emit;
use crate::method::Method;
use crate::offer::{Mark, Offer, Otherwise};
use crate::server::{kebab, lifetime, type_name};

/// The component that an item is, and the item; or the item and what is wrong.
pub(crate) fn expand(mark: Mark, keys: &TokenStream, item: TokenStream) -> TokenStream {
    let name = Ident::new(mark.as_str(), Span::call_site());
    let attribute: Attribute =
        if keys.is_empty() { parse_quote!(#[#name]) } else { parse_quote!(#[#name(#keys)]) };
    match syn::parse2::<Item>(item.clone()) {
        Ok(Item::Fn(function)) if function.sig.receiver().is_none() => {
            of_function(mark, &attribute, function)
        }
        Ok(Item::Impl(block)) => of_block(mark, &attribute, block),
        _ => refuse(mark, item),
    }
}

/// Refuses a mark that no server block has consumed; the method stays, so that this is the only error.
fn refuse(mark: Mark, item: TokenStream) -> TokenStream {
    let mark = mark.as_str();
    let message = format!(
        "`#[{mark}]` marks a function that stands alone, an `impl` block with one method, or a method of an `impl` block under `#[hermes::server]`: put that above the block"
    );
    let mut tokens = syn::Error::new(Span::call_site(), message).into_compile_error();
    tokens.extend(item);
    tokens
}

/// A function becomes one that makes a value, and its body that value's method.
fn of_function(mark: Mark, attribute: &Attribute, function: ItemFn) -> TokenStream {
    let ItemFn { attrs, vis, modifiers, mut sig, block } = function;
    let name = sig.ident.clone();
    let of = |known: &str| attrs.iter().filter(|it| it.path().is_ident(known)).cloned().collect::<Vec<_>>();
    let (documentation, conditions) = (of("doc"), of("cfg"));
    sig.inputs.insert(0, parse_quote!(&self));
    let mut method = ImplItemFn { attrs, vis: vis.clone(), modifiers, sig, block: *block };
    let taken = Method::take(&mut method);
    let offer = Offer::read(&mut method, (attribute, mark), taken, Otherwise::default());
    method.sig.ident = Ident::new("call", name.span());
    let ty = Ident::new(&camel(&format!("{}_{}", name.unraw(), mark.as_str())), name.span());
    let component = match offer {
        Ok(mut offer) => {
            offer.method.name = method.sig.ident.clone();
            emit::component(&parse_quote!(#ty), &offer)
        }
        Err(error) => {
            let (error, stand_in) =
                (error.into_compile_error(), emit::component_stand_in(&parse_quote!(#ty)));
            quote!(#stand_in #(#conditions)* #error)
        }
    };
    quote! {
        #(#conditions)*
        #(#documentation)*
        #[must_use]
        #vis const fn #name() -> #ty {
            #ty
        }

        #(#conditions)*
        #(#documentation)*
        #[derive(Clone, Copy, Debug)]
        #vis struct #ty;

        #(#conditions)*
        impl #ty {
            #method
        }

        #(#conditions)*
        #component
    }
}

/// `find_note` becomes `FindNote`.
fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().into_iter().flat_map(char::to_uppercase));
        camel.push_str(letters.as_str());
    }
    camel
}

/// A type with one method is that component.
fn of_block(mark: Mark, attribute: &Attribute, mut block: ItemImpl) -> TokenStream {
    let read = read_block(mark, attribute, &mut block);
    let component = match read {
        Ok(offer) => emit::component(&block.self_ty, &offer),
        Err(error) => {
            let error = error.into_compile_error();
            // Of a block of a trait or with parameters it is not known what it belongs to.
            let is_plain = block.trait_.is_none() && block.generics.params.is_empty();
            let stand_in = is_plain.then(|| emit::component_stand_in(&block.self_ty));
            quote!(#error #stand_in)
        }
    };
    quote!(#block #component)
}

fn read_block(mark: Mark, attribute: &Attribute, block: &mut ItemImpl) -> syn::Result<Offer> {
    let what = mark.as_str();
    if let Some((path, _)) = &block.trait_ {
        let message =
            format!("a {what} is made of a type's own method: write `impl Type`, not `impl Trait for Type`");
        return Err(syn::Error::new_spanned(path, message));
    }
    if !block.generics.params.is_empty() {
        let message = format!(
            "a {what} is made of one concrete type: remove the generic parameters, or write out the type, as in `impl Type<u8>`"
        );
        return Err(syn::Error::new_spanned(&block.generics, message));
    }
    if let Some(lifetime) = lifetime(&block.self_ty) {
        let message =
            format!("a {what} outlives what it could borrow: let it own its data, or use `'static`");
        return Err(syn::Error::new_spanned(lifetime, message));
    }
    let name = kebab(&type_name(&block.self_ty)).replace('-', "_");
    let name = LitStr::new(&name, block.self_ty.span());
    let [ImplItem::Fn(function)] = block.items.as_mut_slice() else {
        let message = format!(
            "`#[{what}]` above a block makes a {what} of its one method: move everything else into a block of its own, or write `#[hermes::server]` above this one and `#[{what}]` above each method"
        );
        return Err(syn::Error::new_spanned(&block.self_ty, message));
    };
    let otherwise = Otherwise { name: Some(name), documentation: docs::text(&block.attrs)? };
    let method = Method::take(function);
    Offer::read(function, (attribute, mark), method, otherwise)
}
