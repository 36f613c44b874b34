//! The theories of rings with FIFO links, of complete networks with positions and without, of connected networks with
//! FIFO links, and of trees.
//!
//! A ring is a circle. Processes stand on it, and messages are at points of it, on their way forward or back.
//! The axioms:
//!
//! 1. **Order.** Identities are totally ordered, and each belongs to one process. A value of type `Id` in a state or
//!    a message is the identity of a process.
//! 2. **Circle.** The points of the circle are in cyclic order: seen from any one, they are totally ordered. Each
//!    process stands at a point of its own.
//! 3. **Room.** Between any two points there is another one. A message is at a point at which no process stands,
//!    and no other message.
//! 4. **FIFO.** A message that moves forward can arrive at a process if nothing lies between: no process, and no
//!    message that moves forward. A process sends forward by putting a message at a point, such that nothing lies
//!    between. Back is the same the other way round.
//! 5. **Directions.** On an oriented ring port 0 leads forward, and port 1 back. Otherwise it may be the other way
//!    round at any process.
//! 6. **Asynchrony.** At any moment a process that is asleep may wake, or any message arrive that can.
//! 7. **Finiteness.** If some process has woken, one of those that have has the smallest identity, and one the
//!    largest. So it is with each set of processes that the record of a proof names. It is used for what follows
//!    from invariants, and for no invariant.
//!
//! 20. **Numbers.** Processes, and messages under way, are finitely many. So if equations say that as many of one kind are
//!     there as of another, and one counts on one side more often than on the other, there is another one that does
//!     so on the other side. The same is used of the processes in an equation's premise, counted together.
//! 21. **Nearness.** If another process than the one that reacts is in a set that the record names, one of them comes first
//!     on the way forward from there, and one last. It is used to show that a reaction is impossible, where invariants
//!     are equations.
//!
//! In a complete network with positions the processes stand on the circle in the order of their positions. There
//! Order, Circle, Asynchrony and Finiteness hold as above, and instead of the others:
//!
//! 8. **Destination.** A message goes to one process, and can arrive there at any moment, whatever else is under way.
//!    Its point on the circle means nothing; no two messages have the same.
//! 9. **Positions.** A value of type `Place` in a state or a message is the position of a process. Port 0 leads to the
//!    next process forward: none stands between, and it is the process itself only where that is alone. The port
//!    from a position to another one leads to the process there.
//!
//! In a complete network without positions Order, Asynchrony, Finiteness and Destination hold as above, and:
//!
//! 10. **Ports.** Each port of a process leads to another process, and no two to the same. So a port stands for the
//!     process to which it leads: in a state it is that process, and a message that comes through it comes from there.
//!     A message to all is at some places, at no more than one for each other process. Where states have sets of ports,
//!     it is one message to each other process; elsewhere no more is known, and that leaves more possible.
//! 11. **First ports.** First ports are a set of processes, none of them the process itself. With the next port they
//!     are the same with one process more, which is another one than the process, and was not in the set. If there is
//!     no next port, they are all others, and a majority. Nothing else is known of their number: what comes after one more port is any
//!     process that was not in the set.
//! 12. **Majorities.** Of two processes whose first ports are majorities there is a process that belongs to both: it is
//!     one of the two, or in its set. It is used for what follows from invariants, of the processes that are named
//!     there.
//!
//! In any connected network Order, Asynchrony, Finiteness, Destination and Ports hold as above, and:
//!
//! 13. **Links.** Some processes are neighbours: none of itself, and if one is of another, then also the other way
//!     round. Each port leads to a neighbour, and each message comes from one. A process that is not alone has one. A
//!     message to all is one message to each neighbour and to no other process; one neighbour may be excepted.
//! 14. **FIFO on links.** All messages are in the order in which they were sent. A message can arrive if no message that
//!     was sent before is under way between the same two processes in the same direction.
//! 15. **Sets of ports.** A set of ports is a set of neighbours. It can be asked whether a port is in it, whether it is
//!     empty, and which port is alone in it; and a port can be taken out. A complete network has such sets, too. The
//!     process that runs may keep only the number of ports in a set, or their number and their sum. Here it has the set
//!     itself. A reaction that takes out a port which is not in the set must be impossible: then the number and the sum
//!     are right.
//!
//! 16. **Connectedness.** If some process is in a set that the record of a proof names, and some is not, two such
//!     processes are neighbours. It is used for what follows from invariants, and for no invariant.
//!
//! A tree is such a network, and:
//!
//! 17. **Sides.** Each link has two sides. Each process is on one of them, and each end of the link on its own. What is
//!     beyond a further link of an end is on the side of this end.
//! 18. **Ways.** Of any two processes the first has a neighbour such that the second is beyond the link between
//!     these. It is used of the process that reacts, and of the processes that are named.
//!
//! 19. **Depth.** If there is a link in a set of links that the record names, there is one from whose end none in the
//!     set leads on: it has the fewest processes beyond it. It is used as Connectedness is.
//!
//! They are true of the two parts into which a tree falls without a link.
//!
//! The axioms of majorities are true: if the first `k` ports and the process itself are more than half of `n`, and the first `l` and
//! another one are, then these are more than `n` together. And with `n - 1` ports, all are first ones, and `n` is more
//! than half of `n`.
//!
//! A ring of one process is such a ring, and one of two processes, too: only orders are spoken of, and no lengths.
//!
//! In a problem the circle is cut at its first process, where it becomes a line: this is what `Before` orders.

