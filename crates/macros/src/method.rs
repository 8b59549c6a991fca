//! The signature of a marked method: what it takes, and what it gives.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{
    Attribute, Expr, ExprLit, FnArg, GenericArgument, Ident, ImplItemFn, Lit, Meta, Pat, PathArguments,
    Receiver, ReceiverKind, ReturnType, Signature, Token, Type,
};

/// How a method is called.
pub(crate) struct Method {
    pub(crate) name: Ident,
    pub(crate) is_async: bool,
    /// Whether it returns a `Result`.
    pub(crate) fails: bool,
    pub(crate) parameters: Vec<Parameter>,
    /// Where errors about what it returns belong.
    pub(crate) output: Span,
}

pub(crate) enum Parameter {
    Argument(Box<Argument>),
    Context,
    /// What is made from the call, by its type.
    Extracted(Box<Type>),
}

/// The types that are made from the call wherever they stand, and whether they take a type.
///
/// What is not among them is marked with `#[extract]`.
const EXTRACTED: [(&str, bool); 9] = [
    ("Extension", true),
    ("Http", false),
    ("Log", false),
    ("Peer", false),
    ("ProgressBar", false),
    ("ServerHandle", false),
    ("SessionData", true),
    ("SessionHandle", false),
    ("State", true),
];

/// A parameter that the client gives.
pub(crate) struct Argument {
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    /// Documentation, `serde` and `schemars`.
    pub(crate) attributes: Vec<Attribute>,
    /// What completes it.
    pub(crate) complete: Option<Expr>,
}

impl Method {
    /// Reads a method, and takes away what the compiler would not accept on its parameters.
    ///
    /// # Errors
    /// The method cannot be called by a server; all reasons together.
    pub(crate) fn take(function: &mut ImplItemFn) -> syn::Result<Self> {
        let signature = &mut function.sig;
        let mut flaws = Flaws::default();
        flaws.add(check_receiver(signature));
        flaws.add(check_generics(signature));
        flaws.add(check_output(&signature.output));
        let mut parameters = Vec::new();
        for input in &mut signature.inputs {
            let FnArg::Typed(input) = input else { continue };
            let attributes = std::mem::take(&mut input.attrs);
            parameters.extend(flaws.add(Parameter::read(&input.pat, &input.ty, attributes)));
        }
        let mut contexts = parameters.iter().filter(|it| matches!(it, Parameter::Context));
        if contexts.nth(1).is_some() {
            flaws.add::<()>(Err(syn::Error::new_spanned(
                &signature.inputs,
                "a call has one `Context`: remove the second",
            )));
        }
        let (fails, output) = match &signature.output {
            ReturnType::Default => (false, signature.ident.span()),
            ReturnType::Type(_, ty) => (last_segment(ty).is_some_and(|name| name == "Result"), ty.span()),
        };
        let (name, is_async) = (signature.ident.clone(), signature.asyncness.is_some());
        flaws.or(Self { name, is_async, fails, parameters, output })
    }

    /// The parameters that the client gives.
    pub(crate) fn arguments(&self) -> impl Iterator<Item = &Argument> {
        self.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Context | Parameter::Extracted(_) => None,
            Parameter::Argument(argument) => Some(&**argument),
        })
    }
}

