//! The catalogue of leader election algorithms, each written once, as its paper writes it.
//!
//! A file is an algorithm. Its header gives the source, what it assumes, the idea, the cost, the
//! deviations from the source and the invariants; then come its messages, its state and its
//! reactions, in the paper's words, and at the end its [`Claims`]. This file is the catalogue: one
//! row per algorithm. [`judge`] holds an ended election to the claims, for every engine.
#![no_std]

extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod announced;
mod catalogue;
mod claims;
pub mod complete;
mod custom;
mod divisors;
mod essay;
mod extinction;
pub mod graph;
mod harmonic;
mod invariant;
mod judge;
mod ports;
mod property;
mod queue;
mod race;
pub mod ring;
mod time;
pub mod tree;
mod violation;
pub mod wave;

pub use announced::{Announced, Msg as AnnouncedMsg};
#[cfg(feature = "serde")]
pub use catalogue::WireVisitor;
pub use catalogue::{Algorithm, Visitor};
pub use claims::{Bound, Claimed, Claims, Ending, Guarantee, Parameters, Problem, Rule};
pub use custom::Custom;
pub use essay::HEADINGS;
pub use extinction::{Extinction, Tagged};
pub use invariant::{Configuration, InTransit, Invariant, Node};
pub use judge::{Ended, FinalState, Leader, Sent, Verdict, judge};
pub use property::Property;
pub use race::{Race, Standing};
pub use time::{Rounds, Time};
pub use violation::Violation;

use suffrage_process::{Knowledge, Process};

/// Makes the catalogue from its rows: for each the process type, its file, its name and its paper.
/// The claims stand in the file.
macro_rules! catalogue {
    ($($tag:ident = $process:ty, $file:literal { $($field:ident: $value:expr,)* })*) => {
        /// Every algorithm, by network and age.
        pub static CATALOGUE: &[Algorithm] = &[$(Algorithm {
            network: <$process as Process>::NETWORK,
            knows: <<$process as Process>::Knows as Knowledge>::words,
            claims: <$process as Claimed>::CLAIMS,
            source: include_str!($file),
            tag: Tag::$tag,
            $($field: $value,)*
        }),*];

        #[derive(Clone, Copy)]
        enum Tag { $($tag),* }

        impl Algorithm {
            /// Passes the algorithm to a visitor, as a type.
            pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }

            /// Passes the algorithm to a visitor that needs messages which can leave the program.
            #[cfg(feature = "serde")]
            pub fn visit_wire<V: WireVisitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }
        }
    };
}

catalogue! {
    AllToAll = complete::AllToAll, "complete/all_to_all.rs" {
        name: "all-to-all",
        paper: "folklore",
        faulty: None,
    }
    Humblet = complete::Humblet, "complete/humblet.rs" {
        name: "humblet",
        paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
        faulty: None,
    }
    AfekGafni = complete::AfekGafni, "complete/afek_gafni.rs" {
        name: "afek-gafni",
        paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
        faulty: None,
    }
    Villadangos = Announced<complete::Villadangos>, "complete/villadangos.rs" {
        name: "villadangos",
        paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
        faulty: None,
    }
    VilladangosPublished = Announced<complete::Villadangos<false>>, "complete/villadangos.rs" {
        name: "villadangos-published",
        paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
        faulty: Some("deadlocks where a candidate hears of its successor before its predecessor"),
    }
    LeLann = Announced<ring::LeLann>, "ring/lelann.rs" {
        name: "lelann",
        paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
        faulty: None,
    }
    ChangRoberts = Announced<ring::ChangRoberts>, "ring/chang_roberts.rs" {
        name: "chang-roberts",
        paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
        faulty: None,
    }
    DolevKlaweRodeh = ring::DolevKlaweRodeh, "ring/dolev_klawe_rodeh.rs" {
        name: "dolev-klawe-rodeh",
        paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
        faulty: None,
    }
    TreeWave = tree::TreeWave, "tree/tree_wave.rs" {
        name: "tree-wave",
        paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
        faulty: None,
    }
    EchoExtinction = graph::EchoExtinction, "graph/echo_extinction.rs" {
        name: "echo-extinction",
        paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
        faulty: None,
    }
}
