//! The catalogue of leader election algorithms, each written once, as its paper writes it.
//!
//! A file is an algorithm. Its header tells where it comes from, what it assumes, the idea, the
//! cost, the deviations from the source and the invariants; then come its messages, its state and
//! its reactions, in the paper's words. This file is the catalogue: one row per algorithm.
#![no_std]

extern crate alloc;

mod announced;
mod catalogue;
pub mod ring;

pub use announced::{Announced, Msg as AnnouncedMsg};
pub use catalogue::{Algorithm, Bound, Ending, Rule, Setting, Visitor};

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
        }
    };
}

catalogue! {
    ChangRoberts = Announced<ring::ChangRoberts>, "ring/chang_roberts.rs" {
        name: "chang-roberts",
        paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
        rule: Rule::SmallestInitiator,
        election: Bound {
            formula: "k n - k(k-1)/2",
            exact: false,
            messages: |s| s.initiators * s.nodes - s.initiators * (s.initiators - 1) / 2,
        },
        announcement: Bound { formula: "n", exact: true, messages: |s| s.nodes },
        ending: Ending::Silent,
        faulty: None,
    }
}
