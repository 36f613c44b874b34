//! The catalogue of leader election algorithms, each written once, in the vocabulary of its paper.
//!
//! Each file is one algorithm. Its header gives the source, what it assumes, the idea, the cost,
//! the deviations from the source and the invariants; then come its messages, its state and its
//! reactions, in the paper's words, and at the end its [`Claims`]. This file is the catalogue: one
//! row per algorithm. [`judge`] checks an ended election against the claims, for every engine.
#![no_std]

extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod announced;
mod around;
mod catalogue;
mod claims;
pub mod complete;
mod custom;
mod divisors;
mod essay;
mod extinction;
mod fibonacci;
pub mod graph;
mod harmonic;
pub mod hypercube;
mod invariant;
mod judge;
mod ports;
pub mod printed;
mod property;
mod queue;
mod race;
pub mod ring;
mod synchronized;
mod time;
pub mod tree;
mod violation;
pub mod wave;

pub use announced::{Announced, Anonymous, LeaderName, Msg as AnnouncedMsg};
#[cfg(feature = "serde")]
pub use catalogue::WireVisitor;
pub use catalogue::{Algorithm, Form, FormKind, Group, Visitor};
pub use claims::{Bound, Claimed, Claims, Ending, Guarantee, Parameters, Problem, Rule};
pub use custom::Custom;
pub use essay::HEADINGS;
pub use extinction::{Extinction, Tagged};
pub use invariant::{Configuration, InTransit, Invariant, Node};
pub use judge::{Ended, FinalState, FinalStates, Leader, Sent, Verdict, judge};
pub use property::Property;
pub use race::{Race, Standing};
pub use synchronized::{Msg as SynchronizedMsg, Synchronized};
pub use time::{Rounds, Time};
pub use violation::Violation;

use suffrage_model::{Knowledge, Process};

/// Creates the catalogue from its rows. Each row gives the process type, its file, its name and its
/// paper. The claims are in the file.
macro_rules! catalogue {
    ($($static:ident, $words:literal: {
        $($tag:ident = $process:ty, $file:literal { $($field:ident: $value:expr,)* })*
    })*) => {
        $(
            #[doc = $words]
            pub static $static: &[Algorithm] = &[$(Algorithm {
                network: <$process as Process>::NETWORK,
                timing: <$process as Process>::TIMING,
                knows: <<$process as Process>::Knows as Knowledge>::words,
                claims: <$process as Claimed>::CLAIMS,
                source: include_str!($file),
                tag: Tag::$tag,
                $($field: $value,)*
            }),*];
        )*

        #[derive(Clone, Copy)]
        enum Tag { $($($tag,)*)* }

        impl Algorithm {
            /// Passes the algorithm to a visitor, as a type.
            pub fn visit<V: Visitor>(&self, visitor: V) -> V::Output {
                match self.tag { $($(Tag::$tag => visitor.visit::<$process>(),)*)* }
            }

            /// Passes the algorithm to a visitor that needs messages which can leave the program.
            #[cfg(feature = "serde")]
            pub fn visit_wire<V: WireVisitor>(&self, visitor: V) -> V::Output {
                match self.tag { $($(Tag::$tag => visitor.visit::<$process>(),)*)* }
            }
        }
    };
}

const fn faulty(difference: &'static str, shown_by: &'static str) -> Option<Form> {
    Some(Form { kind: FormKind::Faulty, difference, shown_by })
}

const fn variant(difference: &'static str, shown_by: &'static str) -> Option<Form> {
    Some(Form { kind: FormKind::Variant, difference, shown_by })
}

