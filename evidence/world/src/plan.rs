//! Plans: how hosts are configured, which faults they meet, and when all should be well.

use crate::clock::{MILLI, SECOND};
use crate::faults::{FaultTarget, TimedWorldFault, Victim, WorldFault, draw};
use anyhow::{Context, anyhow, bail};
use std::fmt;
use std::ops::Range;
use std::time::Duration;
use suffrage_histories::apart;
use suffrage_numbers::random::Generator;
use tenure_node::LeaseTiming;
use tenure_scenarios::Nanos;

/// How a world is made. As text, a script has a line for each of these, in any order, and a line for each fault; what
/// is missing is as usual:
///
/// ```text
/// seed 7
/// hosts 3
/// timing wan
/// stop 300ms
/// disk 60ms
/// lead --on-exit restart
/// lead-0 --take-back 2s
/// served
/// at 10s for 4s stop guard on leader    # a comment
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldPlan {
    /// The seed of everything that is random.
    pub seed: u64,
    /// The number of members, each on a host of its own.
    pub hosts: usize,
    /// The timing of the cluster.
    pub timing: LeaseTiming,
    /// How long a write takes more than a millisecond or two, at most.
    pub disk: Nanos,
    /// The flags of `tenure lead` on all hosts.
    pub flags: String,
    /// Further flags on the first host.
    pub first_flags: String,
    /// Whether each host has two processes: `tenure serve`, and `tenure lead`, which leads by that member.
    pub served: bool,
    /// The faults, in the order of their beginning.
    pub faults: Vec<TimedWorldFault>,
}

/// How long a cluster may take until all is well after the last fault, in nanoseconds: until suspended and starved
/// processes have caught up, programs were started again, leases are over, and COMMANDs had their grace.
const SETTLES: u64 = 15 * SECOND;

/// How long after faults that make a host wait before it stands again.
const BACKS_OFF: u64 = 45 * SECOND;

/// How long it may take until members that were destroyed are taken for lost, and another one leads, in nanoseconds.
const FORCES: u64 = 15 * SECOND;

/// How long a cluster may take until all is well at the beginning, in nanoseconds.
const BEGINS: u64 = 5 * SECOND;

const LOST: WorldFault = WorldFault::Crash { lost: true };

/// The flags that are drawn.
const FLAGS: [&str; 6] = [
    "",
    "--on-exit restart",
    "--on-win on-win --on-lose on-lose",
    "--ready ready --health health --interval 200ms --warm-up 1s --failures 2",
    "--grace 200ms --priority 2",
    "--margin 40ms --on-exit restart --on-win on-win",
];

impl Default for WorldPlan {
    fn default() -> Self {
        let (flags, first_flags) = (String::new(), String::new());
        let (disk, faults) = (Nanos(0), Vec::new());
        Self {
            seed: 1,
            hosts: 3,
            timing: LeaseTiming::LAN,
            disk,
            flags,
            first_flags,
            served: false,
            faults,
        }
    }
}

