//! The search itself.

use super::policy::{Flaw, Policy, Step};
use super::world::{Model, World};
use std::collections::BTreeMap;
#[expect(clippy::disallowed_types, reason = "looked up and never iterated")]
use std::collections::HashMap;
use std::fmt::Write as _;
use std::rc::Rc;

/// What a search found.
pub struct Found {
    pub states: usize,
    pub steps: usize,
    /// A shortest trace for each flaw.
    pub flaws: BTreeMap<Flaw, String>,
}

struct Node<P: Policy> {
    world: Rc<World<P>>,
    /// How it was reached first.
    parent: Option<(usize, Step)>,
    /// What comes next if nothing goes wrong any more.
    friendly: Option<usize>,
    /// What is wrong in it already.
    flaw: Option<Flaw>,
}

struct Graph<P: Policy> {
    nodes: Vec<Node<P>>,
    #[expect(clippy::disallowed_types, reason = "looked up and never iterated")]
    index: HashMap<Rc<World<P>>, usize>,
}

impl<P: Policy> Graph<P> {
    fn enter(&mut self, world: World<P>, parent: Option<(usize, Step)>) -> usize {
        if let Some(&known) = self.index.get(&world) {
            return known;
        }
        let flaw = world.flaw();
        let world = Rc::new(world);
        self.index.insert(Rc::clone(&world), self.nodes.len());
        self.nodes.push(Node { world, parent, friendly: None, flaw });
        self.nodes.len() - 1
    }

    fn trace(&self, mut at: usize) -> String {
        let mut steps = Vec::new();
        while let Some((parent, step)) = self.nodes[at].parent {
            steps.push(step);
            at = parent;
        }
        let mut text = String::new();
        for step in steps.iter().rev() {
            let gap = if text.is_empty() { "" } else { ", " };
            let _ = write!(text, "{gap}{step}");
        }
        text
    }
}

/// Visits every state that the model can reach within its bounds. In each, looks for a flaw that is there already,
/// and for one that remains when from now on nothing goes wrong: every connection that is dead is noticed,
/// everything in flight arrives, the client comes back as its kind does, and deadlines pass.
///
/// The friendly steps are steps of the world as well, so the states on the way are shared, and the
/// verdict on each is found by following one pointer per state.
pub fn search<P: Policy>(model: &Model, policy: P) -> Found {
    #[expect(clippy::disallowed_types, reason = "looked up and never iterated")]
    let mut graph = Graph { nodes: Vec::new(), index: HashMap::default() };
    graph.enter(World::new(model, policy), None);
    let (mut states, mut steps, mut next) = (0, 0, 0);
    while next < graph.nodes.len() {
        let world = Rc::clone(&graph.nodes[next].world);
        if world.within(model) {
            states += 1;
            for step in world.enabled(model) {
                steps += 1;
                graph.enter(world.after(model, step), Some((next, step)));
            }
        }
        if let Some(step) = world.friendly(model) {
            let after = graph.enter(world.after(model, step), Some((next, step)));
            graph.nodes[next].friendly = Some(after);
        }
        next += 1;
    }
    let flaws = judge(model, &graph);
    Found { states, steps, flaws }
}

fn judge<P: Policy>(model: &Model, graph: &Graph<P>) -> BTreeMap<Flaw, String> {
    let mut ends: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut verdicts: BTreeMap<usize, Vec<Flaw>> = BTreeMap::new();
    let mut flaws = BTreeMap::new();
    for start in 0..graph.nodes.len() {
        let mut path = vec![start];
        let mut at = start;
        let end = loop {
            match (ends[at], graph.nodes[at].friendly) {
                (Some(end), _) => break end,
                (None, None) => break at,
                (None, Some(after)) => {
                    assert!(
                        path.len() < graph.nodes.len(),
                        "the friendly steps go round: {}",
                        graph.trace(start)
                    );
                    path.push(after);
                    at = after;
                }
            }
        };
        for node in path {
            ends[node] = Some(end);
        }
        if graph.nodes[start].world.within(model) {
            let verdict = verdicts.entry(end).or_insert_with(|| graph.nodes[end].world.verdict(model));
            for flaw in verdict.iter().copied().chain(graph.nodes[start].flaw) {
                flaws.entry(flaw).or_insert_with(|| graph.trace(start));
            }
        }
    }
    flaws
}
