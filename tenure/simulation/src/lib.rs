//! Simulations of executions under faults, determined by a seed.
//!
//! A [`Simulation`] fixes a cluster, its network, its faults and a seed; [`run`](Simulation::run)
//! returns a [`SimulationReport`]. Everything random is a function of the seed, and events are ordered by
//! whole numbers, so the same simulation gives the same report on every machine.
//!
//! # The world
//! - **Time** is global and counted in nanoseconds; no process sees it. A tick of a process's
//!   clock is a microsecond on the slowest clock that [`Setting::clocks`] allows. Each process's clock
//!   has a rate of its own within the bound, drawn from the seed.
//! - **The network** delays messages according to a [`Profile`]. Links are FIFO, as connections
//!   are, except for messages that a fault makes late. A cut link loses new messages;
//!   messages already under way arrive.
//! - **A suspended process** keeps arriving messages. When it resumes, the alarms that have become due ring in their
//!   order, each as of the instant at which it was due; then it handles the messages.
//! - **Disks** make one sync at a time. Writes made in the meantime wait, and are synced together. The messages of a
//!   reaction leave when its writes are synced, and the writes of earlier reactions, on which they may depend. A
//!   process that crashes while the writes of several reactions are not synced finds those of the first of these
//!   reactions, any number, without a gap. A failed sync is a crash.
//! - **The application** of every participant except witnesses stands for all offices, from the start and after every
//!   recovery. It works as long as it holds an office. When the tenure ends or the process asks, it takes up to
//!   [`Setting::stop`] to end its work (in half of the cases exactly that), even if its process has crashed or is
//!   suspended; then it reports that it has stopped.
//!
//! # The judge
//! At each step, in global time, the run is checked against the five [promises]:
//! - *One* and *ever newer* by an [`OfficeMonitor`](crate::promises::OfficeMonitor).
//! - *Soon*: if no fault begins or ends, and some participant that stands can exchange messages, both ways, with a
//!   majority of the members, all of them up, not suspended, with disks and clocks that work as they should, and no
//!   message is lost or late, the office is filled within a [bound](Simulation::bound) and two more syncs of a disk
//!   that is slow. If these take longer than a lease, or never end, the elected process may be the one with this disk:
//!   then the bound counts twice. A member that has lost its record counts once it has had that time to ask a majority
//!   of the others. So an office has to be filled in every partition with such a participant, and after the last fault.
//! - *Stable*: a holder that meets these conditions for more than two leases loses no office,
//!   unless its application asked for it. Needless changes are counted.
//! - While [members change](Recoverable::MEMBERS_CHANGE), *soon* and *stable* ask for a majority of each set of members
//!   that a process knows which is up: it may count by them. *Soon* counts from three heartbeats, four of the longest
//!   delays and two syncs after a change, when candidates have heard of it. A change alone costs no office; a fault
//!   within that time before or after it may, since the leader is still asking the new members. How long a change takes
//!   is not judged.
//! - *Tellable*: a process that is named as a leader has been the leader. The age of such answers
//!   is measured: from the end of the tenure until a running process no longer names it. If the protocol has
//!   [values](Recoverable::value), what a process shows as the value of a leadership is one that its leader has set; it
//!   is not older than what the process has shown before, also before a restart, unless it is a client or has lost its
//!   record; and it is the newest once the process and the leader, which still leads, have been able to exchange messages
//!   for two heartbeats and for as long as the parts of the longest value take.

mod clock;
mod comparison;
mod description;
mod disk;
mod network;
mod offices;
mod plan;
mod profile;
pub mod promises;
mod queue;
mod random;
mod reach;
mod report;
mod shrink;
mod summary;
mod trace;
mod watch;
mod world;

pub use comparison::FaultPattern;
pub use description::SimulationDescription;
pub use profile::{Profile, Regions};
pub use random::{FaultKind, Faults};
pub use report::{PromiseViolation, SimulationReport};
pub use shrink::{Shrunk, shrink};
pub use summary::{DurationSpread, SimulationSummary};
pub use tenure_scenarios::{
    ClusterFault, CutWays, FaultScript, Nanos, RecordFate, Scenario, ScenarioCluster, TimedFault,
    Who,
};
pub use trace::{SimulationTracer, TRACE_VERSION};
pub use watch::{ClusterEvent, SimulationWatch};

use plan::{SimulationPlan, TICK};
use promises::Promise;
use std::{marker::PhantomData, time::Duration};
use tenure_model::{Peer, Ratio, Recoverable, Setting};
use world::SimulatedWorld;

/// An error: a simulation, a profile or a script is invalid. Its text gives the reason and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Invalid(String);

