//! The terms on which all programs of an election must agree.

use crate::{TeamSubject, digest::Sha256};
use serde::{Deserialize, Serialize};
use std::{fmt, io};
use suffrage_networks::{
    Ports,
    parts::{EdgeList, PartRequest},
};
use suffrage_simulator::{
    Schedule,
    blocks::{Election, ElectionIds, ElectionNetwork},
};

/// The terms on which all programs of an election must agree: everything that determines its outcome and its division.
/// Programs that differ would exchange messages of different elections.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms(Vec<(String, String)>);

/// The number of the form in which hosts tell each other messages and accounts, and in which checkpoints have
/// them. It is raised with every change of that form, and of what an algorithm does: `format.txt` has what
/// both depend on, and a test that says so.
pub(crate) const FORMAT: u32 = 7;

/// The length of a value from which on it is compared by its digest.
const LONG: usize = 1024;

fn version() -> String {
    format!("{}, format {FORMAT}", env!("CARGO_PKG_VERSION"))
}

impl Terms {
    /// Returns the terms of an election with this many workers on each host. Large parts are compared by their SHA-256.
    ///
    /// Takes time linear in the size of the network, if it is stored, and in the number of identities,
    /// if they are listed.
    #[must_use]
    pub fn of<S: TeamSubject + ?Sized>(
        algorithm: &S,
        election: &Election<'_>,
        workers: u32,
    ) -> Self {
        let Election { network, ids, wakes, pace, seed, event_limit } = election;
        let woken = match wakes {
            None => "all".to_owned(),
            Some(wakes) => {
                Sha256::of(wakes.iter().flat_map(|&(tick, node)| [tick, node])).to_string()
            }
        };
        let ids = match ids {
            ElectionIds::Listed(ids) => Sha256::of(ids.iter().map(|id| id.get())).to_string(),
            ElectionIds::Computed(ids) => ids.layout().to_string(),
        };
        let nodes = network.nodes();
        let network = match network {
            ElectionNetwork::Wired(wiring) => Sha256::of_network(wiring).to_string(),
            ElectionNetwork::Implicit(implicit) => implicit.to_string(),
            // The file says the rest.
            ElectionNetwork::Partial(partial) => format!("{} links", partial.links()),
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
    pub fn of_file(list: &EdgeList, asked: &PartRequest, workers: u32) -> io::Result<Self> {
        let digest = Sha256::of_file(list.path(), workers)?;
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
            _ => Sha256::of_bytes(value.as_bytes()).to_string(),
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
        let mut pairs = names.map(|name| (name, value(self, name), value(there, name)));
        let (name, here, there) = pairs.find(|(_, here, there)| here != there)?;
        Some(Difference { name: name.clone(), here, there })
    }
}

/// A difference between the terms of two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the term that differs.
    pub name: String,
    /// Its value here.
    pub here: String,
    /// Its value there.
    pub there: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, here, there } = self;
        write!(f, "{name} differs: `{there}` there, `{here}` here")
    }
}

#[cfg(test)]
mod tests;
