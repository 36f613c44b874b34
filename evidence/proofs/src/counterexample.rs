//! Counterexamples to induction, in words.

use crate::ground::{Atom, GroundProblem, Solution, Spot};
use crate::system::{RingReaction, System, each};
use std::fmt::Write;
use suffrage_algorithms::assertion::RingDirection;

/// Returns a configuration that has all invariants, and the reaction that breaks one.
pub(crate) fn describe(
    system: &System<'_>,
    problem: &GroundProblem,
    solution: &Solution,
    reaction: Option<RingReaction<'_>>,
) -> String {
    let same = |one: Spot, other: Spot| {
        one == other || solution.is(&Atom::Same(one.min(other), one.max(other)))
    };
    let mut spots: Vec<(Spot, Vec<&str>)> = Vec::new();
    let nodes = (0..problem.nodes.len()).map(|node| (Spot::Of(node), &problem.nodes[node]));
    let points = (0..problem.points.len()).map(|point| (Spot::At(point), &problem.points[point]));
    for (spot, name) in nodes.chain(points) {
        match spots.iter_mut().find(|(known, _)| same(*known, spot)) {
            Some((_, names)) if names.contains(&name.as_str()) => {}
            Some((_, names)) => names.push(name),
            None => spots.push((spot, vec![name])),
        }
    }
    spots.sort_by(|(one, _), (other, _)| {
        let before = |one, other| solution.is(&Atom::Before(one, other));
        before(*other, *one).cmp(&before(*one, *other))
    });
    let rank = |node: usize| {
        let smaller = |spot: &Spot| match *spot {
            Spot::Of(other) => other != node && solution.is(&Atom::Smaller(other, node)),
            Spot::At(_) => false,
        };
        1 + spots.iter().filter(|(spot, _)| smaller(spot)).count()
    };
    let mut text = String::new();
    for (spot, names) in &spots {
        match *spot {
            Spot::Of(node) => {
                let state = state(system, solution, node, problem.nodes.len(), &rank);
                let _ = write!(text, "    process {}: {state}", rank(node));
            }
            Spot::At(point) => match message(system, solution, point, problem.nodes.len(), &rank) {
                Some(message) => text += &format!("      {message}"),
                None => continue,
            },
        }
        let _ = writeln!(text, "  ({})", names.join(", "));
    }
    if let Some(reaction) = reaction {
        let _ = writeln!(text, "    then: {reaction}");
    }
    text
}

fn state(
    system: &System<'_>,
    solution: &Solution,
    node: usize,
    nodes: usize,
    rank: &dyn Fn(usize) -> usize,
) -> String {
    let mut words = Vec::new();
    for (name, kinds) in &system.facts {
        if !solution.is(&Atom::Says(name, node)) {
            continue;
        }
        let mut word = (*name).to_owned();
        for at in 0..kinds.len() {
            let is = |value: &usize| solution.is(&Atom::Value(name, at, node, *value));
            if let Some(value) = (0..nodes).find(is) {
                let _ = write!(word, " {}", rank(value));
            }
        }
        words.push(word);
    }
    words.extend(solution.is(&Atom::Woke(node)).then(|| "woke".to_owned()));
    words.extend(solution.is(&Atom::Asleep(node)).then(|| "asleep".to_owned()));
    words.join(", ")
}

fn message(
    system: &System<'_>,
    solution: &Solution,
    point: usize,
    nodes: usize,
    rank: &dyn Fn(usize) -> usize,
) -> Option<String> {
    for &name in system.messages.keys() {
        let count = system.named_by(name);
        for (way, arrow) in [(RingDirection::Forward, "forward"), (RingDirection::Back, "back")] {
            let choices = (0..count).fold(vec![vec![0; count]], |all, at| each(all, at, nodes));
            let is =
                |values: &Vec<usize>| solution.is(&Atom::Message(way, name, point, values.clone()));
            if let Some(values) = choices.into_iter().find(is) {
                let values: Vec<_> = values.iter().map(|&node| rank(node).to_string()).collect();
                return Some(format!("{name}({}) on its way {arrow}", values.join(", ")));
            }
        }
    }
    None
}
