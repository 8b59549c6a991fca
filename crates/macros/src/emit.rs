//! The code that is written: calls of the facade's building methods.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Expr, ExprPath, ImplItem, ItemImpl, Type};

use crate::method::{Argument, Method, Parameter};
use crate::offer::{Kind, Offer, Place, ToolKeys};
use crate::server::About;

/// Names of local variables, which the author's own cannot meet.
struct Names {
    arguments: Ident,
    context: Ident,
    server: Ident,
    this: Ident,
}

impl Names {
    fn new() -> Self {
        let name = |name| Ident::new(name, Span::mixed_site());
        Self {
            arguments: name("arguments"),
            context: name("context"),
            server: name("server"),
            this: name("this"),
        }
    }
}

/// The two methods that the type gets.
pub(crate) fn added(ty: &Type, about: &About, offers: &[Offer]) -> TokenStream {
    let names = Names::new();
    let Names { server, this, .. } = &names;
    let new = about.tokens();
    let offered = offers.iter().map(|offer| offer.tokens(&names));
    // `expect` would complain of a program that calls both.
    quote! {
        #[automatically_derived]
        #[allow(dead_code, unused_variables, reason = "which of the two a program calls is its own choice")]
        impl #ty {
            /// Makes the server. All calls share this value.
            ///
            /// # Panics
            /// When the operating system has no randomness to make a key of.
            pub fn into_server(self) -> ::hermes::Server {
                let #this = ::std::sync::Arc::new(self);
                let #server = #new;
                #(#offered)*
                #server
            }

            /// Makes the server and serves whoever started this program, over stdio, until they are done.
            ///
            /// # Errors
            /// Reading from the client or writing to it failed.
            ///
            /// # Cancel safety
            /// Dropping the future stops all handlers.
            pub async fn serve(self) -> ::core::result::Result<(), ::hermes::ServerError> {
                self.into_server().serve_stdio().await
            }
        }
    }
}

/// The two methods without anything in them, for a block with a mistake; those that its author wrote stay the only
/// ones. Nothing of it ever runs: the mistake keeps the program from being compiled.
pub(crate) fn stand_ins(block: &ItemImpl, names: [&str; 2]) -> TokenStream {
    // The methods of a trait's block belong to no type for certain.
    if block.trait_.is_some() {
        return TokenStream::new();
    }
    let is_free = |name: &str| {
        !block.items.iter().any(|item| matches!(item, ImplItem::Fn(function) if function.sig.ident == name))
    };
    let [into_server, serve] = names.map(is_free);
    let into_server = into_server.then(|| {
        quote! {
            pub fn into_server(self) -> ::hermes::Server {
                ::core::unreachable!()
            }
        }
    });
    let serve = serve.then(|| {
        quote! {
            pub async fn serve(self) -> ::core::result::Result<(), ::hermes::ServerError> {
                ::core::unreachable!()
            }
        }
    });
    let (ty, (generics, _, bounds)) = (&block.self_ty, block.generics.split_for_impl());
    quote! {
        #[automatically_derived]
        #[allow(dead_code, reason = "it stands in for what could not be written")]
        impl #generics #ty #bounds {
            #into_server
            #serve
        }
    }
}

