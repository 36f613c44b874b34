//! The workers of an election.

use crate::{
    link::{HostLink, Leaving},
    office::PostOffice,
};
use std::{fmt, io, panic::resume_unwind, sync::mpsc, thread, time::Duration};
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
    pub(crate) links: Vec<Option<HostLink>>,
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

    /// Runs this work in every thread of this program, while the other programs do the same. Returns what
    /// each thread has done, in the order of their numbers, when all threads of all programs are done.
    pub(crate) fn run<T: Send>(
        self,
        work: impl Fn(&mut PostOffice) -> T + Sync,
    ) -> io::Result<Vec<T>> {
        let (builders, guard, leaving) = self.builders()?;
        let done = thread::scope(|scope| {
            let start = |builder: Builder| {
                let (leaving, work) = (leaving.clone(), &work);
                scope.spawn(move || {
                    let _end = EndWithPanic;
                    let mut post = PostOffice::new(builder.build());
                    let done = work(&mut post);
                    // When all have come here, no connection is needed any more.
                    leaving.announce();
                    post.close(&leaving);
                    done
                })
            };
            let threads: Vec<_> = builders.into_iter().map(start).collect();
            let join = |thread: thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            threads.into_iter().map(join).collect()
        });
        // Waits until everything has been sent, unless that is of no use any more.
        let (sent, is_sent) = mpsc::channel();
        thread::spawn(move || {
            drop(guard);
            let _ = sent.send(());
        });
        while is_sent.recv_timeout(PAUSE).is_err() && !leaving.is_cut_short() {}
        Ok(done)
    }

    /// Returns what each thread of this program is made of, what must be kept until they have ended,
    /// and how to say that they are about to.
    fn builders(self) -> io::Result<(Vec<Builder>, Option<CommsGuard>, Leaving)> {
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

/// The time between two looks at whether another program is lost at the end.
const PAUSE: Duration = Duration::from_millis(50);

/// Ends the program when a worker panics: the others would never stop waiting for it.
struct EndWithPanic;

impl Drop for EndWithPanic {
    fn drop(&mut self) {
        if thread::panicking() {
            std::process::exit(101);
        }
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("workers", &self.workers()).finish_non_exhaustive()
    }
}

/// What a worker's connections are made of, in its thread.
enum Builder {
    Alone(ProcessBuilder),
    InCompany(TcpBuilder),
}

impl Builder {
    fn build(self) -> Allocator {
        match self {
            Self::Alone(builder) => Allocator::Process(builder.build()),
            Self::InCompany(builder) => Allocator::Tcp(builder.build()),
        }
    }
}
