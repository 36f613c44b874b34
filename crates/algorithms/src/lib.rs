//! The catalogue of leader election algorithms, each written once, as its paper writes it.
//!
//! A file is an algorithm. Its header tells where it comes from, what it assumes, the idea, the
//! cost, the deviations from the source and the invariants; then come its messages, its state and
//! its reactions, in the paper's words. This file is the catalogue: one row per algorithm.
#![no_std]

extern crate alloc;

mod announced;
mod catalogue;
pub mod complete;
mod essay;
pub mod graph;
mod harmonic;
mod ports;
mod property;
mod queue;
pub mod ring;
pub mod tree;

pub use announced::{Announced, Msg as AnnouncedMsg};
#[cfg(feature = "serde")]
pub use catalogue::WireVisitor;
pub use catalogue::{Algorithm, Bound, Ending, Rule, Setting, Visitor};
pub use essay::HEADINGS;
pub use property::Property;

use harmonic::times_harmonic;
use suffrage_process::{Knowledge, Process};

/// Makes the catalogue from its rows: for each, the type that runs, its file, and what is said
/// of it.
macro_rules! catalogue {
    ($($tag:ident = $process:ty, $file:literal { $($field:ident: $value:expr,)* })*) => {
        /// Every algorithm, by network and age.
        pub static CATALOGUE: &[Algorithm] = &[$(Algorithm {
            network: <$process as Process>::NETWORK,
            knows: <<$process as Process>::Knows as Knowledge>::words,
            source: include_str!($file),
            tag: Tag::$tag,
            $($field: $value,)*
        }),*];

        #[derive(Clone, Copy)]
        enum Tag { $($tag),* }

        impl Algorithm {
            /// Hands the algorithm over to a visitor, as a type.
            pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }

            /// Hands the algorithm over to a visitor that needs messages which can leave the
            /// program.
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
        rule: Rule::LargestId,
        election: Bound {
            formula: "n(n-1)",
            exact: true,
            messages: |s| s.nodes.saturating_mul(s.nodes.saturating_sub(1)),
        },
        announcement: Bound { formula: "0", exact: true, messages: |_| 0 },
        ending: Ending::Silent,
        faulty: None,
    }
    Humblet = complete::Humblet, "complete/humblet.rs" {
        name: "humblet",
        paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
        rule: Rule::LargestLevelAndId,
        election: Bound {
            formula: "4 n H_(n/2)",
            exact: false,
            messages: |s| times_harmonic(s.nodes.saturating_mul(4), s.nodes / 2),
        },
        announcement: Bound { formula: "n-1", exact: true, messages: |s| s.nodes.saturating_sub(1) },
        ending: Ending::LateMessages,
        faulty: None,
    }
    AfekGafni = complete::AfekGafni, "complete/afek_gafni.rs" {
        name: "afek-gafni",
        paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
        rule: Rule::LargestLevelAndId,
        election: Bound {
            formula: "4 n H_n",
            exact: false,
            messages: |s| times_harmonic(s.nodes.saturating_mul(4), s.nodes),
        },
        announcement: Bound {
            formula: "3(n-1)",
            exact: true,
            messages: |s| (s.nodes.saturating_sub(1)).saturating_mul(3),
        },
        ending: Ending::LateMessages,
        faulty: None,
    }
    Villadangos = Announced<complete::Villadangos>, "complete/villadangos.rs" {
        name: "villadangos",
        paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
        rule: Rule::LargestInitiator,
        election: Bound {
            formula: "n + 2(k-1)",
            exact: true,
            messages: round_and_two_for_each_that_leaves,
        },
        announcement: Bound { formula: "n-1", exact: true, messages: |s| s.nodes.saturating_sub(1) },
        ending: Ending::Silent,
        faulty: None,
    }
    VilladangosPublished = Announced<complete::Villadangos<false>>, "complete/villadangos.rs" {
        name: "villadangos-published",
        paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
        rule: Rule::LargestInitiator,
        election: Bound {
            formula: "n + 2(k-1)",
            exact: false,
            messages: round_and_two_for_each_that_leaves,
        },
        announcement: Bound { formula: "n-1", exact: false, messages: |s| s.nodes.saturating_sub(1) },
        ending: Ending::Silent,
        faulty: Some("deadlocks where a candidate hears of its successor before its predecessor"),
    }
    LeLann = Announced<ring::LeLann>, "ring/lelann.rs" {
        name: "lelann",
        paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
        rule: Rule::SmallestInitiator,
        election: Bound {
            formula: "k n",
            exact: true,
            messages: |s| s.initiators.saturating_mul(s.nodes),
        },
        announcement: Bound { formula: "n", exact: true, messages: |s| s.nodes },
        ending: Ending::Silent,
        faulty: None,
    }
    ChangRoberts = Announced<ring::ChangRoberts>, "ring/chang_roberts.rs" {
        name: "chang-roberts",
        paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
        rule: Rule::SmallestInitiator,
        election: Bound {
            formula: "k n - k(k-1)/2",
            exact: false,
            // Saturates as one number, since the difference of two saturated ones is wrong.
            messages: |s| {
                let (n, k) = (u128::from(s.nodes), u128::from(s.initiators));
                (k * n - k * k.saturating_sub(1) / 2).try_into().unwrap_or(u64::MAX)
            },
        },
        announcement: Bound { formula: "n", exact: true, messages: |s| s.nodes },
        ending: Ending::Silent,
        faulty: None,
    }
    DolevKlaweRodeh = ring::DolevKlaweRodeh, "ring/dolev_klawe_rodeh.rs" {
        name: "dolev-klawe-rodeh",
        paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
        rule: Rule::SmallestInitiator,
        election: Bound {
            formula: "2 n floor(log2 k) + n",
            exact: false,
            messages: |s| {
                let rounds = u64::from(s.initiators.checked_ilog2().unwrap_or(0));
                s.nodes.saturating_mul(2 * rounds + 1)
            },
        },
        announcement: Bound { formula: "n", exact: true, messages: |s| s.nodes },
        ending: Ending::Silent,
        faulty: None,
    }
    TreeWave = tree::TreeWave, "tree/tree_wave.rs" {
        name: "tree-wave",
        paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
        rule: Rule::SmallestId,
        election: Bound {
            formula: "3n-2",
            exact: true,
            messages: |s| if s.nodes == 1 { 0 } else { s.nodes.saturating_mul(3) - 2 },
        },
        announcement: Bound {
            formula: "n-2",
            exact: true,
            messages: |s| s.nodes.saturating_sub(2),
        },
        ending: Ending::Silent,
        faulty: None,
    }
    EchoExtinction = graph::EchoExtinction, "graph/echo_extinction.rs" {
        name: "echo-extinction",
        paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
        rule: Rule::SmallestInitiator,
        election: Bound {
            formula: "2 |E| k",
            exact: false,
            messages: |s| s.links.saturating_mul(2).saturating_mul(s.initiators),
        },
        announcement: Bound {
            formula: "2 |E|",
            exact: true,
            messages: |s| s.links.saturating_mul(2),
        },
        ending: Ending::Silent,
        faulty: None,
    }
}

/// `n + 2(k-1)`; a single node has no link to itself and sends nothing.
fn round_and_two_for_each_that_leaves(s: &Setting) -> u64 {
    match s.nodes {
        1 => 0,
        n => n.saturating_add(s.initiators.saturating_sub(1).saturating_mul(2)),
    }
}
