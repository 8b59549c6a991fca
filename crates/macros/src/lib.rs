//! The attributes that make a server of an `impl` block. Use them through the facade, as `hermes::server`: what
//! they write calls the facade's building methods, and examples stand there.

mod docs;
mod emit;
mod keys;
mod method;
mod offer;
mod server;
mod stray;
mod template;

use proc_macro::TokenStream;

/// Makes a server of the methods in an `impl` block: those marked `#[tool]`, `#[prompt]` or `#[resource("…")]`.
///
/// It adds two methods to the type. `into_server(self) -> hermes::Server` makes the server; all calls share
/// `self`. `async fn serve(self) -> Result<(), hermes::ServerError>` makes it and serves whoever started this
/// program, over stdio.
///
/// The block's documentation is what clients are told: all of it as the instructions, its first paragraph as
/// the description.
///
/// | key | without it |
/// |---|---|
/// | `name = "…"` | the name of the type, in kebab-case |
/// | `version = "…"` | the version of the package |
/// | `title = …` | no title |
/// | `description = …` | the first paragraph of the documentation |
/// | `instructions = …` | the documentation |
///
/// # Methods
/// A marked method takes `&self`, and is `async` or not. Its other parameters are the arguments, taken by value;
/// a parameter of the type `Context` is the call's [context] instead. The documentation of a parameter is its
/// description. `Option<T>` may be left out; `#[serde(…)]` and `#[schemars(…)]` on a parameter mean what they
/// mean on a field.
///
/// A method may return `Result` with any error that converts into a `ToolError`: every `std` error, `anyhow`'s,
/// a text. The `Result` has to be called so: of an alias with another name the attribute knows nothing.
///
/// Such an error is a failure of the handler: a tool's becomes a result for the model to read, a prompt's or a
/// resource's an internal error. To refuse the request instead, because what it names is not there or is wrong,
/// return `ToolError::refuse` with a `Fault`, such as `Fault::resource_not_found(&uri)` or `Fault::invalid_params("…")`.
///
/// Methods without a mark stay what they are.
///
/// [context]: https://docs.rs/mcp-hermes/latest/hermes/struct.Context.html
#[proc_macro_attribute]
pub fn server(keys: TokenStream, block: TokenStream) -> TokenStream {
    server::expand(keys.into(), &block.into()).into()
}

/// Marks a method of a [`server`](macro@server) block as a tool. What it returns becomes the result; its
/// documentation is the description.
///
/// | key | says |
/// |---|---|
/// | `name = "…"` | the name to call it by; the method's without it |
/// | `title = …` | the name to show |
/// | `description = …` | what it does, instead of the documentation |
/// | `read_only` | it changes nothing |
/// | `destructive = false` | it destroys nothing |
/// | `idempotent` | doing it twice is doing it once |
/// | `open_world = false` | it stays within the server's own world |
/// | `deadline = …` | how long one call may take, a `Duration` |
///
/// The four hints are `bool`s, and `true` when they have no value. The name has 1 to 128 ASCII letters, digits, `_`,
/// `-` and `.`: hosts may refuse others.
#[proc_macro_attribute]
pub fn tool(_: TokenStream, method: TokenStream) -> TokenStream {
    stray::refuse("tool", method.into()).into()
}

/// Marks a method of a [`server`](macro@server) block as a prompt. What it returns becomes the messages; its
/// documentation is the description.
///
/// Arguments of a prompt arrive as texts: numbers, booleans and enums of unit variants are read from them.
///
/// The keys are `name = "…"`, `title = …` and `description = …`, as for a [`tool`](macro@tool).
#[proc_macro_attribute]
pub fn prompt(_: TokenStream, method: TokenStream) -> TokenStream {
    stray::refuse("prompt", method.into()).into()
}

/// Marks a method of a [`server`](macro@server) block as a resource, or as a template of resources. What it
/// returns becomes the contents; its documentation is the description.
///
/// The URI comes first, with a scheme: `#[resource("demo://greeting")]`. With variables it is a template, and each variable
/// is a parameter: `{name}` is a piece of one path segment, `{+name}` may hold slashes, `{#name}` is a fragment. They come
/// percent-decoded and may hold anything, `../` too: check them before they become part of a path.
///
/// A template takes in every URI that fits it. When there is nothing at one, the method says so with
/// `ToolError::refuse(Fault::resource_not_found(&uri))`; the client gets the error that its revision has for that.
///
/// The keys are `name = "…"`, `title = …` and `description = …`, as for a [`tool`](macro@tool), and
/// `mime = …`, the media type.
#[proc_macro_attribute]
pub fn resource(_: TokenStream, method: TokenStream) -> TokenStream {
    stray::refuse("resource", method.into()).into()
}
