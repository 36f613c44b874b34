//! What all programs of an election must agree about.

use crate::{Subject, digest::Digest};
use serde::{Deserialize, Serialize};
use std::{fmt, io};
use suffrage_networks::{
    Ports,
    parts::{Asked, EdgeList},
};
use suffrage_simulator::{
    Schedule,
    blocks::{Election, Identities, Network},
};

/// What all programs of an election must agree about: everything that determines its outcome, and how
/// it is divided. Programs that differ would exchange messages of different elections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms(Vec<(String, String)>);

/// The number of the form in which hosts tell each other messages and accounts, and in which checkpoints have
/// them. It is raised with every change of that form, and of what an algorithm does: `format.txt` has what
/// both depend on, and a test that says so.
pub(crate) const FORMAT: u32 = 1;

/// The length of a value from which on it is compared by its digest.
const LONG: usize = 1024;

/// Returns the version that is compared: builds of one version may differ.
fn version() -> String {
    format!("{}, format {FORMAT}", env!("CARGO_PKG_VERSION"))
}

impl Terms {
    /// Returns the terms of an election with this many workers on each host. What is large is compared
    /// by its SHA-256.
    ///
    /// Takes time linear in the size of the network, if it is stored, and in the number of identities,
    /// if they are listed.
    #[must_use]
    pub fn of<S: Subject + ?Sized>(algorithm: &S, election: &Election<'_>, workers: u32) -> Self {
        let Election { network, ids, wakes, pace, seed, event_limit } = election;
        let woken = match wakes {
            None => "all".to_owned(),
            Some(wakes) => {
                Digest::of(wakes.iter().flat_map(|&(tick, node)| [tick, node])).to_string()
            }
        };
        let ids = match ids {
            Identities::Listed(ids) => Digest::of(ids.iter().map(|id| id.get())).to_string(),
            Identities::Computed(ids) => ids.layout().to_string(),
        };
        let nodes = network.nodes();
        let network = match network {
            Network::Wired(wiring) => Digest::of_network(wiring).to_string(),
            Network::Implicit(implicit) => implicit.to_string(),
            // The file says the rest.
            Network::Partial(partial) => format!("{} links", partial.links()),
        };
        let term = |name: &str, value: &dyn fmt::Display| (name.to_owned(), value.to_string());
        Self(vec![
            term("the version of suffrage", &version()),
            term("the algorithm", &algorithm.name()),
            term("--schedule", &Schedule::Rounds(*pace)),
            term("--seed", seed),
            term("--workers", &workers),
            term("the number of nodes", &nodes),
            term("the network", &network),
            term("the identities", &ids),
            term("the initiators", &woken),
            // Mostly a consequence of the others.
            term("--event-limit", event_limit),
        ])
    }

    /// Returns the terms on which programs [read](crate::read) a file together, with this many workers on
    /// each host.
    ///
    /// A host that has not read a byte cannot say that its file has it: so each reads the whole file once,
    /// in a stream with as many threads, and compares the SHA-256 of its pieces.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(list: &EdgeList, asked: &Asked, workers: u32) -> io::Result<Self> {
        let digest = Digest::of_file(list.path(), workers)?;
        let read = Self(vec![("how the network is read".to_owned(), "in parts".to_owned())]);
        let ports = match asked.ports {
            Ports::Rotation => "rotation",
            Ports::Random => "random",
        };
        Ok(read
            .with("the version of suffrage", version())
            .with("--seed", asked.seed)
            .with("--workers", workers)
            .with("--ports", ports)
            .with("whether the diameter is measured", asked.diameter)
            .with("the nodes that are named", &asked.labels)
            .with("the file", digest))
    }

    /// Adds the terms on which the network was [read](Self::of_file).
    #[must_use]
    pub fn after(mut self, read: &Self) -> Self {
        let is_new = |(name, _): &&(String, String)| self.0.iter().all(|(known, _)| known != name);
        let new: Vec<_> = read.0.iter().filter(is_new).cloned().collect();
        self.0.extend(new);
        self
    }

    /// Adds a term. A long one is compared by its SHA-256.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl fmt::Display) -> Self {
        let value = value.to_string();
        let value = match value.len() {
            ..LONG => value,
            _ => Digest::of_bytes(value.as_bytes()).to_string(),
        };
        self.0.push((name.to_owned(), value));
        self
    }

    /// Returns the first difference from the terms of an election that was begun elsewhere, if there is
    /// one: how it is divided does not matter.
    #[must_use]
    pub fn same_election(&self, there: &Self) -> Option<Difference> {
        const DIVISION: [&str; 2] = ["--workers", "--hosts"];
        let without = |terms: &Self| {
            let mut terms = terms.clone();
            terms.0.retain(|(name, _)| !DIVISION.contains(&name.as_str()));
            terms
        };
        without(self).difference(&without(there))
    }

    /// Returns the first difference from the terms of another program, if there is one.
    #[must_use]
    pub fn difference(&self, there: &Self) -> Option<Difference> {
        let value = |terms: &Self, name: &str| {
            let mut all = terms.0.iter();
            all.find(|(other, _)| other == name)
                .map_or_else(String::new, |(_, value)| value.clone())
        };
        let names = self.0.iter().chain(&there.0).map(|(name, _)| name);
        let pairs = names.map(|name| (name, value(self, name), value(there, name)));
        pairs.filter(|(_, here, there)| here != there).map(Difference::of).next()
    }
}