use crate::ground::{Atom, Clauses, GroundFormula, GroundProblem, NodeNumber, Spot};
use crate::sat::Literal;
use std::collections::BTreeMap;
use suffrage_algorithms::assertion::RingDirection;

/// Adds what is true of all networks: the first three axioms, what the next process is, and that what is the same has
/// the same properties. All other atoms of the problem must be known.
pub(crate) fn axioms(clauses: &mut Clauses, problem: &GroundProblem) {
    next(clauses, problem.nodes.len());
    let nodes: Vec<Spot> = (0..problem.nodes.len()).map(Spot::Of).collect();
    let spots: Vec<Spot> =
        nodes.iter().copied().chain((0..problem.points.len()).map(Spot::At)).collect();
    for (number, &one) in spots.iter().enumerate() {
        for &other in &spots[number + 1..] {
            let pair = [before(clauses, one, other), before(clauses, other, one)];
            match (one, other) {
                (Spot::Of(a), Spot::Of(b)) => {
                    let same = clauses.atom(&Atom::Same(one, other));
                    exactly_one(clauses, &[pair[0], pair[1], same]);
                    let smaller = clauses.atom(&Atom::Smaller(a, b));
                    let larger = clauses.atom(&Atom::Smaller(b, a));
                    exactly_one(clauses, &[smaller, larger, same]);
                }
                (Spot::At(_), Spot::At(_)) => {
                    let same = clauses.atom(&Atom::Same(one, other));
                    exactly_one(clauses, &[pair[0], pair[1], same]);
                }
                _ => exactly_one(clauses, &pair),
            }
        }
    }
    for &one in &spots {
        for &other in spots.iter().filter(|&&other| other != one) {
            for &third in spots.iter().filter(|&&third| third != one && third != other) {
                // A third one is after the first, or before the second.
                let order = [(one, other), (one, third), (third, other)];
                let [whole, first, second] = order.map(|(a, b)| before(clauses, a, b));
                clauses.clause(vec![-whole, first, second]);
                if let (Spot::Of(a), Spot::Of(b), Spot::Of(c)) = (one, other, third) {
                    let order = [(a, b), (a, c), (c, b)];
                    let smaller = |(a, b)| Atom::Smaller(a, b);
                    let [whole, first, second] = order.map(|pair| clauses.atom(&smaller(pair)));
                    clauses.clause(vec![-whole, first, second]);
                }
            }
        }
    }
    if let Some(&cut) = nodes.first() {
        for &spot in &spots[1..] {
            let literal = before(clauses, spot, cut);
            clauses.clause(vec![-literal]);
        }
    }
    congruence(clauses);
    if problem.links.is_some() {
        links(clauses, problem.nodes.len());
    }
}

