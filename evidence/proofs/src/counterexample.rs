//! Counterexamples to induction, drawn: the ring from top to bottom, and one step from left to right.

use crate::ground::{Atom, GroundProblem, Solution, Spot};
use crate::system::{RingReaction, System, When};
use std::fmt::Write;
use suffrage_algorithms::assertion::RingDirection;

/// Returns a configuration that has all invariants, and the reaction that breaks one with the configuration after it; or
/// the first configuration, where that does not have one.
pub(crate) fn describe(
    system: &System<'_>,
    problem: &GroundProblem,
    solution: &Solution,
    now: When<'_>,
    reaction: Option<RingReaction<'_>>,
) -> String {
    let drawing = StepDrawing { system, solution, nodes: problem.nodes.len() };
    let spots = drawing.spots(problem);
    let rank = |node: usize| {
        let smaller = |spot: &Spot| match *spot {
            Spot::Of(other) => other != node && solution.is(&Atom::Smaller(other, node)),
            Spot::At(_) => false,
        };
        1 + spots.iter().filter(|(spot, _)| smaller(spot)).count()
    };
    // Problems about a reaction begin with it, and so it names processes and places by the same numbers again.
    let change = reaction.map(|reaction| system.react(reaction, &mut GroundProblem::default()));
    let heading = if matches!(now, When::Start(..)) { "at first" } else { "before" };
    let columns = [Some(now), change.map(When::After)];
    let mut lines = vec![([heading.to_owned(), "after".to_owned()], String::new())];
    for (spot, names) in &spots {
        let drawn = columns.each_ref().map(|now| {
            now.as_ref().map_or_else(String::new, |now| drawing.spot(*spot, now, &rank))
        });
        if drawn.iter().any(|column| !column.is_empty()) {
            lines.push((drawn, names.join(", ")));
        }
    }
    let width = |column: usize| lines.iter().map(|(drawn, _)| drawn[column].len()).max();
    let widths = [0, 1].map(|column| width(column).unwrap_or(0));
    let mut text = String::new();
    for ([before, after], names) in &lines {
        let line = match reaction {
            Some(_) => {
                format!("    {before:<0$}    {after:<1$}    {names}", widths[0], widths[1])
            }
            None => format!("    {before:<0$}    {names}", widths[0]),
        };
        let _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(reaction) = reaction {
        let _ = writeln!(text, "    by: {reaction}");
    }
    text
}

/// What is drawn.
struct StepDrawing<'a> {
    system: &'a System<'a>,
    solution: &'a Solution,
    nodes: usize,
}

impl StepDrawing<'_> {
    /// Returns the processes and places in the order of the ring, each with its names.
    fn spots<'p>(&self, problem: &'p GroundProblem) -> Vec<(Spot, Vec<&'p str>)> {
        let mut spots: Vec<(Spot, Vec<&str>)> = Vec::new();
        let nodes = (0..problem.nodes.len()).map(|node| (Spot::Of(node), &problem.nodes[node]));
        let points =
            (0..problem.points.len()).map(|point| (Spot::At(point), &problem.points[point]));
        for (spot, name) in nodes.chain(points) {
            match spots.iter_mut().find(|(known, _)| self.solution.are_same(*known, spot)) {
                Some((_, names)) if names.contains(&name.as_str()) => {}
                Some((_, names)) => names.push(name),
                None => spots.push((spot, vec![name])),
            }
        }
        spots.sort_by(|(one, _), (other, _)| {
            let before = |one, other| self.solution.is(&Atom::Before(one, other));
            before(*other, *one).cmp(&before(*one, *other))
        });
        spots
    }

    /// Draws a process, or the message at a place; nothing if there is none.
    fn spot(&self, spot: Spot, now: &When<'_>, rank: &dyn Fn(usize) -> usize) -> String {
        let is = |atom| self.solution.holds(&now.atom(atom, true));
        match spot {
            Spot::Of(node) => format!("{} {}", rank(node), self.state(node, &is, rank)),
            Spot::At(point) => self.message(point, &is, rank).unwrap_or_default(),
        }
    }

    fn state(
        &self,
        node: usize,
        is: &dyn Fn(Atom) -> bool,
        rank: &dyn Fn(usize) -> usize,
    ) -> String {
        let mut words = Vec::new();
        for (name, kinds) in &self.system.facts {
            if !is(Atom::Says(name, node)) {
                continue;
            }
            let mut word = (*name).to_owned();
            for at in 0..kinds.len() {
                let value = |value: &usize| is(Atom::Value(name, at, node, *value));
                if let Some(value) = (0..self.nodes).find(value) {
                    let _ = write!(word, " {}", rank(value));
                }
                let mut led_to: Vec<usize> = (0..self.nodes)
                    .filter(|&value| is(Atom::Contains(name, at, node, value)))
                    .map(rank)
                    .collect();
                led_to.sort_unstable();
                led_to.dedup();
                led_to.iter().for_each(|to| {
                    let _ = write!(word, " {to}");
                });
                if is(Atom::Most(name, at, node)) {
                    word += " most";
                }
            }
            words.push(word);
        }
        words.extend(is(Atom::Woke(node)).then(|| "woke".to_owned()));
        words.extend(is(Atom::Asleep(node)).then(|| "asleep".to_owned()));
        words.join(", ")
    }

    fn message(
        &self,
        point: usize,
        is: &dyn Fn(Atom) -> bool,
        rank: &dyn Fn(usize) -> usize,
    ) -> Option<String> {
        for &name in self.system.messages.keys() {
            for (way, arrow) in [(RingDirection::Forward, 'v'), (RingDirection::Back, '^')] {
                if !is(Atom::Message(way, name, point)) {
                    continue;
                }
                let value = |at| {
                    let carries = |node: &usize| is(Atom::Carried(name, at, point, *node));
                    (0..self.nodes)
                        .find(carries)
                        .map_or("_".to_owned(), |node| rank(node).to_string())
                };
                let values: Vec<_> = (0..self.system.named_by(name)).map(value).collect();
                let (ends, named) = values.split_at(self.system.ends());
                let named = named.join(", ");
                return Some(match ends {
                    [to] => format!("{name}({named}) to {to}"),
                    [to, from] => format!("{name}({named}) from {from} to {to}"),
                    _ => format!("{arrow} {name}({named})"),
                });
            }
        }
        None
    }
}