/// A difference between the terms of two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs.
    pub name: String,
    /// What it is here.
    pub here: String,
    /// What it is there.
    pub there: String,
}

impl Difference {
    fn of((name, here, there): (&String, String, String)) -> Self {
        Self { name: name.clone(), here, there }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, here, there } = self;
        write!(f, "{name} differs: `{there}` there, `{here}` here")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use suffrage_algorithms::Algorithm;
    use suffrage_networks::{Ids, Spec, wiring::Wiring};
    use suffrage_simulator::Pace;

    #[test]
    fn terms_differ_where_elections_do_and_say_where() {
        let algorithm = Algorithm::named("echo-extinction").unwrap();
        let graph = |seed| {
            let spec: Spec = "erdos-renyi:30:0.3".parse().unwrap();
            spec.build(seed).unwrap().wire(Ports::Rotation, 1)
        };
        let (one, other, ids) = (graph(1), graph(2), Ids::Random.assign(30, 1));
        let again = graph(1);
        let election = |wiring| Election::new(Network::Wired(wiring), Identities::Listed(&ids));
        let terms = Terms::of(algorithm, &election(&one), 2);
        assert_eq!(terms.difference(&Terms::of(algorithm, &election(&again), 2)), None);
        let name = |there: &Terms| terms.difference(there).unwrap().name;
        assert_eq!(name(&Terms::of(algorithm, &election(&other), 2)), "the network");
        assert_eq!(name(&Terms::of(algorithm, &election(&one), 3)), "--workers");
        let seed = Election { seed: 9, ..election(&one) };
        assert_eq!(name(&Terms::of(algorithm, &seed, 2)), "--seed");
        let pace = Election { pace: Pace::Uniform(2), ..election(&one) };
        assert_eq!(name(&Terms::of(algorithm, &pace, 2)), "--schedule");
        let others = Ids::Random.assign(30, 2);
        let others = Election { ids: Identities::Listed(&others), ..election(&one) };
        assert_eq!(name(&Terms::of(algorithm, &others, 2)), "the identities");
        let some = Election { wakes: Some(vec![(0, 3)]), ..election(&one) };
        assert_eq!(name(&Terms::of(algorithm, &some, 2)), "the initiators");
        assert_eq!(name(&terms.clone().with("--hosts", "a:1")), "--hosts");
    }

    #[test]
    fn what_is_long_is_compared_and_not_sent() {
        let list =
            |last: &str| (0..20_000).map(|node| format!("{node},")).collect::<String>() + last;
        let of = |last| Terms(Vec::new()).with("the nodes that are named", list(last));
        assert_eq!(of("7").difference(&of("7")), None);
        assert!(of("7").difference(&of("8")).is_some());
        assert!(serde_json::to_vec(&of("7")).unwrap().len() < LONG);
        let short =
            Terms(Vec::new()).with("--hosts", "a:1").difference(&Terms(Vec::new())).unwrap();
        assert_eq!(short.here, "a:1");
    }

    #[test]
    fn port_numberings_are_part_of_the_network() {
        let all = [
            Wiring::ring(6),
            Wiring::ring_shuffled(6, 1),
            Wiring::ring_shuffled(6, 2),
            Wiring::complete(6),
            Wiring::complete_shuffled(6, 1),
            Wiring::ring(7),
        ];
        let digests: Vec<_> = all.iter().map(|one| Digest::of_network(one).to_string()).collect();
        for (place, digest) in digests.iter().enumerate() {
            assert!(!digests[..place].contains(digest), "{:?}", all[place]);
        }
    }
}
