use hermes_macros::{prompt, resource, tool};

#[tool]
fn generic<T>(it: T) -> T {
    it
}

#[tool(read_onyl)]
fn misspelt() {}

#[prompt]
fn borrowed(topic: &str) -> String {
    topic.to_owned()
}

#[resource]
fn nowhere() -> String {
    String::new()
}

struct Search;

#[tool]
impl Search {
    fn find(&self) {}

    fn helper(&self) {}
}

#[tool]
impl Default for Search {
    fn default() -> Self {
        Self
    }
}

struct Held<T>(T);

#[tool]
impl<T> Held<T> {
    fn find(&self) {}
}

#[tool]
struct Nothing;

fn main() {
    // There is nothing wrong with this.
    drop((generic(), misspelt(), borrowed(), nowhere()));
    drop(Search.into_component());
}

// What the attribute's code takes from the facade.
extern crate self as hermes;
pub struct Component;
pub trait IntoComponent {
    fn into_component(self) -> Component;
}
