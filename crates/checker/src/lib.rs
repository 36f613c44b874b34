//! Every interleaving of a small election: what holds on all schedules, what elections cost at
//! least and at most, and where a promise is broken, the shortest course on which it is.
//!
//! An [`Instance`] is an election with everything fixed but the schedule; a [`Family`] is many of
//! them: all identity orders, all sets of initiators, all port numberings, all graphs.
//! [`check`] explores a family and holds an algorithm of the catalogue to all that its row says;
//! [`explore`] takes any [`Process`](suffrage_process::Process) and any [`Promises`], those of
//! one's own included.
//!
//! ```
//! use suffrage_algorithms::ring::DolevKlaweRodeh;
//! use suffrage_checker::{Instance, Options, Promises, Verdict, explore};
//! use suffrage_process::{Id, Process};
//! use suffrage_topology::wiring::Wiring;
//!
//! let ids = [3, 1, 4, 2].map(Id::new).to_vec();
//! let instance = Instance::new(Wiring::ring(4), ids);
//! let promises = Promises::<DolevKlaweRodeh>::election()
//!     .finally("everyone knows", |end| end.processes().all(|process| process.leader().is_some()));
//! let found = explore(&instance, &promises, &Options::default())?;
//! assert!(matches!(found.verdict, Verdict::Holds));
//! let costs = found.costs.unwrap();
//! assert_eq!((costs.messages.min, costs.messages.max), (8, 24));
//! # Ok::<(), suffrage_checker::Impossible>(())
//! ```
//!
//! # How
//! A process reacts to what happens to it as its own state says and nothing else, so that its
//! reactions are tabulated the first time they are met (`automaton.rs`); a configuration is some
//! bytes (`configuration.rs`) in a set (`space.rs`). Steps of different processes commute, and
//! most orders need not be explored (`reduction.rs`, `ignored.rs`; DESIGN.md has the proof). What
//! elections cost follows from the graph of configurations (`cost.rs`, `depth.rs`). Of instances
//! that are alike but for the names of their nodes only one is explored, and the others are proved
//! to be like it (`alike.rs`, `lockstep.rs`).

mod alike;
mod alone;
mod automaton;
mod bound;
mod burst;
mod configuration;
mod cost;
mod course;
mod depth;
mod exploration;
mod explore;
mod family;
mod forecast;
mod graphs;
mod growth;
mod ignored;
mod instance;
mod interner;
mod links;
mod livelock;
mod lockstep;
mod model;
mod order;
mod property;
mod reduction;
mod run;
mod space;
mod turns;
mod view;
pub use cost::Extremes;
pub use course::{Course, Move};
pub use exploration::{Costs, Counterexample, Exploration, Options, Verdict, explore, worst_case};
pub use family::{Arrangements, Family, Initiators, Orders, TooMany};
pub use forecast::{Forecast, forecast};
pub use instance::{Faults, Impossible, Instance, MOST_NODES, Wake};
pub use property::{Broken, Promises};
pub use run::{
    Conditions, CutShort, Progress, Report, check, check_catalogued, check_process, dearest,
};
pub use view::Snapshot;