impl About {
    fn tokens(&self) -> TokenStream {
        let Self { name, version, .. } = self;
        let title = self.title.iter();
        let description = self.description.iter();
        let instructions = self.instructions.iter();
        quote! {
            ::hermes::Server::new(#name, #version)
                #(.title(#title))*
                #(.description(#description))*
                #(.instructions(#instructions))*
        }
    }
}

/// What makes a component of a type with one method.
pub(crate) fn component(ty: &Type, offer: &Offer) -> TokenStream {
    let names = Names::new();
    let this = &names.this;
    let Handler { kind, arguments, declared, handler } = offer.handler(&names);
    let needs = offer.extracted().map(|ty| quote_spanned!(ty.span()=> .needs::<#ty>()));
    let made = quote_spanned!(kind.span()=> ::hermes::Component::#kind(#declared, #handler));
    let made = quote!(#made #(#needs)*);
    let completions = offer.completions(&names);
    let made = if completions.is_empty() {
        made
    } else {
        let completed = completions.iter().map(|(argument, complete, completion)| {
            // What cannot complete is reported where it stands.
            let complete = Ident::new("complete", Span::mixed_site().located_at(complete.span()));
            quote!(.#complete(#argument, #completion))
        });
        let component = Ident::new("component", Span::mixed_site());
        quote! {
            let #component = {
                let #this = ::std::sync::Arc::clone(&#this);
                #made
            };
            #component #(#completed)*
        }
    };
    quote! {
        #[automatically_derived]
        impl ::hermes::IntoComponent for #ty {
            fn into_component(self) -> ::hermes::Component {
                #arguments
                let #this = ::std::sync::Arc::new(self);
                #made
            }
        }
    }
}

/// The same without anything in it, for a type with a mistake.
pub(crate) fn component_stand_in(ty: &Type) -> TokenStream {
    quote! {
        #[automatically_derived]
        impl ::hermes::IntoComponent for #ty {
            fn into_component(self) -> ::hermes::Component {
                ::core::unreachable!()
            }
        }
    }
}

/// What a component is made of, in code.
struct Handler {
    /// The method that adds it.
    kind: Ident,
    /// The type that the arguments are read into, where it needs one of its own.
    arguments: TokenStream,
    /// What is said about it.
    declared: TokenStream,
    /// The closure.
    handler: TokenStream,
}

impl Offer {
    /// The statement that adds it to the server.
    fn tokens(&self, names: &Names) -> TokenStream {
        let Names { server, this, .. } = names;
        let conditions = &self.conditions;
        let Handler { kind, arguments, declared, handler } = self.handler(names);
        let part = self.part();
        let needs: TokenStream = self
            .extracted()
            .map(|ty| {
                // What cannot be made from a call is reported where it stands.
                let needs = quote_spanned!(ty.span()=> needs::<#ty>);
                quote! {
                    #(#conditions)*
                    let #server = #server.#needs(#part);
                }
            })
            .collect();
        let (method, owner) = match &self.kind {
            Kind::Template(Place { uri, .. }) => ("complete_template", uri),
            Kind::Prompt | Kind::Tool(_) | Kind::Resource(_) => ("complete_prompt", &self.name),
        };
        let completed = self.completions(names).into_iter().map(|(argument, complete, completion)| {
            // What cannot complete is reported where it stands.
            let method = Ident::new(method, Span::mixed_site().located_at(complete.span()));
            quote! {
                #(#conditions)*
                let #server = #server.#method(#owner, #argument, #completion);
            }
        });
        quote! {
            #(#conditions)*
            let #server = {
                #arguments
                let #this = ::std::sync::Arc::clone(&#this);
                #server.#kind(#declared, #handler)
            };
            #needs
            #(#completed)*
        }
    }

    /// What is made from the call, by its types.
    fn extracted(&self) -> impl Iterator<Item = &Type> {
        self.method.parameters.iter().filter_map(|parameter| match parameter {
            Parameter::Extracted(ty) => Some(&**ty),
            Parameter::Argument(_) | Parameter::Context => None,
        })
    }

    /// What its author calls it: its kind and its name.
    fn part(&self) -> String {
        let (kind, name) = match &self.kind {
            Kind::Tool(_) => ("tool", &self.name),
            Kind::Prompt => ("prompt", &self.name),
            Kind::Resource(Place { uri, .. }) => ("resource", uri),
            Kind::Template(Place { uri, .. }) => ("resource template", uri),
        };
        format!("{kind} {:?}", name.value())
    }

    /// The arguments that are completed: the name of each, what its author wrote, and the closure that does it.
    fn completions<'a>(&'a self, names: &Names) -> Vec<(String, &'a Expr, TokenStream)> {
        let completed = |argument: &'a Argument| {
            let complete = argument.complete.as_ref()?;
            Some((argument.wire_name(), complete, completion(complete, names)))
        };
        self.method.arguments().filter_map(completed).collect()
    }

    fn handler(&self, names: &Names) -> Handler {
        let this = &names.this;
        let declared = self.declared();
        let (offer, arguments) = match &self.kind {
            Kind::Tool(_) => ("tool", Some(true)),
            Kind::Prompt => ("prompt", Some(true)),
            Kind::Resource(_) => ("resource", None),
            Kind::Template(_) => ("template", Some(false)),
        };
        // A result that cannot be one is reported where it is declared.
        let kind = Ident::new(offer, Span::mixed_site().located_at(self.method.output));
        let (arguments, pattern) = match arguments {
            Some(schema) => arguments_type(&self.method, schema, names),
            None => (TokenStream::new(), TokenStream::new()),
        };
        let context = context_pattern(&self.method, names);
        let call = call(&self.method, names);
        let handler = quote! {
            move |#pattern #context: ::hermes::Context| {
                let #this = ::std::sync::Arc::clone(&#this);
                async move { #call }
            }
        };
        Handler { kind, arguments, declared, handler }
    }

    /// What is said about it.
    fn declared(&self) -> TokenStream {
        let name = &self.name;
        let (title, description) = (self.title.iter(), self.description.iter());
        match &self.kind {
            Kind::Tool(keys) => {
                let more = keys.tokens();
                quote! {
                    ::hermes::ToolDef::new(#name) #(.title(#title))* #(.description(#description))* #more
                }
            }
            Kind::Prompt => quote! {
                ::hermes::types::Prompt::new(#name)
                    #(.with_title(#title))* #(.with_description(#description))*
            },
            Kind::Resource(Place { uri, mime }) => {
                let mime = mime.iter();
                quote! {
                    ::hermes::types::Resource::new(#uri, #name)
                        #(.with_title(#title))* #(.with_description(#description))* #(.with_mime_type(#mime))*
                }
            }
            Kind::Template(Place { uri, mime }) => {
                let mime = mime.iter();
                quote! {
                    ::hermes::types::ResourceTemplate::new(#uri, #name)
                        #(.with_title(#title))* #(.with_description(#description))* #(.with_mime_type(#mime))*
                }
            }
        }
    }
}

impl ToolKeys {
    fn tokens(&self) -> TokenStream {
        let hints = self.hints.iter().map(|(setter, span, value)| {
            let setter = Ident::new(setter, Span::mixed_site().located_at(*span));
            quote!(.#setter(#value))
        });
        let annotations = (!self.hints.is_empty()).then(|| {
            quote!(.annotations(
                <::hermes::types::ToolAnnotations as ::core::default::Default>::default() #(#hints)*
            ))
        });
        let deadline = self.deadline.iter();
        quote!(#annotations #(.deadline(#deadline))*)
    }
}

/// The struct that the arguments are read into, and the pattern for them. No arguments are the unit type.
fn arguments_type(method: &Method, schema: bool, names: &Names) -> (TokenStream, TokenStream) {
    let fields: Vec<TokenStream> = method
        .arguments()
        .map(|argument| {
            let (attributes, name, ty) = (&argument.attributes, &argument.name, &argument.ty);
            quote!(#(#attributes)* #name: #ty)
        })
        .collect();
    if fields.is_empty() {
        return (TokenStream::new(), quote!((): (),));
    }
    let described = schema.then(|| {
        quote! {
            #[derive(::hermes::__private::schemars::JsonSchema)]
            #[schemars(crate = "::hermes::__private::schemars")]
        }
    });
    let arguments = &names.arguments;
    let definition = quote! {
        #[derive(::hermes::__private::serde::Deserialize)]
        #described
        #[serde(crate = "::hermes::__private::serde")]
        struct HermesArguments { #(#fields),* }
    };
    (definition, quote!(#arguments: HermesArguments,))
}

fn context_pattern(method: &Method, names: &Names) -> TokenStream {
    let context = &names.context;
    if method.parameters.iter().any(|it| matches!(it, Parameter::Context | Parameter::Extracted(_))) {
        quote!(#context)
    } else {
        quote!(_)
    }
}

/// The closure that completes an argument. A name in small letters is a function, as Rust writes names; a closure is
/// one already, and everything else is a list.
fn completion(complete: &Expr, names: &Names) -> TokenStream {
    let Names { context, this, .. } = names;
    let typed = Ident::new("typed", Span::mixed_site());
    match complete {
        Expr::Path(path) if is_function(path) => {
            if path.path.segments.first().is_none_or(|first| first.ident != "Self") {
                return quote!(#path);
            }
            quote! {{
                let #this = ::std::sync::Arc::clone(&#this);
                move |#typed: ::hermes::Completing, #context: ::hermes::Context| {
                    let #this = ::std::sync::Arc::clone(&#this);
                    async move { #path(&*#this, #typed, #context).await }
                }
            }}
        }
        Expr::Closure(closure) => quote!(#closure),
        list => {
            let narrowed = quote_spanned!(list.span()=> #typed.among(#list));
            quote! {
                |#typed: ::hermes::Completing, _: ::hermes::Context| {
                    let #typed = #narrowed;
                    async move { #typed }
                }
            }
        }
    }
}

/// Whether a path names a function rather than a constant.
fn is_function(path: &ExprPath) -> bool {
    path.path.segments.last().is_some_and(|last| last.ident.to_string().contains(char::is_lowercase))
}

/// The call of the method, with its error made one that the server knows.
fn call(method: &Method, names: &Names) -> TokenStream {
    let Names { arguments, context, this, .. } = names;
    let name = &method.name;
    // One after the other, so that the first that fails is the only one.
    let mut extracted = TokenStream::new();
    let mut given = Vec::with_capacity(method.parameters.len());
    for (index, parameter) in method.parameters.iter().enumerate() {
        given.push(match parameter {
            Parameter::Context => quote!(#context),
            Parameter::Argument(argument) => {
                let field = &argument.name;
                quote!(#arguments.#field)
            }
            Parameter::Extracted(ty) => {
                let value = format_ident!("extracted_{index}", span = Span::mixed_site());
                // A type that cannot be made from a call is reported where it stands.
                let make = quote_spanned!(ty.span()=> <#ty as ::hermes::FromContext>::from_context);
                extracted.extend(quote_spanned!(ty.span()=> let #value = #make(&#context).await?;));
                quote!(#value)
            }
        });
    }
    let mut call = quote!(Self::#name(&*#this, #(#given),*));
    if method.is_async {
        call = quote!(#call.await);
    }
    if method.fails {
        // An error that cannot be one is reported where it is declared.
        call = quote_spanned!(method.output=>
            ::core::result::Result::map_err(#call, ::hermes::IntoToolError::into_tool_error));
    } else if !extracted.is_empty() {
        call = quote!(::core::result::Result::Ok::<_, ::hermes::ToolError>(#call));
    }
    quote!(#extracted #call)
}