impl Invalid {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

/// The greatest number of participants of a run: the state of links is kept for each pair.
const MOST_PEERS: u32 = 4096;

/// A run of a protocol: a cluster, its network, its faults, and a seed.
///
/// By default: five members that stand, one office, heartbeats of 50 ms, leases of 250 ms, no time
/// for stopping, clocks that differ by up to 0.1 %, [`Profile::LAN`], disks that take about a
/// millisecond for a sync, no faults, one minute, seed 1.
#[derive(Clone, Debug)]
pub struct Simulation<P> {
    /// The run without its faults.
    run: SimulationDescription,
    faults: Faults,
    bound: Option<Nanos>,
    stop_at: Option<Promise>,
    protocol: PhantomData<fn() -> P>,
}

impl<P: Recoverable> Default for Simulation<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: Recoverable> Simulation<P> {
    /// Creates the run described [above](Self).
    #[must_use]
    pub const fn new() -> Self {
        let run = SimulationDescription {
            members: 5,
            clients: 0,
            witnesses: 0,
            offices: 1,
            heartbeat: Nanos::millis(50),
            lease: Nanos::millis(250),
            stop: Nanos(0),
            clocks: Ratio { fastest: 1001, slowest: 1000 },
            profile: Profile::LAN,
            sync: Profile::LogNormal { median: Nanos::millis(1), spread: 30 },
            length: Nanos::seconds(60),
            seed: 1,
            faults: FaultScript(Vec::new()),
        };
        Self { run, faults: Faults::none(), bound: None, stop_at: None, protocol: PhantomData }
    }

    /// Sets the number of members.
    #[must_use]
    pub fn members(mut self, members: u32) -> Self {
        self.run.members = members;
        self
    }

    /// Sets the number of clients in addition to the members.
    #[must_use]
    pub fn clients(mut self, clients: u32) -> Self {
        self.run.clients = clients;
        self
    }

    /// Sets the number of members that do not stand: the last ones.
    #[must_use]
    pub fn witnesses(mut self, witnesses: u32) -> Self {
        self.run.witnesses = witnesses;
        self
    }

    /// Sets the number of offices. Every participant that stands, stands for all of them.
    #[must_use]
    pub fn offices(mut self, offices: u32) -> Self {
        self.run.offices = offices;
        self
    }

    /// Sets [`Setting::heartbeat`].
    #[must_use]
    pub fn heartbeat(mut self, heartbeat: Duration) -> Self {
        self.run.heartbeat = heartbeat.into();
        self
    }

    /// Sets [`Setting::lease`].
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.run.lease = lease.into();
        self
    }

    /// Sets [`Setting::stop`].
    #[must_use]
    pub fn stop(mut self, stop: Duration) -> Self {
        self.run.stop = stop.into();
        self
    }

    /// Sets [`Setting::clocks`].
    #[must_use]
    pub fn clocks(mut self, clocks: Ratio) -> Self {
        self.run.clocks = clocks;
        self
    }

