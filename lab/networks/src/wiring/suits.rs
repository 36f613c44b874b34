//! Checks that every engine makes before an election: network, identities, initiators, capacity.

use super::Wiring;
use suffrage_model::{Id, NetworkClass};

/// The reason why an election cannot be held.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsuited {
    /// The algorithm is not correct on this network.
    #[error("the algorithm needs a network of another kind: {0:?}")]
    Network(NetworkClass),
    /// The number of identities is not the number of processes.
    #[error("{nodes} processes cannot have {ids} identities")]
    Ids {
        /// The number of identities given.
        ids: usize,
        /// The number of processes.
        nodes: u64,
    },
    /// Two processes have the same identity: the least such identity.
    #[error(
        "two processes have the identity {0}; identities must be distinct, except to an algorithm for \
         rings of homonyms"
    )]
    SameId(Id),
    /// The labels on a ring of homonyms repeat: the number of processes after which they do.
    #[error(
        "the labels repeat after every {} around the ring, so processes at that distance cannot \
         be distinguished; change the label of one process",
        match .0 { 1 => "process".to_owned(), period => format!("{period} processes") }
    )]
    Symmetric(usize),
    /// There is no initiator.
    #[error("an election needs at least one initiator")]
    NoInitiator,
    /// A process that does not exist is named.
    #[error("there is no process {node}: they are numbered from 0 to {}", nodes - 1)]
    UnknownProcess {
        /// The number of the process that is named.
        node: u64,
        /// The number of processes.
        nodes: u64,
    },
    /// The capacity of a link is 0, but it must hold at least one message.
    #[error("a link of capacity 0 carries nothing; the least capacity is 1")]
    NoRoom,
}

impl Wiring {
    /// Checks whether an algorithm for `network` can elect one of the processes with these
    /// identities, over links of this capacity (`None` for any).
    ///
    /// Takes time linear in the number of processes, or with a logarithmic factor where identities
    /// are far apart; stored networks are looked at whole.
    ///
    /// # Errors
    /// Returns an error that states what does not fit.
    pub fn suits(
        &self,
        network: NetworkClass,
        ids: &[Id],
        capacity: Option<u32>,
    ) -> Result<(), Unsuited> {
        if !self.fits(network) {
            return Err(Unsuited::Network(network));
        }
        Unsuited::check_ids(network, ids, self.nodes().into())?;
        if capacity == Some(0) {
            return Err(Unsuited::NoRoom);
        }
        Ok(())
    }

    /// Checks whether there is a process with this number.
    ///
    /// # Errors
    /// If there is not.
    pub fn has(&self, node: u32) -> Result<(), Unsuited> {
        Unsuited::check_node(node.into(), self.nodes().into())
    }
}

impl Unsuited {
    /// Checks whether `nodes` processes of an algorithm for `network` can have these identities: there
    /// are as many, and no two are the same or, on a ring of homonyms, they are asymmetric. Takes
    /// time as [`Wiring::suits`] does.
    ///
    /// # Errors
    /// If they cannot.
    pub fn check_ids(network: NetworkClass, ids: &[Id], nodes: u64) -> Result<(), Self> {
        if ids.len() as u64 != nodes {
            return Err(Self::Ids { ids: ids.len(), nodes });
        }
        match network {
            NetworkClass::HomonymRing => {
                period(ids).map_or(Ok(()), |period| Err(Self::Symmetric(period)))
            }
            _ => twice(ids).map_or(Ok(()), |twice| Err(Self::SameId(twice))),
        }
    }

    /// Checks whether there is a process with this number among `nodes` processes.
    ///
    /// # Errors
    /// If there is not.
    pub const fn check_node(node: u64, nodes: u64) -> Result<(), Self> {
        if node < nodes { Ok(()) } else { Err(Self::UnknownProcess { node, nodes }) }
    }
}

/// Returns the length of the least rotation that maps these labels around a ring to themselves, if it
/// is not the full one. Takes linear time.
pub(crate) fn period(labels: &[Id]) -> Option<usize> {
    // The length of the longest proper prefix that is also a suffix, of each prefix (D. E. Knuth,
    // J. H. Morris, V. R. Pratt, SIAM Journal on Computing 6(2), 1977).
    let mut borders = vec![0; labels.len()];
    for end in 1..labels.len() {
        let mut border = borders[end - 1];
        while border > 0 && labels[border] != labels[end] {
            border = borders[border - 1];
        }
        borders[end] = border + usize::from(labels[border] == labels[end]);
    }
    let period = labels.len() - borders.last()?;
    (period < labels.len() && labels.len().is_multiple_of(period)).then_some(period)
}

fn twice(ids: &[Id]) -> Option<Id> {
    let numbers = || ids.iter().map(|id| id.get());
    let greatest = numbers().max()?;
    // Sorting a million takes longer than many an election of a million.
    if let Some(words) = usize::try_from(greatest / 64).ok().filter(|&words| words < ids.len()) {
        let mut met = vec![0_u64; words + 1];
        let again = |&number: &u64| {
            let (word, bit) = (&mut met[(number / 64) as usize], 1 << (number % 64));
            let again = *word & bit != 0;
            *word |= bit;
            again
        };
        return numbers().filter(again).min().map(Id::new);
    }
    let mut sorted: Vec<u64> = numbers().collect();
    sorted.sort_unstable();
    sorted.windows(2).find(|two| two[0] == two[1]).map(|two| Id::new(two[0]))
}

#[cfg(test)]
mod tests;