impl WorldPlan {
    /// Draws a world: faults come one or several at a time, far apart or within a lease of one another, then a while in
    /// which all should be well.
    #[must_use]
    pub fn draw(seed: u64, hosts: usize, length: Duration) -> Self {
        let mut dice = Generator::new(seed, "plan");
        let stop = Duration::from_millis([0, 300][dice.below(2) as usize]);
        let timing = [LeaseTiming::LAN, LeaseTiming::WAN][dice.below(2) as usize];
        let mut disk = Nanos::millis([0, 0, 20, 100][dice.below(4) as usize]);
        if hosts == 2 && timing == LeaseTiming::LAN {
            // Each acknowledgement counts, and may wait for two writes: they have to take less than the lease.
            disk = disk.min(Nanos::millis(20));
        }
        let flags = FLAGS[dice.below(FLAGS.len() as u64) as usize].to_owned();
        let first_flags = ["", "", "--take-back 2s"][dice.below(3) as usize].to_owned();
        let mut plan = Self {
            seed,
            hosts,
            timing: LeaseTiming { stop, ..timing },
            disk,
            flags,
            first_flags,
            served: false,
            faults: Vec::new(),
        };
        let mut now = BEGINS;
        while now < length.as_nanos() as u64 {
            let within = [2_000, 2_000, 200][dice.below(3) as usize];
            for _ in 0..[1, 1, 1, 2, 3, 4][dice.below(6) as usize] {
                let before = plan.faults.last().filter(|before| before.at.0 >= now);
                // What happens to one host often happens to another one soon.
                let before = before.filter(|_| dice.below(3) == 0).map(|before| before.fault);
                let fault = before.unwrap_or_else(|| draw(&mut dice));
                let mut timed = draw_at(now, within, hosts, fault, &mut dice);
                if let WorldFault::Crash { lost } = &mut timed.fault {
                    // A majority of the members keeps its records, and one of two: where all are lost, nothing tells
                    // which terms were used.
                    let mut others = plan.faults.iter().filter(|other| other.at.0 >= now);
                    *lost &= hosts > 1 && !others.any(|other| other.fault == LOST);
                }
                // One at a time: with two members less, one that loses its record would be alone.
                let removed = plan.faults.iter().filter(|other| other.at.0 >= now);
                let removed = removed.filter(|other| other.fault == WorldFault::Removed).count();
                let alone = plan.faults.last().is_none_or(|before| before.at.0 < now);
                match timed.fault {
                    WorldFault::Removed if removed > 0 || hosts < 3 => {}
                    // The record of this host is the only one that is left.
                    WorldFault::Forced if !alone || hosts < 2 => {}
                    WorldFault::Forced => {
                        timed.lasts = Nanos(timed.lasts.0 + FORCES);
                        plan.faults.push(timed);
                        break;
                    }
                    _ => plan.faults.push(timed),
                }
            }
            let well = plan.faults.iter().map(TimedWorldFault::well_at).max();
            now = well.unwrap_or(BEGINS) + MILLI * (1_000 + dice.below(3_000));
        }
        plan.faults.sort_by_key(|fault| fault.at);
        // Last, so that it changes nothing else.
        plan.served = dice.below(3) == 0;
        for timed in plan.faults.iter_mut().filter(|_| plan.served) {
            timed.fault =
                timed.fault.of_server().filter(|_| dice.below(2) == 0).unwrap_or(timed.fault);
        }
        plan
    }

    /// Returns the times in which the beginning and these faults may have effect, in order and apart, in nanoseconds.
    pub(crate) fn unsettled(&self, which: impl Fn(WorldFault) -> bool) -> Vec<Range<u64>> {
        let faults = self.faults.iter().filter(|timed| which(timed.fault));
        let times = faults.map(|timed| timed.at.0..timed.well_at());
        apart(std::iter::once(0..BEGINS).chain(times).collect())
    }

    /// Returns when all should be well, in nanoseconds from the beginning: whenever the next fault is far enough.
    #[must_use]
    pub fn judged_at(&self) -> Vec<u64> {
        self.unsettled(|_| true).iter().map(|times| times.end).collect()
    }

    /// Returns what has to be done when, as text: the configuration as a script has it, and then for each fault, in the
    /// order of time, `MILLISECONDS once|begin|end NUMBER leader|follower-N|HOST SETTLES FAULT`, where SETTLES is how
    /// many milliseconds after its end it may have effect; and `MILLISECONDS well` when all should be well.
    #[must_use]
    pub fn steps(&self) -> String {
        let mut steps: Vec<_> = self
            .judged_at()
            .iter()
            .map(|at| (at / MILLI, format!("{} well\n", at / MILLI)))
            .collect();
        for (number, timed) in self.faults.iter().enumerate() {
            let (begin, end) = (timed.at.0 / MILLI, (timed.at.0 + timed.lasts.0) / MILLI);
            let host = match timed.target {
                FaultTarget::Host(host) => host.to_string(),
                FaultTarget::Leader => "leader".to_owned(),
                FaultTarget::Follower(follower) => format!("follower-{follower}"),
                FaultTarget::Everywhere => "0".to_owned(),
            };
            let settles = if timed.fault.moves() { timed.well_at() / MILLI - end } else { 0 };
            let mut step = |at, what| {
                let fault = timed.fault;
                steps.push((at, format!("{at} {what} {number} {host} {settles} {fault}\n")));
            };
            if timed.fault.is_momentary() {
                step(begin, "once");
            } else {
                step(begin, "begin");
                step(end, "end");
            }
        }
        steps.sort_by_key(|(at, _)| *at);
        let configuration = Self { faults: Vec::new(), ..self.clone() };
        configuration.to_string() + &steps.into_iter().map(|(_, step)| step).collect::<String>()
    }