    /// Sets the delays of messages.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.run.profile = profile;
        self
    }

    /// Sets the duration of a disk's sync.
    #[must_use]
    pub fn sync(mut self, sync: Profile) -> Self {
        self.run.sync = sync;
        self
    }

    /// Sets the faults.
    #[must_use]
    pub fn faults(self, faults: impl Into<Faults>) -> Self {
        Self { faults: faults.into(), ..self }
    }

    /// Sets the length of the run, in simulated hours.
    #[must_use]
    pub fn hours(self, hours: u32) -> Self {
        self.duration(Duration::from_secs(u64::from(hours) * 3600))
    }

    /// Sets the length of the run, in simulated time.
    #[must_use]
    pub fn duration(mut self, length: Duration) -> Self {
        self.run.length = length.into();
        self
    }

    /// Sets the seed from which everything random is drawn.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.run.seed = seed;
        self
    }

    /// Sets the bound on the time that an office may be vacant while a process could lead.
    ///
    /// The default is the sum of a lease that is stretched by the ratio of the clocks twice (the
    /// granter waits longer than the holder, on a clock that may be slower), the time for stopping,
    /// two heartbeats, three of the longest round trips and two of the longest syncs.
    #[must_use]
    pub fn within(self, bound: Duration) -> Self {
        Self { bound: Some(bound.into()), ..self }
    }

    /// Ends the run as soon as this promise is broken.
    #[must_use]
    pub fn stop_at(self, promise: Promise) -> Self {
        Self { stop_at: Some(promise), ..self }
    }

    /// Returns the bound on the time that an office may be vacant while a process could lead.
    #[must_use]
    pub fn bound(&self) -> Nanos {
        let SimulationDescription { clocks, lease, stop, heartbeat, profile, sync, .. } = &self.run;
        self.bound.unwrap_or_else(|| {
            let ticks = |nanos: &Nanos| (nanos.0 / TICK).min(u64::from(u32::MAX)) as u32;
            let owed = clocks.outlasting(clocks.outlasting(ticks(lease)));
            let waits = (u64::from(owed) + u64::from(clocks.outlasting(ticks(stop)))) * TICK;
            let travels = 6 * profile.longest().0 + 2 * sync.longest().0;
            Nanos(waits + 2 * heartbeat.0 + travels)
        })
    }

    /// Returns the faults of the run, drawn if they are random.
    ///
    /// # Errors
    /// The same as for [`run`](Self::run).
    pub fn script(&self) -> Result<FaultScript, Invalid> {
        self.plan().map(|plan| plan.run.faults)
    }

    /// Runs the simulation.
    ///
    /// # Errors
    /// If parameters or faults are out of range or contradict each other.
    pub fn run(&self) -> Result<SimulationReport, Invalid> {
        let report = self.watched((), |_| true)?;
        report.ok_or_else(|| Invalid::new("the run was given up"))
    }

    /// Runs the simulation, and reports its events to `watch`. From time to time it calls `go_on`
    /// with the simulated time; if that returns `false`, the run stops and the result is `None`.
    ///
    /// # Errors
    /// If parameters or faults are out of range or contradict each other.
    pub fn watched(
        &self,
        watch: impl SimulationWatch<P>,
        go_on: impl FnMut(Nanos) -> bool,
    ) -> Result<Option<SimulationReport>, Invalid> {
        let plan = self.plan()?;
        let mut world = SimulatedWorld::<P, _>::new(&plan, watch);
        let finished = world.run(go_on);
        Ok(finished.then(|| world.into_report()))
    }

    /// Checks numbers and durations. Returns the setting of participant 0.
    fn setting(&self) -> Result<Setting, Invalid> {
        let run = &self.run;
        let SimulationDescription { members, clients, witnesses, offices, clocks, .. } = *run;
        let Ratio { fastest, slowest } = clocks;
        let drift = slowest == 0 || fastest < slowest || fastest / slowest > 1000;
        let wrong = [
            (members == 0, "there must be at least one member".to_owned()),
            (
                members.saturating_add(clients) > MOST_PEERS,
                format!("there are at most {MOST_PEERS} participants"),
            ),
            (witnesses > members, format!("{witnesses} witnesses are more than {members} members")),
            (offices == 0 || offices > 1_000_000, "there are 1 to 1000000 offices".to_owned()),
            (drift, "the ratio of the clocks is from 1 to 1000".to_owned()),
        ];
        let refused = |wrong: &[(bool, String)]| match wrong.iter().find(|(is_wrong, _)| *is_wrong)
        {
            Some((_, why)) => Err(Invalid::new(why)),
            None => Ok(()),
        };
        refused(&wrong)?;
        let ticks = |nanos: Nanos, what: &str| match u32::try_from(nanos.0 / TICK) {
            Ok(ticks) if ticks <= u32::MAX / 4 => Ok(ticks),
            _ => Err(Invalid(format!("a {what} of {nanos} is too long; at most 1000s"))),
        };
        let setting = Setting {
            me: Peer(0),
            members,
            heartbeat: ticks(run.heartbeat, "heartbeat")?,
            lease: ticks(run.lease, "lease")?,
            stop: ticks(run.stop, "time for stopping")?,
            clocks,
        };
        let short =
            format!("a lease of {} is shorter than a heartbeat of {}", run.lease, run.heartbeat);
        refused(&[
            (setting.heartbeat == 0, "a heartbeat takes at least 1us".to_owned()),
            (setting.lease < setting.heartbeat, short),
        ])?;
        Ok(setting)
    }

    fn plan(&self) -> Result<SimulationPlan, Invalid> {
        let setting = self.setting()?;
        self.run.profile.check()?;
        self.run.sync.check()?;
        let (bound, clocks) = (self.bound().0, setting.clocks);
        let owed = clocks.outlasting(setting.lease.saturating_add(setting.stop));
        let lease = u64::from(clocks.outlasting(setting.lease)) * TICK;
        let mut plan = SimulationPlan {
            setting,
            run: self.run.clone(),
            bound,
            steady: 2 * lease + 4 * self.run.profile.longest().0,
            owed: u64::from(owed) * TICK,
            settling: 3 * u64::from(clocks.outlasting(setting.heartbeat)) * TICK
                + 4 * self.run.profile.longest().0
                + 2 * self.run.sync.longest().0,
            stop_at: self.stop_at,
        };
        plan.run.faults = match &self.faults {
            Faults::Script(script) => script.clone(),
            Faults::Random { kinds, .. }
                if kinds.contains(&FaultKind::Membership) && !P::MEMBERS_CHANGE =>
            {
                return Err(Invalid::new("membership: the members of this protocol never change"));
            }
            Faults::Random { kinds, .. }
                if kinds.contains(&FaultKind::Membership) && setting.members > u64::BITS =>
            {
                let members = setting.members;
                return Err(Invalid(format!("{members} members are too many to change them")));
            }
            Faults::Random { kinds, every, longest } => {
                random::script(kinds, *every, *longest, &plan)
            }
        };
        for entry in &plan.run.faults.0 {
            if matches!(entry.fault, ClusterFault::Members { .. }) && !P::MEMBERS_CHANGE {
                return Err(Invalid(format!("{entry}: the members of this protocol never change")));
            }
            entry
                .check(plan.peers(), setting.members)
                .map_err(|why| Invalid::new(format!("{entry}: {why}")))?;
        }
        Ok(plan)
    }
}
