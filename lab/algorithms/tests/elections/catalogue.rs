//! What every row of the catalogue promises, on random interleavings of small networks.

use crate::driver::Run;
use crate::networks::{self, Rng, Wiring};
use suffrage_algorithms::{Algorithm, AlgorithmVisitor, CATALOGUE, FORMS, Group, Parameters, Rule};
use suffrage_model::{Message, NetworkClass, Process};

/// Runs an algorithm on a wiring many times: random identities, initiators and interleavings.
struct Elections<'a> {
    row: &'a Algorithm,
    wiring: &'a Wiring,
    capacity: usize,
    seeds: u64,
}

impl AlgorithmVisitor for Elections<'_> {
    type Output = ();
    fn visit<P: Process>(self) {
        let n = self.wiring.len();
        for seed in 0..self.seeds {
            let mut rng = Rng(seed);
            let mut ids: Vec<u64> = (0..n as u64).collect(); // Zero is an identity like any other.
            rng.shuffle(&mut ids);
            let mut initiators: Vec<usize> = (0..n).collect();
            rng.shuffle(&mut initiators);
            initiators.truncate(1 + rng.below(n));
            let mut run = Run::<P>::new(self.wiring, &ids, &initiators, self.capacity);
            run.coins = Rng(seed);
            run.finish(1 + rng.below(2 * n), &mut rng);
            run.assert_elected(self.row);
        }
    }
}

/// The networks of size `n` on which an algorithm is tested.
pub(crate) fn networks_of(network: NetworkClass, n: usize, rng: &mut Rng) -> Vec<Wiring> {
    let mut wirings = match network {
        NetworkClass::OrientedComplete => vec![networks::oriented_complete(n)],
        NetworkClass::Complete => vec![networks::oriented_complete(n), networks::complete(n, rng)],
        NetworkClass::Tree => vec![networks::tree(n, rng), networks::tree(n, rng)],
        NetworkClass::Hypercube | NetworkClass::OrientedHypercube => vec![networks::hypercube(n)],
        NetworkClass::Mesh | NetworkClass::Torus | NetworkClass::OrientedTorus => {
            let size = network.rows_and_columns(n as u32).into_iter();
            let lattice = |(rows, columns): (u32, u32)| match network {
                NetworkClass::Mesh => networks::mesh(rows as usize, columns as usize),
                _ => networks::torus(rows as usize, columns as usize),
            };
            size.map(lattice).collect()
        }
        NetworkClass::OrientedRing
        | NetworkClass::HomonymRing
        | NetworkClass::Ring
        | NetworkClass::Connected => vec![networks::ring(n)],
    };
    if network == NetworkClass::Connected {
        wirings.extend([
            networks::tree(n, rng),
            networks::connected(n, rng),
            networks::complete(n, rng),
        ]);
    }
    wirings
}

#[test]
fn every_algorithm_elects_by_its_rule_within_its_bounds() {
    let mut rng = Rng(1);
    for row in Algorithm::asynchronous() {
        for n in 1..=12 {
            for wiring in &networks_of(row.network, n, &mut rng) {
                row.visit(Elections { row, wiring, capacity: usize::MAX, seeds: 40 });
            }
        }
    }
}

/// The setting of the source of Afek and Gafni's algorithm. Extinction and traversals by many tokens need
/// longer links, since they send many messages through one. So do algorithms that send both ways at will.
#[test]
fn links_that_hold_one_message_suffice_for_most() {
    let mut rng = Rng(2);
    for row in Algorithm::asynchronous() {
        for n in 1..=12 {
            let capacity = row.room.at(&Parameters::new(n as u64, 0, 0)) as usize;
            for wiring in &networks_of(row.network, n, &mut rng) {
                row.visit(Elections { row, wiring, capacity, seeds: 20 });
            }
        }
    }
}

#[test]
fn every_algorithm_belongs_to_one_group() {
    for row in Algorithm::all() {
        assert_eq!(Group::ALL.iter().filter(|group| group.has(row)).count(), 1, "{}", row.name);
    }
    let oriented: Vec<_> = Algorithm::all().filter(|row| row.network.is_oriented()).collect();
    assert!(!oriented.is_empty());
    for row in oriented {
        let unoriented = row.network.unoriented();
        assert!(unoriented != row.network && !unoriented.is_oriented(), "{}", row.name);
    }
}

