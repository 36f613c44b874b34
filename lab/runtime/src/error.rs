//! Errors that end an election.

use suffrage_model::{Id, NetworkClass};
use suffrage_networks::wiring::Unsuited;

/// An error that leaves a node without an outcome.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElectionError {
    /// The algorithm is not correct on this network.
    #[error("{algorithm} needs a network of another kind: {wanted:?}")]
    Network {
        /// The algorithm.
        algorithm: String,
        /// The class of networks that it needs.
        wanted: NetworkClass,
    },
    /// The identities do not suit the algorithm.
    #[error(transparent)]
    Unsuited(#[from] Unsuited),
    /// The algorithm runs in rounds, which hosts do not have.
    #[error(
        "{0} runs in rounds, in which every message takes the same time, which no real network \
         does; run `{0}@alpha`, which is the same under a synchronizer (a process of your own: \
         `Synchronized`), or simulate it with `suffrage elect {0} --schedule rounds`"
    )]
    Rounds(String),
    /// A neighbour was restarted, and has lost its state of the election.
    #[error(
        "node {id} ({address}) crashed: the process there now is a new one, which has lost its \
         state; no algorithm of the catalogue survives that, so start all nodes again"
    )]
    Crashed {
        /// The node that crashed.
        id: Id,
        /// Its address.
        address: String,
    },
    /// This process was restarted in the middle of an election.
    #[error(
        "node {by} knows an earlier incarnation of this node: it crashed during the election, and \
         cannot come back without its memory; start all nodes again"
    )]
    Forgotten {
        /// The node that reports it.
        by: Id,
    },
    /// A node of this program was dropped during the election.
    #[error("node {0} was dropped during the election")]
    Dropped(Id),
    /// A task of the node did not finish: it panicked, or its runtime was shut down.
    #[error("a task of this node did not come to its end: {0}")]
    Task(String),
}
