//! The workers of an election.

use crate::link::{Leaving, Link};
use std::{fmt, io};
use timely::communication::{
    Allocator, Hooks,
    allocator::{
        ProcessBuilder,
        zero_copy::{
            allocator::TcpBuilder,
            initialize::{CommsGuard, initialize_networking_from_sockets},
        },
    },
};

/// The workers of an election: threads of this program, and of the programs that it has met.
pub struct Team {
    workers: u32,
    company: Option<Company>,
}

/// The other programs.
pub(crate) struct Company {
    /// The number of this program.
    pub(crate) process: u32,
    /// A link to each other program, in the order of their numbers, and `None` for this one.
    pub(crate) links: Vec<Option<Link>>,
    pub(crate) leaving: Leaving,
}

impl Team {
    /// Creates a team of this many threads.
    ///
    /// # Panics
    /// If there are none.
    #[must_use]
    pub fn of_threads(workers: u32) -> Self {
        assert!(workers > 0, "an election needs a worker");
        Self { workers, company: None }
    }

    pub(crate) const fn of_programs(workers: u32, company: Company) -> Self {
        Self { workers, company: Some(company) }
    }

    /// Returns the number of threads of all programs together.
    #[must_use]
    pub fn workers(&self) -> u32 {
        let programs = self.company.as_ref().map_or(1, |company| company.links.len());
        self.workers * u32::try_from(programs).unwrap_or(u32::MAX)
    }

    /// Returns what each thread of this program is made of, what must be kept until they have ended,
    /// and how to say that they are about to.
    pub(crate) fn builders(self) -> io::Result<(Vec<Builder>, Option<CommsGuard>, Leaving)> {
        let hooks = Hooks::default();
        let workers = self.workers as usize;
        let local =
            ProcessBuilder::new_typed_vector(workers, hooks.refill.clone(), hooks.spill.clone());
        let Some(Company { process, links, leaving }) = self.company else {
            let builders = local.into_iter().map(Builder::Alone).collect();
            return Ok((builders, None, Leaving::default()));
        };
        let (builders, guard) =
            initialize_networking_from_sockets(local, links, process as usize, workers, hooks)?;
        Ok((builders.into_iter().map(Builder::InCompany).collect(), Some(guard), leaving))
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("workers", &self.workers()).finish_non_exhaustive()
    }
}

/// What a worker's connections are made of, in its thread.
pub(crate) enum Builder {
    Alone(ProcessBuilder),
    InCompany(TcpBuilder),
}

impl Builder {
    pub(crate) fn build(self) -> Allocator {
        match self {
            Self::Alone(builder) => Allocator::Process(builder.build()),
            Self::InCompany(builder) => Allocator::Tcp(builder.build()),
        }
    }
}
