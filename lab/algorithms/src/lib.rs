//! The catalogue of leader election algorithms, each written once, in the vocabulary of its paper.
//!
//! Each file is one algorithm. Its [`AlgorithmHeader`] gives the source, the assumptions, the idea, the cost, the
//! deviations from the source and the invariants; then come its messages, its state and its reactions, in the paper's
//! words, and at the end its [`Claims`]. This file is the catalogue: one row per algorithm. [`judge`] checks an ended
//! election against the claims, for every engine.
#![no_std]

extern crate alloc;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct AlgorithmsReadme;

mod announced;
mod around;
pub mod assertion;
mod breach;
mod catalogue;
mod chance_claim;
mod claims;
pub mod complete;
mod custom;
mod divisors;
mod extinction;
mod fact;
mod fibonacci;
mod formula;
pub mod graph;
mod harmonic;
mod header;
pub mod hypercube;
mod invariant;
mod judge;
mod moment;
mod ports;
pub mod prelude;
pub mod printed;
mod property;
mod proved;
mod queue;
mod race;
pub mod ring;
mod synchronized;
mod time;
pub mod tree;
mod violation;
pub mod wave;

pub use announced::{Announced, Anonymous, LeaderName, Msg as AnnouncedMsg};
pub use breach::{ANY_PROCESS, SharedProcesses};
pub use catalogue::{Algorithm, AlgorithmVisitor, Group, digest};
pub use chance_claim::{ChanceClaim, ElectionCost};
pub use claims::{Bound, Claimed, Claims, Ending, Parameters, Problem, Rule};
pub use custom::Custom;
pub use extinction::{Extinction, Tagged};
pub use fact::{Fact, FactError, FactValue};
pub use formula::{BoundStanding, Formula, Guarantee};
pub use header::{AlgorithmHeader, Form, FormKind, Statement};
pub use invariant::{
    CheckScope, Configuration, FormulaReading, FormulaSubjects, InTransit, Invariant, Node,
    OneProcess,
};
pub use judge::{Ended, FinalState, FinalStates, Leader, Sent, Verdict, judge};
pub use moment::FactMemory;
pub use property::Property;
pub use proved::{PROVED, ProofRecord};
pub use race::{Race, Standing};
pub use synchronized::{Msg as SynchronizedMsg, Synchronized};
pub use time::{Rounds, Time};
pub use violation::Violation;

use suffrage_model::{Knowledge, Process};

/// Creates the catalogue from its rows. Each row gives the process type, and the header in its file.
macro_rules! catalogue {
    ($($static:ident, $words:literal: {
        $($tag:ident = $process:ty, $folder:ident::$file:ident::$header:ident $(, $form:ident)?;)*
    })*) => {
        $(
            #[doc = $words]
            pub static $static: &[Algorithm] = &[$(Algorithm {
                name: $folder::$file::$header.name,
                paper: $folder::$file::$header.paper,
                network: <$process as Process>::NETWORK,
                timing: <$process as Process>::TIMING,
                claims: <$process as Claimed>::CLAIMS,
                room: <$process as Claimed>::ROOM,
                form: [$(Some($folder::$file::$form),)? None][0],
                source: include_str!(concat!(stringify!($folder), "/", stringify!($file), ".rs")),
                header: &$folder::$file::$header,
                knows: <<$process as Process>::Knows as Knowledge>::words,
                tag: AlgorithmTag::$tag,
            }),*];
        )*

        #[derive(Clone, Copy)]
        enum AlgorithmTag { $($($tag,)*)* }

        impl Algorithm {
            /// Passes the algorithm to a visitor, as a type.
            pub fn visit<V: AlgorithmVisitor>(&self, visitor: V) -> V::Output {
                match self.tag { $($(AlgorithmTag::$tag => visitor.visit::<$process>(),)*)* }
            }
        }
    };
}

