#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod ballot_election;
pub mod bully;
mod catalogue;
pub mod electorate;
pub mod paxos_lease;
pub mod raft_election;
pub mod reconfiguration;
pub mod tenure;
pub mod value;
pub mod valued;
mod voters;

#[cfg(feature = "serde")]
pub use catalogue::WireProtocolVisitor;
pub use catalogue::{Protocol, ProtocolVisitor};

/// Creates the catalogue from its rows. Each row gives the type that runs, its file, and its
/// description.
macro_rules! catalogue {
    ($($tag:ident = $process:ty, $file:literal { $($field:ident: $value:expr,)* })*) => {
        /// Every protocol.
        pub static CATALOGUE: &[Protocol] = &[$(Protocol {
            source: include_str!($file),
            tag: Tag::$tag,
            $($field: $value,)*
        }),*];

        #[derive(Clone, Copy)]
        enum Tag { $($tag),* }

        impl Protocol {
            /// Passes the protocol to a visitor, as a type.
            pub fn visit<V: ProtocolVisitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }

            /// Passes the protocol to a visitor that needs messages which can leave the program.
            #[cfg(feature = "serde")]
            pub fn visit_wire<V: WireProtocolVisitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }
        }
    };
}

catalogue! {
    Tenure = tenure::Tenure, "tenure.rs" {
        name: "tenure",
        paper: "after P. Humblet, 1984; C. Gray, D. Cheriton, SOSP, 1989",
        faulty: None,
    }
    RaftElection = raft_election::RaftElection<false>, "raft_election.rs" {
        name: "raft-election",
        paper: "D. Ongaro, dissertation, Stanford University, 2014",
        faulty: Some("a leader that is cut off leads on until it notices, beside the next one"),
    }
    RaftLease = raft_election::RaftElection<true>, "raft_election.rs" {
        name: "raft-lease",
        paper: "D. Ongaro, dissertation, Stanford University, 2014, section 6.4.1",
        faulty: Some("a voter that restarts has forgotten whom it heard, and votes during a lease"),
    }
    PaxosLease = paxos_lease::PaxosLease, "paxos_lease.rs" {
        name: "paxos-lease",
        paper: "M. Trencseni, A. Gazso, H. Reinhardt, arXiv:1209.4187, 2012",
        faulty: Some("terms may go back, since acceptors that restart forget what they promised"),
    }
    BallotElection = ballot_election::BallotElection, "ballot_election.rs" {
        name: "ballot-election",
        paper: "H. Ng, S. Haridi, P. Carbone, EuroSys, 2023",
        faulty: Some("two may lead at a time, at different ballots"),
    }
    Bully = bully::Bully, "bully.rs" {
        name: "bully",
        paper: "H. Garcia-Molina, IEEE Transactions on Computers C-31(1), 1982",
        faulty: Some("two lead where a message is slow or lost, and terms do not grow"),
    }
}