    /// Reads a script.
    ///
    /// # Errors
    /// If a line is none; the error names it.
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut plan = Self::default();
        let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
        let lines: Vec<_> = (1..).zip(lines).filter(|(_, line)| !line.is_empty()).collect();
        for (number, line) in &lines {
            if !line.starts_with("at ") {
                plan.set(line).with_context(|| format!("line {number}"))?;
            }
        }
        for (number, line) in &lines {
            if line.starts_with("at ") {
                let fault = TimedWorldFault::parse(line, plan.hosts);
                plan.faults.push(fault.with_context(|| format!("line {number}"))?);
            }
        }
        plan.faults.sort_by_key(|fault| fault.at);
        Ok(plan)
    }

    fn set(&mut self, line: &str) -> anyhow::Result<()> {
        let (key, value) = line.split_once(' ').unwrap_or((line, ""));
        match (key, value.trim()) {
            ("seed", seed) => self.seed = seed.parse().context("a seed is a number")?,
            ("hosts", hosts) => {
                let hosts = hosts.parse().ok().filter(|hosts| (1..=9).contains(hosts));
                self.hosts = hosts.context("there are 1 to 9 hosts")?;
            }
            ("timing", name) => {
                let timing = match name {
                    "lan" => LeaseTiming::LAN,
                    "wan" => LeaseTiming::WAN,
                    _ => bail!("{name:?} is no timing: write lan or wan"),
                };
                self.timing = LeaseTiming { stop: self.timing.stop, ..timing };
            }
            ("stop", time) => {
                self.timing.stop = time.parse::<Nanos>().map_err(|why| anyhow!(why))?.into();
            }
            ("disk", time) => self.disk = time.parse().map_err(|why| anyhow!("{why}"))?,
            ("lead", flags) => flags.clone_into(&mut self.flags),
            ("lead-0", flags) => flags.clone_into(&mut self.first_flags),
            ("served", "") => self.served = true,
            _ => bail!(
                "{line:?}: write seed, hosts, timing, stop, disk, lead, lead-0, served or a fault (at 2s ..)"
            ),
        }
        Ok(())
    }
}

/// Draws when this fault begins, at most `within` milliseconds from now, how long it lasts, and where it is.
fn draw_at(
    now: u64,
    within: u64,
    hosts: usize,
    fault: WorldFault,
    dice: &mut Generator,
) -> TimedWorldFault {
    let at = Nanos(now + MILLI * dice.below(within));
    let lasts = match fault {
        _ if fault.is_momentary() => 0,
        // Long enough for a leader, or the service manager, to notice it.
        WorldFault::StuckDisk | WorldFault::Stop(Victim::Loop | Victim::Member)
            if dice.below(3) == 0 =>
        {
            12_000 + dice.below(8_000)
        }
        // For less than a lease.
        _ if dice.below(4) == 0 => 1 + dice.below(200),
        _ => 100 + dice.below(6_000),
    };
    let lasts = Nanos(MILLI * lasts);
    let target = match dice.below(3) {
        _ if fault.is_everywhere() => FaultTarget::Everywhere,
        0 if hosts > 1 => FaultTarget::Follower(1 + dice.below(hosts as u64 - 1) as usize),
        _ => FaultTarget::Leader,
    };
    TimedWorldFault { at, lasts, fault, target }
}

impl TimedWorldFault {
    /// Returns when all should be well after it, in nanoseconds.
    fn well_at(&self) -> u64 {
        let settles = if backs_off(self.fault) { BACKS_OFF } else { SETTLES };
        self.at.0 + self.lasts.0 + settles
    }
}

impl fmt::Display for WorldPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}", self.seed)?;
        writeln!(f, "hosts {}", self.hosts)?;
        let wan = self.timing.heartbeat == LeaseTiming::WAN.heartbeat;
        writeln!(f, "timing {}", if wan { "wan" } else { "lan" })?;
        writeln!(f, "stop {}", Nanos::from(self.timing.stop))?;
        if self.disk.0 > 0 {
            writeln!(f, "disk {}", self.disk)?;
        }
        for (key, flags) in [("lead", &self.flags), ("lead-0", &self.first_flags)] {
            if !flags.is_empty() {
                writeln!(f, "{key} {flags}")?;
            }
        }
        if self.served {
            writeln!(f, "served")?;
        }
        self.faults.iter().try_for_each(|fault| writeln!(f, "{fault}"))
    }
}

/// Returns whether the host pauses before it stands again: longer each time that it meets this fault.
const fn backs_off(fault: WorldFault) -> bool {
    matches!(
        fault,
        WorldFault::Kill(Victim::Command)
            | WorldFault::Exit(_)
            | WorldFault::NoExec
            | WorldFault::NoFork
            | WorldFault::NoHook
            | WorldFault::HungHook
            | WorldFault::Unhealthy
    )
}
