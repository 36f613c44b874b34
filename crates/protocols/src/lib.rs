//! The catalogue of leadership protocols: processes that crash and recover, each written once.
//!
//! A protocol is a file or a folder, a [`Recoverable`](suffrage_process::recovery::Recoverable). Its
//! header tells where it comes from, what it assumes, the idea, the cost, the deviations from the
//! source and the invariants. This file is the catalogue: one row per protocol.
#![no_std]

extern crate alloc;

mod catalogue;
pub mod tenure;

#[cfg(feature = "serde")]
pub use catalogue::WireVisitor;
pub use catalogue::{Protocol, Visitor};

/// Makes the catalogue from its rows: for each, the type that runs, its file, and what is said
/// of it.
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
            /// Hands the protocol over to a visitor, as a type.
            pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
                match self.tag { $(Tag::$tag => visitor.visit::<$process>()),* }
            }

            /// Hands the protocol over to a visitor that needs messages which can leave the
            /// program.
            #[cfg(feature = "serde")]
            pub fn visit_wire<V: WireVisitor>(&self, visitor: V) -> V::Output {
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
}
