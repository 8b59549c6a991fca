//! What one marked method offers.

use proc_macro2::Span;
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{
    Attribute, Expr, GenericArgument, ImplItemFn, LitStr, Meta, PathArguments, Token, Type, parse_quote,
};

use crate::docs;
use crate::keys::Keys;
use crate::method::{Flaws, Method};
use crate::template;

const TOOL_KEYS: [&str; 8] =
    ["name", "title", "description", "read_only", "destructive", "idempotent", "open_world", "deadline"];
const PROMPT_KEYS: [&str; 3] = ["name", "title", "description"];
const RESOURCE_KEYS: [&str; 4] = ["name", "title", "description", "mime"];

/// A method of the block that clients can reach.
pub(crate) struct Offer {
    pub(crate) kind: Kind,
    pub(crate) name: LitStr,
    pub(crate) title: Option<Expr>,
    pub(crate) description: Option<Expr>,
    pub(crate) method: Method,
    /// The conditions under which the method is there.
    pub(crate) conditions: Vec<Attribute>,
}

pub(crate) enum Kind {
    Tool(ToolKeys),
    Prompt,
    Resource(Place),
    Template(Place),
}

/// What counts where a mark says nothing, before what its method says.
#[derive(Default)]
pub(crate) struct Otherwise {
    pub(crate) name: Option<LitStr>,
    pub(crate) documentation: Option<String>,
}

/// What only tools say.
pub(crate) struct ToolKeys {
    /// The hints: the setter of each, and its value.
    pub(crate) hints: Vec<(&'static str, Span, Expr)>,
    pub(crate) deadline: Option<Expr>,
}

/// Where resources are.
pub(crate) struct Place {
    pub(crate) uri: LitStr,
    pub(crate) mime: Option<Expr>,
}

/// The three marks.
#[derive(Clone, Copy)]
pub(crate) enum Mark {
    Tool,
    Prompt,
    Resource,
}

impl Mark {
    /// As it is written.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
            Self::Resource => "resource",
        }
    }

    const ALL: [(&str, Self); 3] =
        [("tool", Self::Tool), ("prompt", Self::Prompt), ("resource", Self::Resource)];

    /// Reads `#[tool]` or `#[hermes::tool]`.
    fn of(attribute: &Attribute) -> Option<Self> {
        let mut names = attribute.path().segments.iter().map(|segment| &segment.ident);
        let (first, second) = (names.next()?, names.next());
        let name = match second {
            None => first,
            Some(second) => Some(second).filter(|_| first == "hermes" && names.next().is_none())?,
        };
        Self::ALL.iter().find(|(known, _)| name == known).map(|(_, mark)| *mark)
    }
}

impl Offer {
    /// Takes the mark off a method and reads both; `None` for a method without one.
    ///
    /// # Errors
    /// The mark or the method is not as it should be.
    pub(crate) fn take(function: &mut ImplItemFn) -> Option<syn::Result<Self>> {
        let mut marks: Vec<(Attribute, Mark)> = Vec::new();
        function.attrs.retain(|attribute| match Mark::of(attribute) {
            Some(mark) => {
                marks.push((attribute.clone(), mark));
                false
            }
            None => true,
        });
        let mut marks = marks.into_iter();
        let (attribute, mark) = marks.next()?;
        // Always read: it takes the attributes off the parameters.
        let method = Method::take(function);
        if let Some((second, _)) = marks.next() {
            let message = "a method is one thing: keep one of `#[tool]`, `#[prompt]` and `#[resource]`";
            return Some(Err(syn::Error::new_spanned(second, message)));
        }
        Some(Self::read(function, (&attribute, mark), method, Otherwise::default()))
    }