/// Neighbours are two, those of a process that is the same are the same, and ports and messages lead to them.
fn links(clauses: &mut Clauses, nodes: usize) {
    let mut atoms: Vec<(Atom, Literal)> =
        clauses.atoms.iter().map(|(atom, &literal)| (atom.clone(), literal)).collect();
    atoms.sort_unstable_by_key(|&(_, literal)| literal);
    for (atom, literal) in &atoms {
        if let Atom::Contains(_, _, node, to) = *atom {
            let near = near(clauses, node, to);
            clauses.clause([-literal].into_iter().chain(near).collect());
        }
        let Atom::Carried(name, 0, point, to) = *atom else { continue };
        for (other, from) in (0..nodes).map(|from| (Atom::Carried(name, 1, point, from), from)) {
            let Some(&other) = clauses.atoms.get(&other) else { continue };
            let near = near(clauses, from, to);
            clauses.clause([-literal, -other].into_iter().chain(near).collect());
        }
    }
    for one in 0..nodes {
        for other in (0..nodes).filter(|&other| other != one) {
            let same = same(clauses, one, other);
            let joined = near(clauses, one, other).expect("two");
            clauses.clause(vec![-joined, -same]);
            for third in (0..nodes).filter(|&third| third != one && third != other) {
                let pair = [one, other].map(|of| near(clauses, of, third).expect("two"));
                clauses.clause(vec![-same, -pair[0], pair[1]]);
            }
        }
    }
    if atoms.iter().any(|(atom, _)| matches!(atom, Atom::Beyond(..))) {
        sides(clauses, nodes);
    }
}

/// Each link of a tree has two sides, and each process is on one of them.
fn sides(clauses: &mut Clauses, nodes: usize) {
    let others = |of: NodeNumber| (0..nodes).filter(move |&other| other != of);
    for from in 0..nodes {
        for to in others(from) {
            let joined = near(clauses, from, to).expect("two");
            for of in 0..nodes {
                let side = clauses.atom(&Atom::Beyond(from, to, of));
                let back = clauses.atom(&Atom::Beyond(to, from, of));
                clauses.clause(vec![-joined, side, back]);
                clauses.clause(vec![-joined, -side, -back]);
                if of == to {
                    clauses.clause(vec![-joined, side]);
                }
                // What is beyond a further link is beyond this one.
                for next in others(to).filter(|&next| next != from) {
                    let onwards = near(clauses, to, next).expect("two");
                    let further = clauses.atom(&Atom::Beyond(to, next, of));
                    let home = same(clauses, from, next);
                    clauses.clause(vec![-joined, -onwards, home, -further, side]);
                }
                for other in 0..nodes {
                    let places =
                        [(from, [other, to, of]), (to, [from, other, of]), (of, [from, to, other])];
                    for (one, [a, b, c]) in places {
                        if one != other && a != b {
                            let same = same(clauses, one, other);
                            let there = clauses.atom(&Atom::Beyond(a, b, c));
                            clauses.clause(vec![-same, -side, there]);
                        }
                    }
                }
            }
        }
    }
}

fn same(clauses: &mut Clauses, one: NodeNumber, other: NodeNumber) -> Literal {
    clauses.atom(&Atom::Same(Spot::Of(one.min(other)), Spot::Of(one.max(other))))
}

/// That two are neighbours; none if they are one.
fn near(clauses: &mut Clauses, one: NodeNumber, other: NodeNumber) -> Option<Literal> {
    (one != other).then(|| clauses.atom(&Atom::Near(one.min(other), one.max(other))))
}

