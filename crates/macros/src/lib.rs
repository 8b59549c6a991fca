//! The attributes that make a server of an `impl` block. Use them through the facade, as `hermes::server`: what
//! they write calls the facade's building methods, and examples stand there.

mod alone;
mod docs;
mod emit;
mod keys;
mod method;
mod offer;
mod server;
mod template;

use proc_macro::TokenStream;

use offer::Mark;

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
/// A marked method takes `&self`, and is `async` or not. Its other parameters are the arguments, taken by value. The
/// documentation of a parameter is its description. `Option<T>` may be left out; `#[serde(…)]` and `#[schemars(…)]` on a parameter mean what they
/// mean on a field.
///
/// # Completion
/// `#[complete(…)]` on an argument of a prompt, or on a variable of a resource, says what completes it:
///
/// | written | is |
/// |---|---|
/// | `["rust", "ruby"]`, `CITIES`, `Self::CITIES`, `names()` | a list of texts, of which those are proposed that begin with what was typed |
/// | `cities` | a function: `async fn(Completing, Context)`, which gives a list |
/// | `Self::cities` | a method of the block, which takes `&self` before these two |
/// | <code>&#124;typed, ctx&#124; …</code> | a closure |
///
/// A name in small letters is a function, as Rust writes names. `Completing::argument` has the values of the arguments
/// that are filled in already.
///
/// # Results
/// A method may return `Result` with any error that converts into a `ToolError`: every `std` error, `anyhow`'s,
/// a text. The `Result` has to be called so: of an alias with another name the attribute knows nothing.
///
/// Such an error is a failure of the handler: a tool's becomes a result for the model to read, a prompt's or a
/// resource's an internal error. To refuse the request instead, because what it names is not there or is wrong,
/// return `ToolError::refuse` with a `Fault`, such as `Fault::resource_not_found(&uri)` or `Fault::invalid_params("…")`.
///
/// Methods without a mark stay what they are.
///
/// # What is made from the call
/// Parameters of these types are no arguments; clients do not see them: `Context`, `State<T>`, `SessionData<T>`,
/// `ProgressBar`, `Log`, `Http`, `Peer`, `Extension<T>`, `SessionHandle`, `ServerHandle`, and an `Option` of one of
/// them. They are known by these names. Any other type that is [`FromContext`] is marked with `#[extract]`; an
/// argument whose type only happens to have such a name is marked with `#[argument]`.
///
/// [`FromContext`]: https://docs.rs/mcp-hermes/latest/hermes/trait.FromContext.html
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
/// Above a function that stands alone, or above an `impl` block with one method, it makes a tool of that, to be added with
/// `Server::with(name)`. A function becomes one that makes the component; what it did before is done by
/// `name().call(…)`. A type goes by its own name in `snake_case`, and keeps its state and its dependencies to itself.
///
/// The four hints are `bool`s, and `true` when they have no value. The name has 1 to 128 ASCII letters, digits, `_`,
/// `-` and `.`: hosts may refuse others.
#[proc_macro_attribute]
pub fn tool(keys: TokenStream, item: TokenStream) -> TokenStream {
    alone::expand(Mark::Tool, &keys.into(), item.into()).into()
}

/// Marks a method of a [`server`](macro@server) block as a prompt. What it returns becomes the messages; its
/// documentation is the description.
///
/// Arguments of a prompt arrive as texts: numbers, booleans and enums of unit variants are read from them.
///
/// The keys are `name = "…"`, `title = …` and `description = …`, as for a [`tool`](macro@tool). It may stand above a
/// function or an `impl` block too, as there.
#[proc_macro_attribute]
pub fn prompt(keys: TokenStream, item: TokenStream) -> TokenStream {
    alone::expand(Mark::Prompt, &keys.into(), item.into()).into()
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
/// `mime = …`, the media type. It may stand above a function or an `impl` block too, as there.
#[proc_macro_attribute]
pub fn resource(keys: TokenStream, item: TokenStream) -> TokenStream {
    alone::expand(Mark::Resource, &keys.into(), item.into()).into()
}