catalogue! {
    CATALOGUE, "Every algorithm that needs neither random choices nor rounds, by network and age.": {
        AllToAll = complete::AllToAll, "complete/all_to_all.rs" {
            name: "all-to-all",
            paper: "folklore",
            form: None,
        }
        Humblet = complete::Humblet, "complete/humblet.rs" {
            name: "humblet",
            paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
            form: None,
        }
        AfekGafni = complete::AfekGafni, "complete/afek_gafni.rs" {
            name: "afek-gafni",
            paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
            form: None,
        }
        Villadangos = Announced<complete::Villadangos>, "complete/villadangos.rs" {
            name: "villadangos",
            paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
            form: None,
        }
        KorachMoranZaks = Announced<complete::KorachMoranZaks>, "complete/korach_moran_zaks.rs" {
            name: "korach-moran-zaks",
            paper: "E. Korach, S. Moran, S. Zaks, 3rd ACM PODC, 1984",
            form: None,
        }
        Bully = complete::Bully, "complete/bully.rs" {
            name: "bully",
            paper: "H. Garcia-Molina, IEEE Transactions on Computers C-31(1), 1982",
            form: None,
        }
        LouiMatsushitaWest = Announced<complete::LouiMatsushitaWest>, "complete/loui_matsushita_west.rs" {
            name: "loui-matsushita-west",
            paper: "M. C. Loui, T. A. Matsushita, D. B. West, Information Processing Letters 22(4), 1986",
            form: None,
        }
        LeLann = Announced<ring::LeLann>, "ring/lelann.rs" {
            name: "lelann",
            paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
            form: None,
        }
        ChangRoberts = Announced<ring::ChangRoberts>, "ring/chang_roberts.rs" {
            name: "chang-roberts",
            paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
            form: None,
        }
        HirschbergSinclair = Announced<ring::HirschbergSinclair>, "ring/hirschberg_sinclair.rs" {
            name: "hirschberg-sinclair",
            paper: "D. S. Hirschberg, J. B. Sinclair, Communications of the ACM 23(11), 1980",
            form: None,
        }
        DolevKlaweRodeh = ring::DolevKlaweRodeh, "ring/dolev_klawe_rodeh.rs" {
            name: "dolev-klawe-rodeh",
            paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
            form: None,
        }
        Franklin = Announced<ring::Franklin>, "ring/franklin.rs" {
            name: "franklin",
            paper: "W. R. Franklin, Communications of the ACM 25(5), 1982",
            form: None,
        }
        Peterson = ring::Peterson, "ring/peterson.rs" {
            name: "peterson",
            paper: "G. L. Peterson, ACM TOPLAS 4(4), 1982",
            form: None,
        }
        StagesWithFeedback = Announced<ring::StagesWithFeedback>, "ring/stages_with_feedback.rs" {
            name: "stages-with-feedback",
            paper: "E. Korach, D. Rotem, N. Santoro, Int. Journal of Computer Mathematics 16, 1984",
            form: None,
        }
        AlternatingSteps = Announced<ring::AlternatingSteps>, "ring/alternating_steps.rs" {
            name: "alternating-steps",
            paper: "J. van Leeuwen, R. B. Tan, Distributed Computing 2(3), 1987; N. Santoro, 2007",
            form: None,
        }
        HighamPrzytycka = Announced<ring::HighamPrzytycka>, "ring/higham_przytycka.rs" {
            name: "higham-przytycka",
            paper: "L. Higham, T. Przytycka, Information Processing Letters 58(6), 1996",
            form: None,
        }
        RingExtinction = Announced<Extinction<wave::RingToken>>, "wave/ring_token.rs" {
            name: "ring-extinction",
            paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
            form: None,
        }
        LyndonWord = ring::LyndonWord, "ring/lyndon_word.rs" {
            name: "lyndon-word",
            paper: "K. Altisen, A. K. Datta, S. Devismes, A. Durand, L. L. Larmore, IEEE IPDPS, 2017",
            form: None,
        }
        ContentOblivious = ring::ContentOblivious, "ring/content_oblivious.rs" {
            name: "content-oblivious",
            paper: "F. Frei, R. Gelles, A. Ghazy, A. Nolin, DISC, 2024",
            form: None,
        }
        HyperElect = Announced<hypercube::HyperElect>, "hypercube/hyper_elect.rs" {
            name: "hyper-elect",
            paper: "P. Flocchini, B. Mans, Journal of Parallel and Distributed Computing 33(1), 1996",
            form: None,
        }
        TreeWave = tree::TreeWave, "tree/tree_wave.rs" {
            name: "tree-wave",
            paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
            form: None,
        }
        TreeExtinction = Announced<Extinction<wave::Tree>>, "wave/tree.rs" {
            name: "tree-extinction",
            paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
            form: None,
        }
        EchoExtinction = graph::EchoExtinction, "graph/echo_extinction.rs" {
            name: "echo-extinction",
            paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
            form: None,
        }
        DepthFirstExtinction = Announced<Extinction<wave::DepthFirst>>, "wave/depth_first.rs" {
            name: "depth-first-extinction",
            paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapters 6 and 7",
            form: None,
        }
        GallagerHumbletSpira = graph::GallagerHumbletSpira, "graph/gallager_humblet_spira.rs" {
            name: "gallager-humblet-spira",
            paper: "R. G. Gallager, P. A. Humblet, P. M. Spira, ACM TOPLAS 5(1), 1983",
            form: None,
        }
        KorachKuttenMoran = Announced<graph::KorachKuttenMoran>, "graph/korach_kutten_moran.rs" {
            name: "korach-kutten-moran",
            paper: "E. Korach, S. Kutten, S. Moran, ACM TOPLAS 12(1), 1990",
            form: None,
        }
        YoYo = Announced<graph::YoYo>, "graph/yo_yo.rs" {
            name: "yo-yo",
            paper: "N. Santoro, Design and Analysis of Distributed Algorithms, 2007, section 3.8.3",
            form: None,
        }
    }
    RANDOMIZED, "Every randomized algorithm that needs no rounds, by network and age: chance decides who leads, and what is claimed\nof an election may be an expectation, or hold with some probability.": {
        ItaiRodeh = Announced<ring::ItaiRodeh, Anonymous>, "ring/itai_rodeh.rs" {
            name: "itai-rodeh",
            paper: "A. Itai, M. Rodeh, Information and Computation 88(1), 1990",
            form: None,
        }
        FokkinkPangA = Announced<ring::FokkinkPangA, Anonymous>, "ring/fokkink_pang_a.rs" {
            name: "fokkink-pang-a",
            paper: "W. Fokkink, J. Pang, Journal of Universal Computer Science 12(8), 2006",
            form: None,
        }
        FokkinkPangB = Announced<ring::FokkinkPangB, Anonymous>, "ring/fokkink_pang_b.rs" {
            name: "fokkink-pang-b",
            paper: "W. Fokkink, J. Pang, Journal of Universal Computer Science 12(8), 2006",
            form: None,
        }
        ProbabilisticFranklin = Announced<ring::ProbabilisticFranklin, Anonymous>, "ring/probabilistic_franklin.rs" {
            name: "probabilistic-franklin",
            paper: "R. Bakhshi, W. Fokkink, J. Pang, J. van de Pol, Fifth IFIP TCS, 2008",
            form: None,
        }
        TreeIdentify = tree::TreeIdentify, "tree/tree_identify.rs" {
            name: "tree-identify",
            paper: "M. Devillers, D. Griffioen, J. Romijn, F. Vaandrager, Formal Methods in System Design 16(3), 2000",
            form: None,
        }
    }
    ROUNDS, "The algorithms in [rounds](suffrage_model::Timing::Rounds), by network and age. Engines that\nhave no rounds run them as [`Synchronized`].": {
        AfekGafniA = Announced<complete::AfekGafniA>, "complete/afek_gafni_a.rs" {
            name: "afek-gafni-a",
            paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
            form: None,
        }
        TimeSlice = ring::TimeSlice, "ring/time_slice.rs" {
            name: "time-slice",
            paper: "N. Lynch, Distributed Algorithms, 1996, section 3.5.1",
            form: None,
        }
        VariableSpeeds = Announced<ring::VariableSpeeds>, "ring/variable_speeds.rs" {
            name: "variable-speeds",
            paper: "G. Frederickson, N. Lynch, Journal of the ACM 34(1), 1987",
            form: None,
        }
        FloodMax = graph::FloodMax, "graph/flood_max.rs" {
            name: "flood-max",
            paper: "N. Lynch, Distributed Algorithms, 1996, section 4.1",
            form: None,
        }
        LeastElementLists = Announced<graph::LeastElementLists>, "graph/least_element_lists.rs" {
            name: "least-element-lists",
            paper: "S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, Journal of the ACM 62(1), 2015",
            form: None,
        }
    }
    MONTE_CARLO, "The algorithms that [may err](Rule::MonteCarlo), by network and age: with a probability that their\nclaims bound they elect none, or several.": {
        RandomReferees = complete::RandomReferees, "complete/random_referees.rs" {
            name: "random-referees",
            paper: "S. Kutten, G. Pandurangan, D. Peleg, P. Robinson, A. Trehan, TCS 561, 2015",
            form: None,
        }
    }
    FORMS, "The forms of algorithms that sources print, in the order of the catalogue: each is named after\nits algorithm, `NAME@published` or `NAME@FORM`.": {
        HumbletSleepers = printed::SleepersDefend, "printed/humblet.rs" {
            name: "humblet@sleepers",
            paper: "P. Humblet, 23rd IEEE Conference on Decision and Control, 1984",
            form: faulty(
                "elects no leader where a sleeping node has the larger identity",
                "suffrage check humblet@sleepers --nodes 2",
            ),
        }
        AfekGafniPublished = printed::PseudoCode, "printed/pseudo_code.rs" {
            name: "afek-gafni@published",
            paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
            form: faulty(
                "elects two where a node does not defend itself",
                "suffrage check afek-gafni@published --nodes 2 --property at-most-one-leader",
            ),
        }
        AfekGafniDead = printed::DeadGivesUp, "printed/afek_gafni.rs" {
            name: "afek-gafni@dead",
            paper: "Y. Afek, E. Gafni, SIAM Journal on Computing 20(2), 1991",
            form: faulty(
                "loses the bound, since what dead candidates owned is captured again",
                "suffrage check afek-gafni@dead --nodes 4..12 --sample 100000",
            ),
        }
        VilladangosPublished = Announced<complete::Villadangos<false>>, "complete/villadangos.rs" {
            name: "villadangos@published",
            paper: "J. Villadangos, A. Córdoba, F. Fariña, M. Prieto, 13th Euromicro PDP, 2005",
            form: faulty(
                "deadlocks where a candidate hears of its successor before its predecessor",
                "suffrage check villadangos@published --nodes 3",
            ),
        }
        LeLannPublished = printed::LeLann, "printed/lelann.rs" {
            name: "lelann@published",
            paper: "G. Le Lann, Information Processing 77 (IFIP Congress), 1977",
            form: variant(
                "sends the same tokens, does not announce the leader, and ends in the leader and the \
                 initiators alone",
                "suffrage check lelann@published --nodes 4",
            ),
        }
        ChangRobertsPublished = printed::ChangRoberts, "printed/chang_roberts.rs" {
            name: "chang-roberts@published",
            paper: "E. Chang, R. Roberts, Communications of the ACM 22(5), 1979",
            form: variant(
                "sends the same tokens, does not announce the leader, and ends in the leader alone",
                "suffrage check chang-roberts@published --nodes 4",
            ),
        }
        DolevKlaweRodehPublished = printed::DolevKlaweRodeh, "printed/dolev_klawe_rodeh.rs" {
            name: "dolev-klawe-rodeh@published",
            paper: "D. Dolev, M. Klawe, M. Rodeh, Journal of Algorithms 3(3), 1982",
            form: faulty(
                "leaves the process that finds the winner waiting for ever",
                "suffrage check dolev-klawe-rodeh@published --nodes 2",
            ),
        }
        TreeWavePublished = printed::TreeWave, "printed/tree_wave.rs" {
            name: "tree-wave@published",
            paper: "G. Tel, Introduction to Distributed Algorithms, 2nd ed., 2000, chapter 7",
            form: faulty(
                "elects no leader in a network of one process",
                "suffrage check tree-wave@published --nodes 1",
            ),
        }
        EchoExtinctionPublished = printed::EchoExtinction, "printed/echo.rs" {
            name: "echo-extinction@published",
            paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
            form: faulty(
                "floods the result twice from the leader, also to processes that have ended",
                "suffrage check echo-extinction@published --nodes 2",
            ),
        }
        EchoExtinctionUndefined = printed::EchoExtinction<false>, "printed/echo.rs" {
            name: "echo-extinction@undefined",
            paper: "E. J. H. Chang, IEEE Transactions on Software Engineering SE-8(4), 1982; G. Tel, 2000",
            form: faulty(
                "reaches no process that has not initiated, since nothing is true of an undefined wave",
                "suffrage check echo-extinction@undefined --nodes 2",
            ),
        }
    }
}
