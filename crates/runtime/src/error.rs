//! Why an election has no outcome here.

use suffrage_process::{Id, NetworkClass};

/// Why an election has no outcome here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ElectionError {
    /// The algorithm is not correct on this network.
    #[error("{algorithm} needs a network of another kind: {wanted:?}")]
    Network {
        /// The algorithm.
        algorithm: String,
        /// What it needs.
        wanted: NetworkClass,
    },
    /// A neighbour was restarted: it has forgotten its part in the election.
    #[error(
        "node {id} ({address}) crashed: the process that is there now is another one, which has \
         forgotten its part; no algorithm of the catalogue survives that, so start all nodes again"
    )]
    Crashed {
        /// Who crashed.
        id: Id,
        /// Where it is.
        address: String,
    },
    /// This process was restarted in the middle of an election.
    #[error(
        "node {by} knows an earlier incarnation of this node: it crashed during the election, and \
         cannot come back without its memory; start all nodes again"
    )]
    Forgotten {
        /// Who says so.
        by: Id,
    },
    /// A node of this program was dropped during the election.
    #[error("node {0} was dropped during the election")]
    Dropped(Id),
    /// The task that ran the process is gone: its runtime was shut down, or a reaction panicked.
    #[error("the process did not come to its end: {0}")]
    Task(String),
}