#[test]
fn names_are_unique_and_in_kebab_case() {
    for (i, row) in Algorithm::all().enumerate() {
        let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase());
        assert!(row.name.split(['-', '@']).all(word), "{}", row.name);
        assert!(Algorithm::all().take(i).all(|other| other.name != row.name), "{}", row.name);
        assert_eq!(Algorithm::named(row.name).map(|found| found.name), Some(row.name));
    }
}

/// `NAME@FORM` differs from the algorithm `NAME` in a way that a command shows.
#[test]
fn every_form_is_one_of_an_algorithm_and_names_its_difference() {
    assert!(Algorithm::correct().all(|row| row.form.is_none() && row.base() == row.name));
    let bases = FORMS.iter().map(|row| CATALOGUE.iter().position(|of| of.name == row.base()));
    assert!(bases.clone().all(|base| base.is_some()) && bases.is_sorted(), "in their order");
    for row in FORMS {
        let form = row.form.expect("it is one");
        assert!(row.name.contains('@') && !form.difference.is_empty(), "{}", row.name);
        assert!(form.shown_by.contains(row.name), "{}: {}", row.name, form.shown_by);
        // A form that shares the file of its algorithm is described there.
        let headings: Vec<_> = row.sections().iter().map(|section| section.0).collect();
        let own = headings == ["Form", "Difference"];
        assert!(own || headings == HEADINGS, "{}: {headings:?}", row.name);
    }
}

const HEADINGS: [&str; 5] = ["Assumes", "Idea", "Cost", "Deviations", "Invariants"];

#[test]
fn every_header_has_a_title_a_citation_and_the_sections() {
    for row in Algorithm::correct() {
        let sections = row.sections();
        assert_eq!(sections.iter().map(|s| s.0).collect::<Vec<_>>(), HEADINGS, "{}", row.name);
        assert!(row.title().ends_with('.') && row.title().contains(": "), "{}", row.title());
        assert!(!row.citation().is_empty() && !row.citation().contains(row.title()));
        for text in sections.iter().map(|s| s.1.as_str()).chain([row.citation()]) {
            assert!(!text.is_empty() && text.trim() == text, "{}: {text:?}", row.name);
            // It is read in a terminal.
            assert!(!text.contains("](") && !text.contains("[`"), "{}: a link: {text}", row.name);
            let long = text.lines().find(|line| line.chars().count() > 100);
            assert_eq!(long, None, "{}: a line of more than 100 characters", row.name);
        }
        // Invariants have names, and what continues an item is indented.
        let (_, invariants) = &sections[4];
        let item = |line: &str| line.starts_with("- *") || line.starts_with("  ");
        assert!(invariants.lines().all(item), "{}: {invariants}", row.name);
    }
}

#[test]
fn a_phrase_of_what_is_known_is_said_once() {
    for row in Algorithm::correct() {
        let mut phrases = Vec::new();
        row.knows(&mut |phrase| phrases.push(phrase));
        // Without random choices, anonymous processes cannot elect.
        let needs = !matches!(row.claims.rule, Rule::Chance | Rule::MonteCarlo);
        let named = ["its identity", "its label"].iter().any(|name| phrases.contains(name));
        assert!(!needs || named, "{}: {phrases:?}", row.name);
        phrases.sort_unstable();
        assert!(phrases.windows(2).all(|two| two[0] != two[1]), "{}: {phrases:?}", row.name);
    }
}

/// Sizes in bytes: of a process, and of a message.
struct Sizes;

impl AlgorithmVisitor for Sizes {
    type Output = (usize, usize, usize);
    fn visit<P: Process>(self) -> Self::Output {
        (size_of::<P>(), size_of::<P::Msg>(), P::Msg::KINDS.len())
    }
}

#[test]
fn ten_million_processes_fit_in_memory() {
    for row in Algorithm::correct() {
        let (process, msg, kinds) = row.visit(Sizes);
        assert!(process <= 80, "{}: {process} bytes", row.name);
        // The weight of a link is two identities, a rank has four digits, and an identity may go
        // with two ways in a cube.
        let large =
            ["gallager-humblet-spira", "random-referees", "hyper-elect"].contains(&row.name);
        let most = if large { 20 } else { 16 };
        assert!(msg <= most, "{}: {msg} bytes", row.name);
        assert!(kinds <= 15, "{}: {kinds} kinds", row.name);
    }
    assert!(Algorithm::named("humblet").unwrap().visit(Sizes).0 <= 56);
}