/// Before the next process forward there is no other one; a process is its own next one only where it is alone.
fn next(clauses: &mut Clauses, nodes: usize) {
    let mut pairs: Vec<_> = clauses.atoms.keys().cloned().collect();
    pairs.retain(|atom| matches!(atom, Atom::Next(..)));
    pairs.sort_unstable_by_key(|pair| clauses.atoms[pair]);
    for pair in pairs {
        let Atom::Next(one, another) = pair else { continue };
        for node in 0..nodes {
            let [from, at, to] = [one, node, another].map(Spot::Of);
            let is_not = GroundFormula::Is(pair.clone(), false);
            let between = GroundFormula::between(from, at, to, false);
            let apart = GroundFormula::same_node(one, another, false);
            let alone = GroundFormula::same_node(node, one, true);
            clauses.add(&GroundFormula::Any(vec![is_not.clone(), between]));
            clauses.add(&GroundFormula::Any(vec![is_not, apart, alone]));
        }
    }
}

fn before(clauses: &mut Clauses, one: Spot, other: Spot) -> Literal {
    clauses.atom(&Atom::Before(one, other))
}

fn exactly_one(clauses: &mut Clauses, of: &[Literal]) {
    clauses.clause(of.to_vec());
    for (number, one) in of.iter().enumerate() {
        for other in &of[..number] {
            clauses.clause(vec![-one, -other]);
        }
    }
}

/// What is the same has the same properties; and a value, and what is at a point, is one.
fn congruence(clauses: &mut Clauses) {
    let mut atoms: Vec<(Atom, Literal)> =
        clauses.atoms.iter().map(|(atom, &literal)| (atom.clone(), literal)).collect();
    atoms.sort_unstable_by_key(|&(_, literal)| literal);
    // A message takes the point.
    let taken: Vec<(Atom, Literal)> = atoms
        .iter()
        .filter_map(|(atom, literal)| match atom {
            Atom::Message(way, _, point) => Some((Atom::Taken(*way, *point), *literal)),
            _ => None,
        })
        .collect();
    for (atom, literal) in taken {
        let known = clauses.atoms.contains_key(&atom);
        let taken = clauses.atom(&atom);
        clauses.clause(vec![-literal, taken]);
        if !known {
            atoms.push((atom, taken));
        }
    }
    // No port leads home.
    for (atom, literal) in &atoms {
        if let Atom::Contains(_, _, node, to) = *atom {
            let apart = apart(clauses, &[Spot::Of(node)], &[Spot::Of(to)]);
            clauses.clause([&apart[..], &[-literal]].concat());
        }
    }
    let mut described: BTreeMap<Predicate, Vec<Said>> = BTreeMap::new();
    for (atom, literal) in &atoms {
        if let Some((subject, spots)) = describe(atom) {
            described.entry(subject).or_default().push((spots, *literal));
        }
    }
    for (subject, all) in &described {
        let fixed = match subject {
            Predicate::Value(..) | Predicate::Carried(..) => Some(1),
            _ => None,
        };
        for (number, (spots, literal)) in all.iter().enumerate() {
            for (others, other) in &all[..number] {
                let apart = apart(clauses, spots, others);
                clauses.clause([&apart[..], &[-literal, *other]].concat());
                clauses.clause([&apart[..], &[*literal, -other]].concat());
                if let Some(fixed) = fixed {
                    functional(
                        clauses,
                        fixed,
                        &(spots.clone(), *literal),
                        &(others.clone(), *other),
                    );
                }
            }
        }
    }
    // At a point there is one message: none of another name, and none that moves the other way.
    let messages: Vec<_> =
        described.iter().filter(|(subject, _)| matches!(subject, Predicate::Message(..))).collect();
    for (number, (_, all)) in messages.iter().enumerate() {
        for (_, others) in &messages[..number] {
            for (spots, literal) in *all {
                for (other_spots, other) in *others {
                    let mut clause = apart(clauses, &spots[..1], &other_spots[..1]);
                    clause.extend([-literal, -other]);
                    clauses.clause(clause);
                }
            }
        }
    }
}