    /// Reads a mark and its method.
    ///
    /// # Errors
    /// The mark or the method is not as it should be.
    pub(crate) fn read(
        function: &mut ImplItemFn,
        (attribute, mark): (&Attribute, Mark),
        method: syn::Result<Method>,
        Otherwise { name, documentation }: Otherwise,
    ) -> syn::Result<Self> {
        let (uri, keys) = match mark {
            Mark::Tool => (None, keys(attribute, "`#[tool]`", &TOOL_KEYS)?),
            Mark::Prompt => (None, keys(attribute, "`#[prompt]`", &PROMPT_KEYS)?),
            Mark::Resource => {
                let (uri, keys) = resource_keys(attribute)?;
                (Some(uri), keys)
            }
        };
        let method = method?;
        let kind = match (mark, uri) {
            (Mark::Resource, Some(uri)) => place(uri, &keys, &method)?,
            (Mark::Prompt, _) => Kind::Prompt,
            (Mark::Tool | Mark::Resource, _) => Kind::Tool(ToolKeys::read(&keys)?),
        };
        let description = match (keys.value("description")?, documentation) {
            (Some(description), _) => Some(description),
            (None, Some(text)) => Some(parse_quote!(#text)),
            (None, None) => docs::text(&function.attrs)?.map(|text| parse_quote!(#text)),
        };
        let name = match keys.literal("name")?.or(name) {
            Some(name) => name,
            None => LitStr::new(&method.name.unraw().to_string(), method.name.span()),
        };
        if let Kind::Tool(_) = kind {
            check_tool_name(&name)?;
        }
        if let Kind::Prompt = kind {
            check_texts(&method)?;
        }
        if let Kind::Tool(_) | Kind::Resource(_) = kind
            && let Some(complete) = method.arguments().find_map(|argument| argument.complete.as_ref())
        {
            let message = "clients complete arguments of prompts and variables of resources, and none of tools: make the argument an `enum`, whose values are in the schema";
            return Err(syn::Error::new_spanned(complete, message));
        }
        let conditions = function.attrs.iter().filter(|it| it.path().is_ident("cfg")).cloned().collect();
        // The shape of the method is not its author's choice.
        function.attrs.push(parse_quote! {
            #[allow(
                clippy::needless_pass_by_value,
                clippy::too_many_arguments,
                clippy::unused_async,
                clippy::unused_self
            )]
        });
        Ok(Self { kind, name, title: keys.value("title")?, description, method, conditions })
    }
}

/// Refuses arguments of a prompt that can be seen to be no texts. A struct can not: it is refused when the server is built.
///
/// Source: `server/prompts#getting-a-prompt`, 2026-07-28.
fn check_texts(method: &Method) -> syn::Result<()> {
    let mut flaws = Flaws::default();
    for argument in method.arguments() {
        if let Some(what) = composite(&argument.ty) {
            let message = format!(
                "clients give the arguments of a prompt as texts, and this one is {what}: take a `String` and read it, or a number, a `bool` or an `enum`"
            );
            flaws.add::<()>(Err(syn::Error::new_spanned(&argument.ty, message)));
        }
    }
    flaws.or(())
}

/// What a type is that no single text stands for, as far as its name tells.
fn composite(ty: &Type) -> Option<&'static str> {
    match ty {
        Type::Array(_) | Type::Slice(_) => Some("a list"),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => Some("a list"),
        Type::Group(group) => composite(&group.elem),
        Type::Paren(paren) => composite(&paren.elem),
        Type::Path(path) => {
            let last = path.path.segments.last()?;
            match last.ident.to_string().as_str() {
                "BTreeSet" | "HashSet" | "IndexSet" | "LinkedList" | "Vec" | "VecDeque" => Some("a list"),
                "BTreeMap" | "HashMap" | "IndexMap" => Some("a map"),
                "Arc" | "Box" | "Option" => match &last.arguments {
                    PathArguments::AngleBracketed(inner) => inner.args.iter().find_map(|inner| match inner {
                        GenericArgument::Type(ty) => composite(ty),
                        _ => None,
                    }),
                    PathArguments::None | PathArguments::Parenthesized(_) => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Refuses a name that hosts may refuse too.
///
/// Source: `server/tools#tool-names`, 2025-11-25.
fn check_tool_name(name: &LitStr) -> syn::Result<()> {
    let text = name.value();
    let is_fit = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if (1..=128).contains(&text.len()) && text.chars().all(is_fit) {
        return Ok(());
    }
    let message = "hosts take tools by names of 1 to 128 ASCII letters, digits, `_`, `-` and `.`: write `#[tool(name = \"…\")]`";
    Err(syn::Error::new(name.span(), message))
}

impl ToolKeys {
    fn read(keys: &Keys) -> syn::Result<Self> {
        let hint = |key: &str, setter| keys.flag(key).map(|(span, value)| (setter, span, value));
        let hints = [
            hint("read_only", "with_read_only"),
            hint("destructive", "with_destructive"),
            hint("idempotent", "with_idempotent"),
            hint("open_world", "with_open_world"),
        ];
        Ok(Self { hints: hints.into_iter().flatten().collect(), deadline: keys.value("deadline")? })
    }
}

fn keys(attribute: &Attribute, shown: &str, known: &[&str]) -> syn::Result<Keys> {
    match &attribute.meta {
        Meta::Path(_) => Ok(Keys::NONE),
        Meta::List(list) => {
            (|input: ParseStream<'_>| Keys::parse(input, shown, known)).parse2(list.tokens.clone())
        }
        Meta::NameValue(_) => {
            let message = format!("{shown} takes its keys in parentheses");
            Err(syn::Error::new_spanned(attribute, message))
        }
    }
}

fn resource_keys(attribute: &Attribute) -> syn::Result<(LitStr, Keys)> {
    let missing = || {
        syn::Error::new_spanned(attribute, "a resource needs its URI: write `#[resource(\"scheme://path\")]`")
    };
    let Meta::List(list) = &attribute.meta else { return Err(missing()) };
    let read = |input: ParseStream<'_>| {
        let uri: LitStr = input.parse().map_err(|_| missing())?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        Ok((uri, Keys::parse(input, "`#[resource]`", &RESOURCE_KEYS)?))
    };
    read.parse2(list.tokens.clone())
}

/// Compares the variables of a URI with the parameters of the method.
fn place(uri: LitStr, keys: &Keys, method: &Method) -> syn::Result<Kind> {
    let variables = template::variables(&uri)?;
    for argument in method.arguments() {
        let name = argument.wire_name();
        if !variables.contains(&name) {
            let message =
                format!("the URI has no variable `{{{name}}}`: add it to the URI, or remove the parameter");
            return Err(syn::Error::new(argument.name.span(), message));
        }
        if let Some(schemars) = argument.attributes.iter().find(|it| it.path().is_ident("schemars")) {
            let message = "variables of a URI have no schema: remove this";
            return Err(syn::Error::new_spanned(schemars, message));
        }
    }
    for variable in &variables {
        if !method.arguments().any(|argument| argument.wire_name() == *variable) {
            let message = format!(
                "the variable `{{{variable}}}` has no parameter: add `{variable}: String` to the method"
            );
            return Err(syn::Error::new(uri.span(), message));
        }
    }
    let place = Place { uri, mime: keys.value("mime")? };
    Ok(if variables.is_empty() { Kind::Resource(place) } else { Kind::Template(place) })
}