catalogue! {
    CATALOGUE, "Every algorithm that needs neither random choices nor rounds, by network and age.": {
        AllToAll = complete::AllToAll, complete::all_to_all::HEADER;
        Humblet = complete::Humblet, complete::humblet::HEADER;
        AfekGafni = complete::AfekGafni, complete::afek_gafni::HEADER;
        Villadangos = Announced<complete::Villadangos>, complete::villadangos::HEADER;
        KorachMoranZaks = Announced<complete::KorachMoranZaks>, complete::korach_moran_zaks::HEADER;
        Bully = complete::Bully, complete::bully::HEADER;
        LouiMatsushitaWest = Announced<complete::LouiMatsushitaWest>, complete::loui_matsushita_west::HEADER;
        LeLann = Announced<ring::LeLann>, ring::lelann::HEADER;
        ChangRoberts = Announced<ring::ChangRoberts>, ring::chang_roberts::HEADER;
        HirschbergSinclair = Announced<ring::HirschbergSinclair>, ring::hirschberg_sinclair::HEADER;
        DolevKlaweRodeh = ring::DolevKlaweRodeh, ring::dolev_klawe_rodeh::HEADER;
        Franklin = Announced<ring::Franklin>, ring::franklin::HEADER;
        Peterson = ring::Peterson, ring::peterson::HEADER;
        StagesWithFeedback = Announced<ring::StagesWithFeedback>, ring::stages_with_feedback::HEADER;
        AlternatingSteps = Announced<ring::AlternatingSteps>, ring::alternating_steps::HEADER;
        HighamPrzytycka = Announced<ring::HighamPrzytycka>, ring::higham_przytycka::HEADER;
        RingExtinction = Announced<Extinction<wave::RingToken>>, wave::ring_token::HEADER;
        LyndonWord = ring::LyndonWord, ring::lyndon_word::HEADER;
        ContentOblivious = ring::ContentOblivious, ring::content_oblivious::HEADER;
        HyperElect = Announced<hypercube::HyperElect>, hypercube::hyper_elect::HEADER;
        TreeWave = tree::TreeWave, tree::tree_wave::HEADER;
        TreeExtinction = Announced<Extinction<wave::Tree>>, wave::tree::HEADER;
        EchoExtinction = graph::EchoExtinction, graph::echo_extinction::HEADER;
        DepthFirstExtinction = Announced<Extinction<wave::DepthFirst>>, wave::depth_first::HEADER;
        GallagerHumbletSpira = graph::GallagerHumbletSpira, graph::gallager_humblet_spira::HEADER;
        KorachKuttenMoran = Announced<graph::KorachKuttenMoran>, graph::korach_kutten_moran::HEADER;
        YoYo = Announced<graph::YoYo>, graph::yo_yo::HEADER;
    }
    RANDOMIZED, "Every randomized algorithm that needs no rounds, by network and age: chance decides who leads, and what is claimed\nof an election may be an expectation, or hold with some probability.": {
        ItaiRodeh = Announced<ring::ItaiRodeh, Anonymous>, ring::itai_rodeh::HEADER;
        FokkinkPangA = Announced<ring::FokkinkPangA, Anonymous>, ring::fokkink_pang_a::HEADER;
        FokkinkPangB = Announced<ring::FokkinkPangB, Anonymous>, ring::fokkink_pang_b::HEADER;
        ProbabilisticFranklin = Announced<ring::ProbabilisticFranklin, Anonymous>, ring::probabilistic_franklin::HEADER;
        TreeIdentify = tree::TreeIdentify, tree::tree_identify::HEADER;
    }
    ROUNDS, "The algorithms in [rounds](suffrage_model::Timing::Rounds), by network and age. Engines that\nhave no rounds run them as [`SYNCHRONIZED`].": {
        AfekGafniA = Announced<complete::AfekGafniA>, complete::afek_gafni_a::HEADER;
        TimeSlice = ring::TimeSlice, ring::time_slice::HEADER;
        VariableSpeeds = Announced<ring::VariableSpeeds>, ring::variable_speeds::HEADER;
        FloodMax = graph::FloodMax, graph::flood_max::HEADER;
        LeastElementLists = Announced<graph::LeastElementLists>, graph::least_element_lists::HEADER;
    }
    MONTE_CARLO, "The algorithms that [may err](Rule::MonteCarlo), by network and age: with a probability that their\nclaims bound they elect none, or several.": {
        RandomReferees = complete::RandomReferees, complete::random_referees::HEADER;
    }
    SYNCHRONIZED, "The algorithms in rounds as [`Synchronized`], `NAME@alpha`: they run under any delays.": {
        AfekGafniAAlpha = Synchronized<Announced<complete::AfekGafniA>>, synchronized::alpha::AFEK_GAFNI_A, AFEK_GAFNI_A_FORM;
        TimeSliceAlpha = Synchronized<ring::TimeSlice>, synchronized::alpha::TIME_SLICE, TIME_SLICE_FORM;
        VariableSpeedsAlpha = Synchronized<Announced<ring::VariableSpeeds>>, synchronized::alpha::VARIABLE_SPEEDS, VARIABLE_SPEEDS_FORM;
        FloodMaxAlpha = Synchronized<graph::FloodMax>, synchronized::alpha::FLOOD_MAX, FLOOD_MAX_FORM;
        LeastElementListsAlpha = Synchronized<Announced<graph::LeastElementLists>>, synchronized::alpha::LEAST_ELEMENT_LISTS, LEAST_ELEMENT_LISTS_FORM;
        RandomRefereesAlpha = Synchronized<complete::RandomReferees>, synchronized::alpha::RANDOM_REFEREES, RANDOM_REFEREES_FORM;
    }
    FORMS, "The forms of algorithms that sources print, in the order of the catalogue: each is named after\nits algorithm, `NAME@published` or `NAME@FORM`.": {
        HumbletSleepers = printed::SleepersDefend, printed::humblet::HEADER, FORM;
        AfekGafniPublished = printed::PseudoCode, printed::pseudo_code::HEADER, FORM;
        AfekGafniDead = printed::DeadGivesUp, printed::afek_gafni::HEADER, FORM;
        VilladangosPublished = Announced<complete::Villadangos<false>>, complete::villadangos::PUBLISHED, FORM;
        LeLannPublished = printed::LeLann, printed::lelann::HEADER, FORM;
        ChangRobertsPublished = printed::ChangRoberts, printed::chang_roberts::HEADER, FORM;
        DolevKlaweRodehPublished = printed::DolevKlaweRodeh, printed::dolev_klawe_rodeh::HEADER, FORM;
        TreeWavePublished = printed::TreeWave, printed::tree_wave::HEADER, FORM;
        EchoExtinctionPublished = printed::EchoExtinction, printed::echo::HEADER, FORM;
        EchoExtinctionUndefined = printed::EchoExtinction<false>, printed::echo::UNDEFINED, UNDEFINED_FORM;
    }
}