impl Parameter {
    fn read(pattern: &Pat, ty: &Type, mut attributes: Vec<Attribute>) -> syn::Result<Self> {
        let is_extracted = take(&mut attributes, "extract")?;
        let is_argument = take(&mut attributes, "argument")?;
        if let (Some(extract), Some(_)) = (&is_extracted, &is_argument) {
            let message = "a parameter comes from the call or from the client: keep one of `#[extract]` and `#[argument]`";
            return Err(syn::Error::new_spanned(extract, message));
        }
        let is_context = last_segment(ty).is_some_and(|name| name == "Context");
        if is_extracted.is_some() || (is_argument.is_none() && (is_context || is_known(ty))) {
            if let Some(other) = attributes.iter().find(|it| !it.path().is_ident("doc")) {
                let message = "this means something on an argument, and this parameter is made from the call";
                return Err(syn::Error::new_spanned(other, message));
            }
            if let Type::Reference(reference) = ty {
                let message =
                    format!("what is made from the call is taken by value, as `{}`", shown(&reference.elem));
                return Err(syn::Error::new_spanned(ty, message));
            }
            return Ok(if is_context { Self::Context } else { Self::Extracted(Box::new(ty.clone())) });
        }
        let complete = take_complete(&mut attributes)?;
        let name = match pattern {
            Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none() => name.ident.clone(),
            Pat::Wild(_) => {
                let message = "an argument needs a name that clients can give: write `name: Type`, or remove the parameter";
                return Err(syn::Error::new_spanned(pattern, message));
            }
            _ => {
                let message = "an argument needs one name that clients can give: write `name: Type`, and take it apart inside the method";
                return Err(syn::Error::new_spanned(pattern, message));
            }
        };
        if let Type::Reference(reference) = ty {
            return Err(syn::Error::new_spanned(ty, owned_instead(reference)));
        }
        if let Type::ImplTrait(_) = ty {
            let message = "an argument needs one concrete type, from which its schema is made: name the type";
            return Err(syn::Error::new_spanned(ty, message));
        }
        if let Some(span) = find_self(ty.to_token_stream()) {
            let message = "`Self` means nothing in the type of an argument: write the type's name";
            return Err(syn::Error::new(span, message));
        }
        let known = ["doc", "serde", "schemars"];
        if let Some(other) = attributes.iter().find(|it| !known.iter().any(|name| it.path().is_ident(name))) {
            let message = "this means nothing on an argument; documentation, `#[serde(…)]`, `#[schemars(…)]` and `#[complete(…)]` do";
            return Err(syn::Error::new_spanned(other, message));
        }
        Ok(Self::Argument(Box::new(Argument { name, ty: ty.clone(), attributes, complete })))
    }
}

impl Argument {
    /// The name that clients give: the parameter's, unless `#[serde(rename = "…")]` says otherwise.
    pub(crate) fn wire_name(&self) -> String {
        for attribute in self.attributes.iter().filter(|it| it.path().is_ident("serde")) {
            let Ok(metas) = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else {
                continue;
            };
            for meta in metas {
                if let Meta::NameValue(pair) = meta
                    && pair.path.is_ident("rename")
                    && let Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) = pair.value
                {
                    return name.value();
                }
            }
        }
        self.name.unraw().to_string()
    }
}

/// Takes an attribute without keys off a parameter.
fn take(attributes: &mut Vec<Attribute>, name: &str) -> syn::Result<Option<Attribute>> {
    let at = attributes.iter().position(|it| it.path().is_ident(name));
    let taken = at.map(|at| attributes.remove(at));
    if let Some(attribute) = taken.as_ref().filter(|it| !matches!(it.meta, Meta::Path(_))) {
        let message = format!("`#[{name}]` stands alone: remove what is in its parentheses");
        return Err(syn::Error::new_spanned(attribute, message));
    }
    Ok(taken)
}

/// Takes what completes an argument off it.
fn take_complete(attributes: &mut Vec<Attribute>) -> syn::Result<Option<Expr>> {
    let Some(at) = attributes.iter().position(|it| it.path().is_ident("complete")) else { return Ok(None) };
    let attribute = attributes.remove(at);
    if let Some(second) = attributes.iter().find(|it| it.path().is_ident("complete")) {
        return Err(syn::Error::new_spanned(
            second,
            "an argument is completed in one way: keep one `#[complete]`",
        ));
    }
    attribute.parse_args::<Expr>().map(Some).map_err(|_| {
        let message = "say what completes the argument: a list as in `#[complete([\"a\", \"b\"])]` or `#[complete(CITIES)]`, or a function as in `#[complete(cities)]`, for `async fn cities(typed: Completing, ctx: Context) -> Vec<String>`";
        syn::Error::new_spanned(&attribute, message)
    })
}