/// Spots, and the literal that says something about them.
type Said = (Vec<Spot>, Literal);

/// What an atom says, without the spots about which it says so.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Predicate {
    Says(&'static str),
    Value(&'static str, usize),
    PortOne(&'static str, usize),
    Turned,
    Next,
    Contains(&'static str, usize),
    Most(&'static str, usize),
    After(u32),
    Majority(u32),
    ToAll,
    ToOne,
    Asleep,
    Woke,
    Message(RingDirection, &'static str),
    Carried(&'static str, usize),
    Taken(RingDirection),
    Sent(&'static str),
}

fn describe(atom: &Atom) -> Option<(Predicate, Vec<Spot>)> {
    let with = |first: Spot, rest: &[usize]| {
        std::iter::once(first).chain(rest.iter().copied().map(Spot::Of)).collect()
    };
    Some(match atom {
        Atom::Same(..)
        | Atom::Smaller(..)
        | Atom::Before(..)
        | Atom::Near(..)
        | Atom::Beyond(..)
        | Atom::Total(..) => return None,
        Atom::Says(name, node) => (Predicate::Says(name), vec![Spot::Of(*node)]),
        Atom::Value(name, at, node, value) => {
            (Predicate::Value(name, *at), vec![Spot::Of(*node), Spot::Of(*value)])
        }
        Atom::PortOne(name, at, node) => (Predicate::PortOne(name, *at), vec![Spot::Of(*node)]),
        Atom::Turned(node) => (Predicate::Turned, vec![Spot::Of(*node)]),
        Atom::Next(one, next) => (Predicate::Next, vec![Spot::Of(*one), Spot::Of(*next)]),
        Atom::Contains(name, at, node, to) => {
            (Predicate::Contains(name, *at), vec![Spot::Of(*node), Spot::Of(*to)])
        }
        Atom::Most(name, at, node) => (Predicate::Most(name, *at), vec![Spot::Of(*node)]),
        Atom::After(first, to) => (Predicate::After(*first), vec![Spot::Of(*to)]),
        Atom::Majority(first) => (Predicate::Majority(*first), Vec::new()),
        Atom::ToAll(point) => (Predicate::ToAll, vec![Spot::At(*point)]),
        Atom::ToOne(point, to) => (Predicate::ToOne, vec![Spot::At(*point), Spot::Of(*to)]),
        Atom::Asleep(node) => (Predicate::Asleep, vec![Spot::Of(*node)]),
        Atom::Woke(node) => (Predicate::Woke, vec![Spot::Of(*node)]),
        Atom::Message(way, name, point) => (Predicate::Message(*way, name), vec![Spot::At(*point)]),
        Atom::Carried(name, at, point, node) => {
            (Predicate::Carried(name, *at), vec![Spot::At(*point), Spot::Of(*node)])
        }
        Atom::Taken(way, point) => (Predicate::Taken(*way), vec![Spot::At(*point)]),
        Atom::Sent(name, node, values) => (Predicate::Sent(name), with(Spot::Of(*node), values)),
    })
}

/// Literals for "these spots differ": one for each pair, and at least one of them is true if so.
fn apart(clauses: &mut Clauses, one: &[Spot], other: &[Spot]) -> Vec<Literal> {
    let pairs = one.iter().zip(other).filter(|(one, other)| one != other);
    pairs.map(|(&one, &other)| -clauses.atom(&Atom::Same(one.min(other), one.max(other)))).collect()
}

/// Of two that agree in the first spots, the others are the same.
fn functional(clauses: &mut Clauses, fixed: usize, one: &Said, other: &Said) {
    let mut clause = apart(clauses, &one.0[..fixed], &other.0[..fixed]);
    clause.extend([-one.1, -other.1]);
    for (&value, &another) in one.0[fixed..].iter().zip(&other.0[fixed..]) {
        if value != another {
            let same = clauses.atom(&Atom::Same(value.min(another), value.max(another)));
            clauses.clause([&clause[..], &[same]].concat());
        }
    }
}