/// Whether a type is one that is made from the call, or an `Option` of one.
fn is_known(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let Some(segment) = path.path.segments.last() else { return false };
    let argument = match &segment.arguments {
        PathArguments::None => None,
        PathArguments::AngleBracketed(arguments) => match arguments.args.first() {
            Some(GenericArgument::Type(ty)) if arguments.args.len() == 1 => Some(ty),
            _ => return false,
        },
        PathArguments::Parenthesized(_) => return false,
    };
    match argument {
        Some(inner) if segment.ident == "Option" => is_known(inner),
        argument => {
            EXTRACTED.iter().any(|(name, takes)| segment.ident == name && *takes == argument.is_some())
        }
    }
}

/// Errors are shown together, so that one attempt to compile names them all.
#[derive(Default)]
pub(crate) struct Flaws(Option<syn::Error>);

impl Flaws {
    /// Keeps the error, gives the value.
    pub(crate) fn add<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                match &mut self.0 {
                    Some(errors) => errors.combine(error),
                    none => *none = Some(error),
                }
                None
            }
        }
    }

    /// The value, if nothing was wrong.
    pub(crate) fn or<T>(self, value: T) -> syn::Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}

fn check_receiver(signature: &Signature) -> syn::Result<()> {
    match signature.receiver() {
        None => {
            let message = "the method is called on the server: add `&self` as its first parameter";
            Err(syn::Error::new(signature.ident.span(), message))
        }
        Some(Receiver { kind: ReceiverKind::Reference(_, _, None), .. }) => Ok(()),
        Some(receiver) => {
            let message = if matches!(receiver.kind, ReceiverKind::Reference(_, _, Some(_))) {
                "calls run at the same time and share the server: take `&self`, and keep what changes in a `Mutex` or an atomic"
            } else {
                "all calls share the server: take `&self`"
            };
            Err(syn::Error::new_spanned(receiver, message))
        }
    }
}

fn check_generics(signature: &Signature) -> syn::Result<()> {
    if signature.generics.params.is_empty() && signature.generics.where_clause.is_none() {
        return Ok(());
    }
    let message = "the method is called with concrete types, from which its schemas are made: remove the generic parameters";
    Err(syn::Error::new_spanned(&signature.generics, message))
}

fn check_output(output: &ReturnType) -> syn::Result<()> {
    let ReturnType::Type(_, ty) = output else { return Ok(()) };
    match borrowed(ty) {
        Some(reference) => {
            let message = "the result outlives the call: return an owned value, such as `String`";
            Err(syn::Error::new_spanned(reference, message))
        }
        None => Ok(()),
    }
}

/// A reference in a type that is not `'static`.
fn borrowed(ty: &Type) -> Option<&Type> {
    match ty {
        Type::Reference(reference) => {
            let is_static = reference.lifetime.as_ref().is_some_and(|it| it.ident == "static");
            if is_static { borrowed(&reference.elem) } else { Some(ty) }
        }
        Type::Path(path) => path.path.segments.iter().find_map(|segment| match &segment.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|it| match it {
                GenericArgument::Type(ty) => borrowed(ty),
                _ => None,
            }),
            _ => None,
        }),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(borrowed),
        _ => None,
    }
}

/// What to write instead of a reference.
fn owned_instead(reference: &syn::TypeReference) -> String {
    let owned = match &*reference.elem {
        Type::Path(path) if path.path.is_ident("str") => "String".to_owned(),
        Type::Slice(slice) => format!("Vec<{}>", shown(&slice.elem)),
        other => shown(other),
    };
    format!("an argument is made for its call alone: take it by value, as `{owned}`")
}

/// A type as text, without the spaces between its tokens.
fn shown(ty: &Type) -> String {
    ty.to_token_stream().to_string().replace(' ', "")
}

/// The last name in a type's path, when it is one.
fn last_segment(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        Type::Group(group) => last_segment(&group.elem),
        Type::Paren(paren) => last_segment(&paren.elem),
        _ => None,
    }
}

/// Where `Self` stands in a type.
fn find_self(tokens: TokenStream) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(name) => (name == "Self").then(|| name.span()),
        TokenTree::Group(group) => find_self(group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => None,
    })
}
